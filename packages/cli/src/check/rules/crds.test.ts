import { crdOf, type CustomResourceDefinition, defineResource } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { z } from "zod";
import { CRD_RULES } from "./crds.ts";

function crd(spec: z.ZodObject, more: object = {}): CustomResourceDefinition {
  return crdOf(
    defineResource({ group: "example.dev", version: "v1", kind: "Shop", scope: "Namespaced", spec, status: z.object({}), ...more }),
  );
}

const named = z.object({ name: z.string().describe("Name.") });
const map = { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] };
const unique = { "x-kubernetes-validations": [{ rule: "self.all(a, self.exists_one(b, a == b))" }] };
const good = crd(z.object({}));

test.for<{ id: string; bad: CustomResourceDefinition; good: CustomResourceDefinition; where: string }>([
  {
    id: "crd-refused",
    bad: crd(z.object({ names: z.array(z.string()).describe("Names.").meta(unique) })),
    good: crd(z.object({ names: z.array(z.string().max(63)).max(50).describe("Names.").meta(unique) })),
    where: "",
  },
  {
    id: "field-without-description",
    bad: crd(z.object({ size: z.int() })),
    good: crd(z.object({ size: z.int().describe("Size.") })),
    where: " v1 spec",
  },
  {
    id: "named-list-is-atomic",
    bad: crd(z.object({ ports: z.array(named).describe("Ports.") })),
    good: crd(z.object({ ports: z.array(named).describe("Ports.").meta(map) })),
    where: " v1 spec.ports",
  },
  {
    id: "number-in-spec",
    bad: crd(z.object({ ratio: z.number().describe("Ratio.") })),
    good: crd(z.object({ ratio: z.int().describe("Percent.") })),
    where: " v1 spec.ratio",
  },
  {
    id: "secret-in-spec",
    bad: crd(z.object({ database: z.object({ adminPassword: z.string().describe("Password.") }).describe("Database.") })),
    good: crd(z.object({ database: z.object({ passwordSecret: z.string().describe("Secret.") }).describe("Database.") })),
    where: " v1 spec.database.adminPassword",
  },
  { id: "short-name-taken", bad: crd(z.object({}), { shortNames: ["svc"] }), good: crd(z.object({}), { shortNames: ["sh"] }), where: "" },
  { id: "no-columns", bad: crd(z.object({}), { defaultColumns: false }), good, where: " v1" },
])("the rule $id finds its place, and accepts the corrected CRD", ({ id, bad, good: corrected, where }) => {
  const found = (given: CustomResourceDefinition): readonly string[] =>
    CRD_RULES.flatMap((rule) => rule.find(given).map((finding) => `${rule.id} ${finding.where}`));
  expect(found(bad)).toEqual([`${id} shops.example.dev${where}`]);
  expect(found(corrected)).toEqual([]);
});

test("a refused CRD has the message of the server", () => {
  const bad = crd(z.object({ names: z.array(z.string()).describe("Names.").meta(unique) }));
  expect(CRD_RULES[0]?.find(bad)[0]?.message).toMatch(/estimated rule cost exceeds budget/i);
});
