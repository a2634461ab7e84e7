/** Validates roles and bindings. */
import { jsonEqual } from "@treadle/apimachinery";
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { pathSegment, subdomain } from "./formats.ts";
import { labelSelector } from "./selectors.ts";
import { check, needed, type Spot } from "./spot.ts";

const GROUP = "rbac.authorization.k8s.io";

function rule(spot: Spot, isNamespaced: boolean): void {
  const urls = spot.at("nonResourceURLs");
  needed(undefined, "verbs must contain at least one value")(spot.at("verbs"));
  if (!urls.isEmpty) {
    if (isNamespaced) urls.invalid("namespaced rules cannot apply to non-resource URLs");
    if (["apiGroups", "resources", "resourceNames"].some((field) => !spot.at(field).isEmpty))
      urls.invalid("rules cannot apply to both regular resources and non-resource URLs");
    return;
  }
  needed(undefined, "resource rules must supply at least one api group")(spot.at("apiGroups"));
  needed(undefined, "resource rules must supply at least one resource")(spot.at("resources"));
}

export function roleErrors(draft: JsonObject): FieldError[] {
  return check(draft, (role) => {
    for (const item of role.at("rules").items) rule(item, true);
  });
}

export function clusterRoleErrors(draft: JsonObject): FieldError[] {
  return check(draft, (role) => {
    for (const item of role.at("rules").items) rule(item, false);
    const [aggregation, selectors] = [role.at("aggregationRule"), role.within("aggregationRule", "clusterRoleSelectors")];
    if (!aggregation.isSet) return;
    if (selectors.isEmpty) selectors.required("at least one clusterRoleSelector required if aggregationRule is non-nil");
    for (const selector of selectors.items) {
      const before = selector.errorCount;
      labelSelector(selector);
      if (selector.errorCount > before) selector.invalid("invalid label selector.", null);
    }
  });
}

/** Checks a binding of roles of some kinds. Its role is immutable. */
function binding(kinds: readonly string[]): (draft: JsonObject, previous: JsonObject | undefined) => FieldError[] {
  return (draft, previous) =>
    check(draft, (object) => {
      const role = object.at("roleRef");
      const [group, kind] = [role.at("apiGroup"), role.at("kind")];
      if (group.text !== GROUP) group.notSupported([GROUP]);
      if (!kinds.includes(kind.text)) kind.notSupported(kinds);
      needed(pathSegment)(role.at("name"));
      for (const subject of object.at("subjects").items) subjectRules(subject, kinds.includes("Role"));
      if (previous === undefined || jsonEqual(role.value, previous["roleRef"])) return;
      const shown = { APIGroup: group.text, Kind: kind.text, Name: role.at("name").text };
      role.invalid("cannot change roleRef", new GoStruct(shown));
    });
}

export const roleBindingErrors: ReturnType<typeof binding> = binding(["Role", "ClusterRole"]);
export const clusterRoleBindingErrors: ReturnType<typeof binding> = binding(["ClusterRole"]);

function subjectRules(spot: Spot, isNamespaced: boolean): void {
  const [kind, name, group] = [spot.at("kind"), spot.at("name"), spot.at("apiGroup")];
  if (name.isEmpty) name.required();
  switch (kind.text) {
    case "ServiceAccount":
      if (!name.isEmpty) subdomain(name);
      if (!group.isEmpty) group.notSupported([""]);
      if (!isNamespaced && spot.at("namespace").isEmpty) spot.at("namespace").required();
      break;
    case "User":
    case "Group":
      if (group.text !== GROUP) group.notSupported([GROUP]);
      break;
    default:
      kind.notSupported(["ServiceAccount", "User", "Group"]);
  }
}
