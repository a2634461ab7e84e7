/** The rights in the roles of an operator, and roles without one of them. */
import type { PolicyRule, RbacManifest } from "@treadle/controller";
import type { RecordedRequest } from "../requests.ts";

/** A right that no role grants in one run. */
export interface TakenRight {
  readonly group: string;
  readonly resource: string;
  readonly verb: PolicyRule["verbs"][number];
}

/** The rights of all roles, each once: several roles may grant the same, such as the creation of events. */
export function rightsIn(manifests: readonly RbacManifest[]): readonly TakenRight[] {
  const rights = manifests.flatMap(({ rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) => resources.flatMap((resource) => verbs.map((verb) => ({ group, resource, verb })))),
    ),
  );
  return [...new Map(rights.map((right) => [textOf(right), right])).values()];
}

export function withoutRight(manifests: readonly RbacManifest[], { group, resource, verb }: TakenRight): readonly RbacManifest[] {
  const reduced = (rule: PolicyRule): readonly PolicyRule[] => {
    if (!rule.apiGroups.includes(group) || !rule.resources.includes(resource)) return [rule];
    const others = rule.resources.filter((each) => each !== resource);
    const verbs = rule.verbs.filter((each) => each !== verb);
    return [
      ...(others.length === 0 ? [] : [{ ...rule, resources: others }]),
      ...(verbs.length === 0 ? [] : [{ ...rule, resources: [resource], verbs }]),
    ];
  };
  return manifests.map((manifest) => (manifest.rules === undefined ? manifest : { ...manifest, rules: manifest.rules.flatMap(reduced) }));
}

export function textOf({ verb, resource, group }: TakenRight): string {
  return `${verb} ${resource}${group === "" ? "" : `.${group}`}`;
}

/** Whether the request may have been refused for want of this right. */
export function isWantOf({ group, resource, verb }: TakenRight, request: RecordedRequest): boolean {
  const isWrite = ["create", "apply", "patch", "update"].includes(request.verb);
  // The right to the finalizers of an owner is asked for when an object is given a reference to it.
  if (resource.endsWith("/finalizers")) return isWrite;
  const asked = request.subresource === undefined ? request.resource : `${request.resource}/${request.subresource}`;
  if (asked !== resource || request.group !== group) return false;
  // An apply is a patch, which is a create where there is nothing yet.
  return request.verb === verb || (request.verb === "apply" && (verb === "patch" || verb === "create"));
}
