/** The rights that a dependent asks for. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Namespace } from "@treadle/apimachinery/kinds";
import { rbacRules } from "@treadle/controller";
import { handler } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply } from "../src/index.ts";

const Widget = defineResource({ group: "example.dev", version: "v1", kind: "Widget", scope: "Namespaced", spec: z.object({}) });

const page = { name: "page", kind: ConfigMap, checkedForReadiness: false, desired: { data: {} } } as const;
const ALL = "create,delete,list,patch,watch configmaps of core";
const FINALIZERS = "update widgets/finalizers of example.dev";
test.for([
  { name: "by default", given: page, want: [ALL, FINALIZERS] },
  { name: "marked by a label", given: { ...page, ownership: "label" }, want: [ALL] },
  { name: "unwatched", given: { ...page, watched: false }, want: ["create,delete,get,list,patch configmaps of core", FINALIZERS] },
  {
    name: "of a kind that cannot refer",
    given: { ...page, kind: Namespace, watched: false },
    want: ["create,delete,get,list,patch namespaces of core"],
  },
  { name: "not owned", given: { ...page, owned: false }, want: ["create,list,patch,watch configmaps of core"] },
  { name: "created by another writer", given: { ...page, created: false }, want: ["list,patch,watch configmaps of core"] },
  {
    name: "created by another writer, but ours",
    given: { ...page, created: false, owned: true, adopt: "ifUnowned" },
    want: ["delete,list,patch,watch configmaps of core", FINALIZERS],
  },
  { name: "only looked at", given: { ...page, created: false, desired: undefined }, want: ["list,watch configmaps of core"] },
  {
    name: "with a custom merge",
    given: { ...page, update: () => undefined },
    want: ["create,delete,list,update,watch configmaps of core", FINALIZERS],
  },
  { name: "never updated", given: { ...page, updated: false }, want: [ALL, FINALIZERS] },
] as const)("a dependent $name asks for what it does", ({ given, want }) => {
  const { desired, ...options } = given;
  const wanted: readonly string[] = want;
  const built = dependentApply(Widget, desired === undefined ? { ...options, created: false } : { ...options, desired });
  const { cluster } = rbacRules(handler(Widget).step(built).build());
  const rules = cluster.map(
    ({ apiGroups, resources, verbs }) => `${verbs.toSorted().join(",")} ${resources.join(",")} of ${apiGroups.join(",") || "core"}`,
  );
  expect(rules.filter((rule) => /configmaps|namespaces|finalizers/.test(rule)).toSorted()).toEqual(wanted.toSorted());
});
