/** The rights that a set asks for. */
import { ConfigMap, Namespace, Role, RoleBinding, Secret } from "@treadle/apimachinery/kinds";
import { rbacRules } from "@treadle/controller";
import { expect, test } from "vitest";
import { type Options, platforms } from "./platforms.ts";

const KEPT = "create,delete,list,patch,watch";

test.for([
  { name: "of watched kinds", given: { kinds: [ConfigMap] }, want: [`${KEPT} configmaps`] },
  {
    name: "of a kind that is not watched",
    given: { kinds: [ConfigMap, { kind: Secret, watched: false }] },
    want: [`${KEPT} configmaps`, "create,delete,get,list,patch secrets"],
  },
  {
    name: "that replaces objects",
    given: { kinds: [ConfigMap], replaces: true },
    want: ["create,delete,list,patch,update,watch configmaps"],
  },
  {
    name: "whose operator replaces objects by default",
    given: { kinds: [ConfigMap], defaults: { update: "replace" } },
    want: ["create,delete,list,patch,update,watch configmaps"],
  },
  { name: "with namespaces", given: { kinds: [Namespace] }, want: [`${KEPT} namespaces`] },
  {
    name: "with roles and bindings",
    given: { kinds: [Role, RoleBinding] },
    want: ["bind,create,delete,list,patch,watch rolebindings", "create,delete,escalate,list,patch,watch roles"],
  },
  {
    name: "with roles whose rights it names",
    given: { kinds: [Role, RoleBinding], grants: [{ kind: ConfigMap, verbs: ["get"] }] },
    want: [`${KEPT} rolebindings`, `${KEPT} roles`, "get configmaps"],
  },
  {
    name: "with further permissions",
    given: { kinds: [ConfigMap], permissions: [{ kind: Secret, verbs: ["list"] }] },
    want: [`${KEPT} configmaps`, "list secrets"],
  },
] satisfies readonly { name: string; given: Partial<Options>; want: readonly string[] }[])(
  "a set $name asks for what it does",
  ({ given, want }) => {
    const verbsOf = new Map<string, Set<string>>();
    for (const { resources, verbs } of rbacRules(platforms(given)).cluster)
      for (const resource of resources) verbsOf.set(resource, new Set([...(verbsOf.get(resource) ?? []), ...verbs]));
    const rules = [...verbsOf].map(([resource, verbs]) => `${[...verbs].toSorted().join(",")} ${resource}`);
    expect(rules.filter((rule) => /(configmaps|secrets|namespaces|roles|rolebindings)$/.test(rule)).toSorted()).toEqual(
      [...want].toSorted(),
    );
  },
);

test("a set of any kinds asks for all rights", () => {
  const { cluster } = rbacRules(platforms({ kinds: "any" }));
  expect(cluster).toContainEqual(expect.objectContaining({ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }));
});
