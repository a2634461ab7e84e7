/**
 * What an owner of a capability shows, in virtual time.
 *
 * @module-tag memory
 */
import { expect, test } from "vitest";
import { PluginError } from "../src/plugin-error.ts";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { Capability, capability, map, setStage } from "./stage.ts";

const READY = { PluginReady: "True Ready", DependentsReady: "True Ready", Ready: "True Ready" };

/** A plugin with two ConfigMaps. */
function postgres(): FakePlugin {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("address")] });
  return pg;
}

test("an owner without a plugin is not Ready, names the pair, and is Ready when a plugin appears", async () => {
  const pg = postgres();
  const source = new FakeSource();
  await using stage = await setStage([source], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    status: "False",
    reason: "NoPlugin",
    message: "no plugin offers Database/PostgreSQL; there are no plugins",
  });
  const { length } = stage.operator.passes;
  await cluster.settled({ horizonMs: 3_600_000 });
  expect(stage.operator.passes).toHaveLength(length);
  source.offer(pg.origin());
  await cluster.settled();
  expect(await stage.shown("a")).toEqual(READY);
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg"]);
});

test("an owner without a plugin names the plugins that do not work and what others offer, as that is now", async () => {
  const [pg, other] = [postgres(), new FakePlugin("other", { types: [{ name: "redis", versions: [], parameterSchema: undefined }] })];
  pg.refuses = new PluginError("NotStarted", "it has no memory");
  const source = new FakeSource(pg.origin());
  await using stage = await setStage([source], [capability("a")]);
  await stage.cluster.settled();
  const message = async () => (await stage.condition("a", "PluginReady"))?.message;
  expect(await message()).toBe("no plugin offers Database/PostgreSQL; not ready, see the log of the operator: pg (Away)");
  source.offer(other.origin());
  await stage.pass(60_000);
  expect(await message()).toBe(
    "no plugin offers Database/PostgreSQL; there are: database/redis; not ready, see the log of the operator: pg (CrashLoop)",
  );
  source.withdraw("pg");
  await stage.pass(100);
  expect(await message()).toBe("no plugin offers Database/PostgreSQL; there are: database/redis");
});

test("a plugin gets the owner, the parameters and the live objects, once in a settled state", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a", { version: "16", parameters: { size: 1 } })]);
  await stage.cluster.settled();
  const last = pg.plans.at(-1);
  expect(last).toMatchObject({ type: "postgresql", version: "16", parameters: { size: 1 } });
  expect(last?.owner).toMatchObject({ apiVersion: "test.treadle.dev/v1", kind: "Capability", metadata: { name: "a" } });
  expect(last?.live.map(({ id, object: { apiVersion, kind, metadata } }) => [id, apiVersion, kind, metadata.name])).toEqual([
    ["server", "v1", "ConfigMap", "a-server"],
    ["address", "v1", "ConfigMap", "a-address"],
  ]);
  for (const { object } of last?.live ?? []) expect(object.metadata).not.toHaveProperty("managedFields");
  const { length } = pg.plans;
  await stage.cluster.client.patch(Capability, { name: "a", namespace: "default" }, { type: "merge", body: { metadata: { labels: {} } } });
  await stage.cluster.settled({ horizonMs: 3_600_000 });
  expect(pg.plans).toHaveLength(length);
});

test("while a plugin is away its owner is not Ready and nothing is removed, and it is Ready again without another plan", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  const { length } = pg.plans;
  pg.refuses = new PluginError("NotStarted", "it has no memory");
  pg.kill();
  await stage.pass(5_000);
  expect(await stage.shown("a")).toMatchObject({ PluginReady: "False PluginUnavailable", DependentsReady: "False PluginUnavailable" });
  expect((await stage.condition("a", "Ready"))?.status).not.toBe("True");
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Away False pg"]);
  pg.refuses = undefined;
  await stage.pass(10_000);
  expect(await stage.shown("a")).toEqual(READY);
  expect(pg.plans).toHaveLength(length);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg"]);
});

test("an owner gets the objects of a changed plugin as soon as the new program is ready", async () => {
  const [pg, next] = [postgres(), postgres()];
  const source = new FakeSource(pg.origin());
  await using stage = await setStage([source], [capability("a")]);
  await stage.cluster.settled();
  next.plan = () => ({ type: "dependents", dependents: [map("server")] });
  source.offer(next.origin({ revision: "2" }));
  await stage.pass(100);
  expect(await stage.maps()).toEqual(["a-server"]);
  expect(await stage.shown("a")).toEqual(READY);
});

test("a changed owner whose plugin is away keeps its objects, and follows when the plugin is back", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  pg.refuses = new PluginError("NotStarted", "it has no memory");
  pg.kill();
  await cluster.client.patch(
    Capability,
    { name: "a", namespace: "default" },
    { type: "merge", body: { spec: { parameters: { size: 2 } } } },
  );
  await stage.pass(3_000);
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
  pg.refuses = undefined;
  pg.plan = () => ({ type: "dependents", dependents: [map("server")] });
  await stage.pass(60_000);
  expect(await stage.maps()).toEqual(["a-server"]);
  expect(await stage.shown("a")).toEqual(READY);
});

test("a plugin that ends in a call leaves everything as it is, and is asked again when it is back", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())]);
  const { cluster } = stage;
  const { plan } = pg;
  pg.plan = () => {
    pg.plan = plan;
    pg.kill();
    throw new PluginError("Away", "the connection was lost");
  };
  await cluster.create(Capability, capability("a") as never);
  await cluster.settled({ horizonMs: 0 });
  expect(await stage.shown("a")).toMatchObject({ PluginReady: "False PluginUnavailable" });
  await stage.pass(2_000);
  expect(await stage.shown("a")).toEqual(READY);
});

const INVALID = { status: "False", reason: "Invalid" };
const schema = { type: "object", properties: { storageGb: { type: "integer", default: 1 } }, additionalProperties: false };

test.for([
  {
    name: "no type",
    spec: { type: "" },
    message: "spec.type: is missing: set it, such as to a value that kubectl get capabilityinfos shows",
  },
  {
    name: "parameters that the schema refuses",
    spec: { parameters: { storageGb: "big", more: 1 } },
    message: 'spec.parameters.storageGb: Invalid input: expected number, received string; spec.parameters: Unrecognized key: "more"',
  },
  { name: "problems of the plugin", spec: { parameters: { storageGb: 7 } }, message: "spec.parameters.storageGb: 7 is unlucky" },
])("an owner with $name is Invalid until it changes", async ({ spec, message }) => {
  const pg = new FakePlugin("pg", { types: [{ name: "postgresql", versions: [], parameterSchema: schema }] });
  pg.plan = ({ parameters }) =>
    "storageGb" in parameters && parameters.storageGb === 7
      ? { type: "problems", problems: [{ path: "spec.parameters.storageGb", message: "7 is unlucky" }] }
      : { type: "dependents", dependents: [map("server")] };
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a", spec)]);
  const { cluster } = stage;
  await cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({ ...INVALID, message });
  const { length } = pg.plans;
  await cluster.settled({ horizonMs: 3_600_000 });
  expect(pg.plans).toHaveLength(length);
  // A pass without a change reports the same.
  await cluster.client.patch(
    Capability,
    { name: "a", namespace: "default" },
    { type: "merge", body: { metadata: { labels: { a: "b" } } } },
  );
  await cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({ ...INVALID, message });
  await cluster.client.patch(
    Capability,
    { name: "a", namespace: "default" },
    { type: "merge", body: { spec: { type: "postgresql", parameters: null } } },
  );
  await cluster.settled();
  expect(pg.plans.at(-1)?.parameters).toEqual({ storageGb: 1 });
  expect(await stage.shown("a")).toEqual(READY);
});

test("a version that the plugin does not offer is NoPlugin with the versions", async () => {
  await using stage = await setStage([new FakeSource(postgres().origin())], [capability("a", { version: "9" })]);
  await stage.cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    status: "False",
    reason: "NoPlugin",
    message: 'plugin "pg" does not offer version 9 of Database/PostgreSQL; there are: 16, 17',
  });
});

test.for([
  {
    name: "a kind that is not granted",
    object: { kind: "Service" },
    problem: 'is a Service of v1, which is not granted: add the kind to kinds["pg"] of pluginHost()',
  },
  {
    name: "another namespace",
    object: { metadata: { namespace: "kube-system" } },
    problem: 'is in namespace "kube-system": leave it out, objects are in the namespace of their owner',
  },
  {
    name: "an invalid name",
    object: { metadata: { name: "A b" } },
    problem: 'has the name "A b", which is not valid: write a name such as "db-server"',
  },
  {
    name: "an owner reference",
    object: { metadata: { ownerReferences: [] } },
    problem: "sets metadata.ownerReferences: only name, namespace, labels and annotations may be set",
  },
  {
    name: "an annotation with a policy",
    object: { metadata: { annotations: { "treadle.dev/adoption-policy": "always" } } },
    problem: "has the annotation treadle.dev/adoption-policy, which only the operator sets: use the config of the object",
  },
])("an answer with $name is refused, and nothing of it is applied", async ({ object, problem }) => {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("other", object)] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    status: "False",
    reason: "PluginUnavailable",
    message: `the answer of plugin "pg" is refused, and nothing is applied: object "other" ${problem}`,
  });
  expect(await stage.maps()).toEqual([]);
});

test("of two plugins for a pair the one with the higher priority serves, and the other one when the first is gone", async () => {
  const pg = postgres();
  const other = new FakePlugin("other", { types: [{ name: "POSTGRESQL", versions: [], parameterSchema: undefined }] });
  other.plan = () => ({ type: "dependents", dependents: [map("theirs")] });
  const source = new FakeSource(pg.origin({ priority: 1 }), other.origin());
  await using stage = await setStage([source], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg, other (Shadowed)"]);
  // Away is not gone: other objects would replace those of the first.
  pg.refuses = new PluginError("NotStarted", "it has no memory");
  pg.kill();
  await stage.pass(60_000);
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: CrashLoop False pg, other (Shadowed)"]);
  source.withdraw("pg");
  await cluster.settled();
  expect(await stage.maps()).toEqual(["a-theirs"]);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True other"]);
  source.withdraw("other");
  await cluster.settled();
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual([]);
  expect(await stage.maps()).toEqual(["a-theirs"]);
  expect(await stage.shown("a")).toMatchObject({ PluginReady: "False NoPlugin" });
});

test("an owner is deleted without its plugin", async () => {
  const pg = postgres();
  const source = new FakeSource(pg.origin());
  await using stage = await setStage([source], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  source.withdraw("pg");
  await cluster.client.delete(Capability, { name: "a", namespace: "default" });
  await cluster.settled();
  expect(await cluster.client.get(Capability, { name: "a", namespace: "default" })).toBeUndefined();
  expect(await stage.maps()).toEqual([]);
});

test("a restart of the operator does not change a Ready owner, and removes CapabilityInfos without a plugin", async () => {
  const pg = postgres();
  const other = new FakePlugin("other", { category: "queue" });
  await using stage = await setStage([new FakeSource(pg.origin(), other.origin())], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  await stage.pass(1_000);
  expect(await stage.infos()).toHaveLength(2);
  const before = await cluster.client.get(Capability, { name: "a", namespace: "default" });
  await stage.operator.stop();
  expect([pg.open.size, other.open.size]).toEqual([0, 0]);
  await stage.start(new FakeSource(pg.origin()));
  await cluster.settled();
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg"]);
  const after = await cluster.client.get(Capability, { name: "a", namespace: "default" });
  expect(after?.status).toEqual(before?.status);
  expect(await stage.maps()).toEqual(["a-address", "a-server"]);
});

test("a plan that fails is retried after the time that the plugin names, or never", async () => {
  const pg = postgres();
  const { plan } = pg;
  pg.plan = () => ({ type: "error", error: { code: "Busy", message: "try later", retryAfterMs: 30_000, terminal: false } });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    reason: "PluginUnavailable",
    message: 'plugin "pg" failed: Busy: try later',
  });
  expect(pg.plans).toHaveLength(1);
  pg.plan = () => ({ type: "error", error: { code: "Unsupported", message: "no such size", retryAfterMs: undefined, terminal: true } });
  await cluster.settled({ horizonMs: 3_600_000 });
  expect(await stage.condition("a", "PluginReady")).toMatchObject({ reason: "Unsupported", message: 'plugin "pg" failed: no such size' });
  expect(pg.plans).toHaveLength(2);
  pg.plan = plan;
  await cluster.client.patch(Capability, { name: "a", namespace: "default" }, { type: "merge", body: { spec: { parameters: {} } } });
  await cluster.settled();
  expect(await stage.shown("a")).toEqual(READY);
});

test("a plugin without an entry in kinds may give nothing, also if its name is that of a property of objects", async () => {
  const pg = new FakePlugin("constructor");
  pg.plan = () => ({ type: "dependents", dependents: [map("server")] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.cluster.settled();
  expect((await stage.condition("a", "PluginReady"))?.message).toContain('add the kind to kinds["constructor"]');
  expect(await stage.maps()).toEqual([]);
});
