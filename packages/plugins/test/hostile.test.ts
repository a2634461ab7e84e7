/**
 * What a plugin that means harm cannot do, in virtual time.
 *
 * @module-tag memory
 */
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
