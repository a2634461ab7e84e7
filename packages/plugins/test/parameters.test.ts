/**
 * Parameters of owners and the schemas of plugins.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { z } from "zod";
import { capability as authored, planOf } from "../src/author/index.ts";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { capability, setStage } from "./stage.ts";

test("a pattern that takes too long for a parameter ends the pass of its owner with Invalid, and blocks no other owner", async () => {
  const schema = { type: "object", properties: { name: { type: "string", pattern: "^(a+)+$" } } };
  const pg = new FakePlugin("pg", { types: [{ name: "postgresql", versions: [], parameterSchema: schema }] });
  const slow = capability("slow", { parameters: { name: `${"a".repeat(60)}!` } });
  await using stage = await setStage([new FakeSource(pg.origin())], [slow, capability("good", { parameters: { name: "aaa" } })]);
  await stage.cluster.settled();
  expect(await stage.condition("slow", "PluginReady")).toMatchObject({
    reason: "Invalid",
    message: "spec.parameters: takes too long for the patterns in the schema of the plugin",
  });
  expect((await stage.shown("good"))["Ready"]).toBe("True Ready");
  expect(pg.plans.map(({ owner }) => owner.metadata.name)).toEqual(["good"]);
});

test("a wrong element of a list in the parameters has the path that planOf() reports", async () => {
  const hosts = z.object({ hosts: z.array(z.string()) });
  const pg = new FakePlugin("pg", { types: [{ name: "postgresql", versions: [], parameterSchema: z.toJSONSchema(hosts) }] });
  const parameters = { hosts: ["a", 1] };
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a", { parameters })]);
  await stage.cluster.settled();
  const message = "spec.parameters.hosts[1]: Invalid input: expected string, received number";
  expect(await stage.condition("a", "PluginReady")).toMatchObject({ reason: "Invalid", message });
  const declared = authored({
    name: "pg",
    category: "database",
    types: [{ name: "postgresql", parameters: hosts }],
    kinds: [],
    plan: () => [],
  });
  expect(() => planOf(declared, { spec: { parameters } })).toThrow(message);
});

/** Each definition is the next one twice. */
const twice = Object.fromEntries(
  Array.from({ length: 40 }, (_, nth) => [`d${nth}`, { allOf: [{ $ref: `#/$defs/d${nth + 1}` }, { $ref: `#/$defs/d${nth + 1}` }] }]),
);

test.for([
  { name: "refers to itself without end", schema: { $ref: "#" }, message: "cannot be read" },
  { name: "grows without end", schema: { $ref: "#/$defs/d0", $defs: { ...twice, d40: { type: "object" } } }, message: "takes too long" },
])("a plugin whose schema $name is refused with a message, and its owner waits", async ({ schema, message }) => {
  const pg = new FakePlugin("pg", { types: [{ name: "postgresql", versions: [], parameterSchema: schema }] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.pass(2_000);
  const logs = stage.operator.logs.map((line) => JSON.stringify(line)).join("\n");
  expect(logs).toContain('the parameter schema of its type \\"postgresql\\"');
  expect(logs).toContain(message);
  expect((await stage.condition("a", "PluginReady"))?.reason).toBe("NoPlugin");
});
