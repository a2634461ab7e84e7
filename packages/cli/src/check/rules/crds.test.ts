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
    where: " v1 spec.names",
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
  // The server adds up the costs of rules, so it refuses a second place.
  expect(found(bad)[0]).toEqual(`${id} shops.example.dev${where}`);
  expect(new Set(found(bad).map((each) => each.split(" ")[0]))).toEqual(new Set([id]));
  expect(found(corrected)).toEqual([]);
});

const refused = (rule: string): readonly object[] => {
  const names = z.array(z.string()).describe("Names.");
  return CRD_RULES[0]?.find(crd(z.object({ names: names.meta({ "x-kubernetes-validations": [{ rule }] }) }))) ?? [];
};

test("a CEL rule that costs too much has the path of its field, and the sum is one finding", () => {
  expect(refused("self.all(a, self.exists_one(b, a == b))")).toEqual([
    {
      where: "shops.example.dev v1 spec.names",
      message: expect.stringMatching(/^estimated rule cost exceeds budget by factor of more than 100x/),
    },
    { where: "shops.example.dev v1", message: expect.stringMatching(/^x-kubernetes-validations estimated rule cost total/) },
  ]);
});

test("a CEL rule that does not compile has the error of the compiler", () => {
  expect(refused("self.all(a, b)")).toEqual([
    { where: "shops.example.dev v1 spec.names", message: expect.stringMatching(/^compilation failed: .*undeclared reference to 'b'/s) },
  ]);
});
