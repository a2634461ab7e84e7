/**
 * What a plugin that means harm cannot do, in virtual time.
 *
 * @module-tag memory
 */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { PluginSecrets } from "../src/host/plugin-secrets.ts";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { Capability, capability, map, setStage } from "./stage.ts";

test("a plugin that asks for a retry at once is asked once a second", async () => {
  const plugin = new FakePlugin("pg");
  plugin.plan = () => ({ type: "error", error: { code: "Busy", message: "busy", retryAfterMs: 1, terminal: false } });
  await using stage = await setStage([new FakeSource(plugin.origin())], [capability("a")]);
  await stage.cluster.advance(10_000);
  expect(plugin.plans.length).toBeGreaterThan(5);
  expect(plugin.plans.length).toBeLessThan(15);
});

const EVIL = "bad\u001b]0;title\u0007 \u202egpj.exe\nnext";
const ESCAPED = "bad\\u001b]0;title\\u0007 \\u202egpj.exe next";

test.for([
  { name: "problems", answer: { type: "problems", problems: [{ path: "spec", message: EVIL }] } as const, want: `spec: ${ESCAPED}` },
  {
    name: "an error",
    answer: { type: "error", error: { code: "Busy", message: EVIL, retryAfterMs: undefined, terminal: false } } as const,
    want: `plugin "pg" failed: Busy: ${ESCAPED}`,
  },
])("a condition has no control characters of $name", async ({ answer, want }) => {
  const plugin = new FakePlugin("pg");
  plugin.plan = () => answer;
  await using stage = await setStage([new FakeSource(plugin.origin())], [capability("a")]);
  await stage.pass(1_000);
  expect((await stage.condition("a", "PluginReady"))?.message).toBe(want);
});

test("the status has no control characters of a state", async () => {
  const plugin = new FakePlugin("pg");
  const state = { type: "Failed", reason: "Broken", message: EVIL, attributes: [{ name: "disk", value: EVIL }] };
  plugin.plan = () => ({ type: "dependents", dependents: [{ ...map("a"), state }] });
  await using stage = await setStage([new FakeSource(plugin.origin())], [capability("a")]);
  await stage.pass(1_000);
  const { status = {} } = (await stage.cluster.client.get(Capability, { name: "a", namespace: "default" })) ?? {};
  expect(status).toMatchObject({
    dependents: [{ message: ESCAPED, attributes: expect.arrayContaining([{ name: "disk", value: ESCAPED }]) }],
  });
});

test("the lines of a key are hidden one by one, because a plugin logs them as lines", () => {
  const [first, second] = ["MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "BKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"];
  const key = `-----BEGIN PRIVATE KEY-----\n${first}\n${second}\nmode: on\n`;
  for (const field of [{ stringData: { key } }, { data: { key: Buffer.from(key).toString("base64") } }]) {
    const secrets = new PluginSecrets();
    secrets.note([{ apiVersion: "v1", kind: "Secret", ...field }]);
    expect(secrets.hide(`key ${first}`)).toBe("key <redacted>");
    expect(secrets.hide(second)).toBe("<redacted>");
    expect(secrets.hide("mode: on")).toBe("mode: on");
  }
});

test.for([{}, { updated: false }, { owned: false }, { owned: false, updated: false }])(
  "a plan with %j takes no Secret that exists without an owner, and the plugin is not sent it",
  async (config) => {
    const pg = new FakePlugin("pg");
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "other" }, data: { key: "YQ==" } };
    pg.plan = () => ({ type: "dependents", dependents: [map("own"), map("b", { ...secret, data: { key: "Yg==" } }, config)] });
    await using stage = await setStage([new FakeSource(pg.origin())], [secret, capability("a")]);
    const read = () => stage.cluster.client.get(Secret, { name: "other", namespace: "default" });
    const before = await read();
    await stage.cluster.settled({ horizonMs: 60_000 });
    expect(await read()).toEqual(before);
    expect(pg.plans.flatMap(({ live }) => live).map(({ id }) => id)).not.toContain("b");
    expect(await stage.maps()).toEqual(["a-own"]);
    expect(await stage.condition("a", "DependentsReady")).toMatchObject({ message: expect.stringContaining("Secret other is not ours") });
  },
);

test("a plan takes an object without an owner if the step allows it", async () => {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("b", { metadata: { name: "other" } })] });
  const other = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "other" } };
  await using stage = await setStage([new FakeSource(pg.origin())], [other, capability("a")], { step: { adopt: "ifUnowned" } });
  await stage.cluster.settled();
  expect((await stage.cluster.client.get(ConfigMap, { name: "other", namespace: "default" }))?.data).toEqual({ by: "b" });
  expect((await stage.condition("a", "Ready"))?.status).toBe("True");
});

test("a plan gives no Secret for the token of a ServiceAccount", async () => {
  const pg = new FakePlugin("pg");
  const annotations = { "kubernetes.io/service-account.name": "admin" };
  const token = { kind: "Secret", type: "kubernetes.io/service-account-token", data: undefined, metadata: { annotations } };
  pg.plan = () => ({ type: "dependents", dependents: [map("own"), map("token", token)] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    reason: "PluginUnavailable",
    message: expect.stringContaining('object "token" is a Secret for the token of a ServiceAccount, which no plugin may give') as string,
  });
  expect(await stage.maps()).toEqual([]);
});
