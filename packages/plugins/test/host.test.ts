/**
 * Stories about the host: its start and stop, its sources, its CapabilityInfos and its rights.
 *
 * @module-tag memory
 */
import { setImmediate } from "node:timers/promises";
import { defineResource, type Kind, kind, systemClock, systemRandom } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { checkRights, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { CapabilityInfo, pluginHost } from "../src/index.ts";
import type { PluginSource } from "../src/connection.ts";
import { PluginError } from "../src/plugin-error.ts";
import type { PlanAnswer } from "../src/wire/messages.ts";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { Capability, capability, map, setStage } from "./stage.ts";

const READY = { PluginReady: "True Ready", DependentsReady: "True Ready", Ready: "True Ready" };

function postgres(): FakePlugin {
  const pg = new FakePlugin("pg");
  pg.plan = () => ({ type: "dependents", dependents: [map("server")] });
  return pg;
}

/** What a host gets of a manager, and what it logs. */
function fakeEnv(logs: string[]) {
  const line = (_: object, text: string): void => void logs.push(text);
  const log = { debug: line, info: line, warn: line, error: line };
  // A host without plugins uses nothing else.
  return { clock: systemClock, random: systemRandom, log, client: {}, metrics: async () => undefined } as never;
}

test("the releases in TREADLE_PLUGINS are read at the start, and a wrong entry is reported", async () => {
  const plugins = pluginHost({ from: [], kinds: {} });
  const logs: string[] = [];
  const before = process.env["TREADLE_PLUGINS"];
  process.env["TREADLE_PLUGINS"] = `nonsense,acme/pg@v1.0.0#plan9-mips=${"0".repeat(64)}`;
  try {
    await plugins.start(new AbortController().signal, fakeEnv(logs));
    await plugins.source.start(new AbortController().signal, { clock: systemClock } as never);
  } finally {
    if (before === undefined) delete process.env["TREADLE_PLUGINS"];
    else process.env["TREADLE_PLUGINS"] = before;
    await plugins.stop?.();
  }
  expect(logs).toEqual([
    expect.stringContaining('"nonsense"'),
    expect.stringContaining("release acme/pg@v1.0.0 is not used: it has no checksum for"),
  ]);
});

test("the options of the releases in TREADLE_PLUGINS are checked when the operator is made", () => {
  expect(() => pluginHost({ from: [], kinds: {}, releases: { base: "http://mirror" } })).toThrow(/must be an https URL/);
});

test("a host that was stopped starts its plugins again", async () => {
  const pg = postgres();
  const plugins = pluginHost({ from: [new FakeSource(pg.origin())], kinds: {} });
  for (const starts of [1, 2]) {
    await plugins.start(new AbortController().signal, fakeEnv([]));
    await plugins.source.start(new AbortController().signal, { clock: systemClock } as never);
    expect([pg.starts, pg.open.size]).toEqual([starts, 1]);
    await plugins.stop?.();
    expect(pg.open.size).toBe(0);
  }
});

test("a look for plugins that a stop has ended is not taken for the look of the next start", async () => {
  const looks: PromiseWithResolvers<void>[] = [];
  const slow: PluginSource = {
    title: "slow",
    start: () => {
      const look = Promise.withResolvers<void>();
      looks.push(look);
      return look.promise;
    },
  };
  const plugins = pluginHost({ from: [slow], kinds: {} });
  await plugins.start(new AbortController().signal, fakeEnv([]));
  await plugins.stop?.();
  await plugins.start(new AbortController().signal, fakeEnv([]));
  let hasLooked = false;
  const looked = Promise.resolve(plugins.source.start(new AbortController().signal, { clock: systemClock } as never));
  void looked.then(() => (hasLooked = true));
  looks[0]?.resolve();
  await setImmediate();
  expect(hasLooked).toBe(false);
  looks[1]?.resolve();
  await looked;
  await plugins.stop?.();
});

test("an owner keeps its conditions while the host has not started, and gets a pass when it starts", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  const { cluster } = stage;
  await cluster.settled();
  const before = (await cluster.client.get(Capability, { name: "a", namespace: "default" }))?.status;
  await stage.operator.stop();
  const plugins = pluginHost({ from: [new FakeSource(pg.origin())], kinds: { pg: [ConfigMap] } });
  const capabilities = handler(Capability).step(conditions()).step(plugins.step(Capability)).build();
  await cluster.create(Capability, capability("b") as never);
  const env: { current: Parameters<typeof plugins.start>[1] | undefined } = { current: undefined };
  const late = { ...plugins, start: (_: AbortSignal, given: typeof env.current) => void (env.current = given) };
  await cluster.start(capabilities, { runnables: [late as never] });
  await cluster.settled({ horizonMs: 0 });
  expect((await cluster.client.get(Capability, { name: "a", namespace: "default" }))?.status).toEqual(before);
  expect(await stage.condition("b", "PluginReady")).toMatchObject({ status: "Unknown", reason: "Starting" });
  if (env.current === undefined) throw new Error("the operator has not started its runnables");
  await plugins.start(new AbortController().signal, env.current);
  await cluster.settled();
  expect([await stage.shown("a"), await stage.shown("b")]).toEqual([READY, READY]);
});

test("an operator without the CRD of CapabilityInfo serves, and writes them at most a minute after it is installed", async () => {
  await using stage = await setStage([new FakeSource(postgres().origin())], [capability("a")], { kinds: [] });
  await stage.cluster.settled();
  await stage.pass(2_000);
  expect(await stage.shown("a")).toEqual(READY);
  await stage.cluster.install(CapabilityInfo);
  await stage.pass(60_000);
  await stage.cluster.settled({ horizonMs: 0 });
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg"]);
});

test("two hosts with one pair do not change each other's CapabilityInfo, and the second one writes its others", async () => {
  await using stage = await setStage([new FakeSource(postgres().origin())], [], { options: { name: "first" } });
  await stage.pass(1_000);
  const other = new FakePlugin("other");
  const queue = new FakePlugin("rabbit", { category: "zoo" });
  const second = pluginHost({ name: "second", from: [new FakeSource(other.origin(), queue.origin())], kinds: {} });
  await stage.cluster.start([], { runnables: [second] });
  await stage.pass(1_000);
  await stage.pass(60_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg", "zoo-postgresql: Ready True rabbit"]);
});

test("the CapabilityInfo of a plugin that does not start after a restart shows why, and is as before when it does", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.pass(1_000);
  await stage.operator.stop();
  pg.refuses = new PluginError("NotStarted", "it has no memory");
  await stage.start(new FakeSource(pg.origin()));
  await stage.pass(2_000);
  await stage.pass(1_000);
  const info = await stage.cluster.client.get(CapabilityInfo, { name: "database-postgresql" });
  expect(info?.status).toMatchObject({ state: "Away", plugin: "pg", pluginVersion: "1.2.3" });
  expect(info?.status?.conditions).toMatchObject([{ type: "Ready", status: "False", reason: "Away", message: "it has no memory" }]);
  pg.refuses = undefined;
  await stage.pass(60_000);
  await stage.pass(1_000);
  expect(await stage.infos()).toEqual(["database-postgresql: Ready True pg"]);
});

test("an answer with a cluster-scoped object is refused with kinds any, and nothing of it is applied", async () => {
  const pg = new FakePlugin("pg");
  const role = { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", data: undefined };
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("role", role)] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")], { options: { kinds: { pg: "any" } } });
  await stage.cluster.settled();
  expect(await stage.condition("a", "PluginReady")).toMatchObject({
    reason: "PluginUnavailable",
    message: expect.stringContaining('object "role" is a ClusterRole, which is cluster-scoped: no plugin may give such objects') as string,
  });
  expect(await stage.maps()).toEqual([]);
  pg.plan = () => ({ type: "dependents", dependents: [map("server")] });
  await stage.pass(300_000);
  expect([await stage.shown("a"), await stage.maps()]).toEqual([READY, ["a-server"]]);
});

const Widget = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  scope: "Namespaced",
  spec: z.object({ size: z.int32() }),
});

test.for([
  { grant: "kind()", granted: [kind<{ spec: object }>({ group: "test.treadle.dev", version: "v1", kind: "Widget" })] },
  { grant: '"any"', granted: "any" as const },
])("a plugin brings a kind that the operator does not know by $grant, and its objects are watched", async ({ granted }) => {
  const pg = new FakePlugin("pg");
  const widget = { apiVersion: "test.treadle.dev/v1", kind: "Widget", data: undefined, spec: { size: 1 } };
  pg.plan = () => ({ type: "dependents", dependents: [map("widget", widget)] });
  const options = { options: { kinds: { pg: granted } }, kinds: [CapabilityInfo, Widget] };
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")], options);
  const { cluster } = stage;
  const key = { name: "a-widget", namespace: "default" };
  await cluster.settled();
  expect(await stage.shown("a")).toEqual(READY);
  expect((await cluster.client.get(Widget, key))?.spec).toEqual({ size: 1 });
  await cluster.client.patch(Widget, key, { type: "merge", body: { spec: { size: 2 } } });
  await cluster.settled();
  expect((await cluster.client.get(Widget, key))?.spec).toEqual({ size: 1 });
  await cluster.client.delete(Widget, key);
  await cluster.settled();
  expect((await cluster.client.get(Widget, key))?.spec).toEqual({ size: 1 });
});

const VALUE = "hunter2hunter2";
const cutAt = (length: number): string => "x".repeat(length - 5) + VALUE;

test.for<{ readonly text: string; readonly answer: PlanAnswer | PluginError }>([
  { text: "the path of a problem", answer: { type: "problems", problems: [{ path: VALUE, message: "bad" }] } },
  { text: "the cut path of a problem", answer: { type: "problems", problems: [{ path: cutAt(300), message: "bad" }] } },
  { text: "the message of a problem", answer: { type: "problems", problems: [{ path: "spec", message: VALUE }] } },
  {
    text: "the cut message of an error",
    answer: { type: "error", error: { code: "Broken", message: cutAt(1_000), terminal: false, retryAfterMs: undefined } },
  },
  { text: "the name of an object", answer: { type: "dependents", dependents: [map("b", { metadata: { name: `A ${VALUE}` } })] } },
  { text: "the cut name of an object", answer: { type: "dependents", dependents: [map("b", { metadata: { name: cutAt(299) } })] } },
  { text: "the id of an object", answer: { type: "dependents", dependents: [map(VALUE, { kind: "Pod" })] } },
  { text: "a field of the metadata", answer: { type: "dependents", dependents: [map("b", { metadata: { [cutAt(100)]: "" } })] } },
  {
    text: "the message of a state",
    answer: { type: "dependents", dependents: [{ ...map("b"), state: { type: "Failed", reason: "Broken", message: VALUE } }] },
  },
  // A stack of vitest has chunks.
  { text: "the cut message of a failed call", answer: Object.assign(new PluginError("PlanFailed", cutAt(1_024)), { stack: "" }) },
])("a value of a live Secret in $text is in no condition and no log line", async ({ answer }) => {
  const pg = new FakePlugin("pg");
  const secret = map("credentials", { kind: "Secret", data: { password: Buffer.from(VALUE).toString("base64") } });
  let isEcho = false;
  pg.plan = ({ live }) => {
    isEcho ||= live.length > 0;
    if (!isEcho) return { type: "dependents", dependents: [secret] };
    if (answer instanceof PluginError) throw answer;
    if (answer.type !== "dependents") return answer;
    return { type: "dependents", dependents: [secret, ...answer.dependents] };
  };
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")]);
  await stage.cluster.settled();
  await stage.pass(2_000);
  const owner = await stage.cluster.client.get(Capability, { name: "a", namespace: "default" });
  expect([isEcho, owner?.status?.conditions?.find(({ type }) => type === "Ready")?.status]).toEqual([true, "False"]);
  expect(JSON.stringify([owner?.status, stage.operator.logs])).not.toContain(VALUE.slice(0, 3));
});

test("a plan with a kind that is not granted is asked for again every five minutes, and at once when the plugin changes", async () => {
  const pg = postgres();
  const source = new FakeSource(pg.origin());
  pg.plan = () => ({ type: "dependents", dependents: [map("server", { kind: "Service" })] });
  await using stage = await setStage([source], [capability("a")]);
  await stage.pass(290_000);
  const message = expect.stringContaining("not granted") as string;
  expect(await stage.condition("a", "PluginReady")).toMatchObject({ reason: "PluginUnavailable", message });
  expect(pg.plans).toHaveLength(1);
  await stage.pass(20_000);
  expect(pg.plans).toHaveLength(2);
  pg.plan = () => ({ type: "dependents", dependents: [map("server")] });
  source.offer(pg.origin({ revision: "2" }));
  await stage.pass(1_000);
  expect(await stage.shown("a")).toEqual(READY);
});

test("an answer with the owner itself is refused", async () => {
  const pg = new FakePlugin("pg");
  const owner = { apiVersion: "test.treadle.dev/v1", kind: "Capability", metadata: { name: "a" }, data: undefined };
  pg.plan = () => ({ type: "dependents", dependents: [map("server"), map("self", owner)] });
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a")], {
    options: { kinds: { pg: [ConfigMap, Capability] } },
  });
  await stage.cluster.settled();
  expect((await stage.condition("a", "PluginReady"))?.message).toContain('object "self" is its owner, Capability a: give it another name');
  expect(await stage.maps()).toEqual([]);
});

test("cluster-scoped owners and grants, and two versions of a kind, are refused when the operator is made", () => {
  const Wide = defineResource({
    group: "test.treadle.dev",
    version: "v1",
    kind: "Wide",
    plural: "wides",
    scope: "Cluster",
    spec: z.object({}),
  });
  expect(() => pluginHost({ from: [], kinds: { pg: [Wide] } })).toThrow('pluginHost: kinds["pg"] lists Wide: objects of plugins are');
  expect(() => pluginHost({ from: [], kinds: {} }).step(Wide)).toThrow("plugins.step: Wide is cluster-scoped");
  const [v1, v2] = ["v1", "v2"].map((version) => kind({ group: "test.treadle.dev", version, kind: "Widget" })) as [Kind, Kind];
  expect(() => pluginHost({ from: [], kinds: { pg: [v1], other: [v2] } }).step(Capability)).toThrow(
    "kinds lists Widget.test.treadle.dev twice: list it in one version",
  );
});

test("each of two owners has its own objects, also after the other one is deleted", async () => {
  const pg = postgres();
  await using stage = await setStage([new FakeSource(pg.origin())], [capability("a"), capability("b")]);
  await stage.cluster.settled();
  expect(await stage.maps()).toEqual(["a-server", "b-server"]);
  expect(
    new Set(pg.plans.flatMap(({ owner, live }) => live.map(({ object }) => `${owner.metadata.name} ${object.metadata.name}`))),
  ).toEqual(new Set(["a a-server", "b b-server"]));
  await stage.cluster.client.delete(Capability, { name: "a", namespace: "default" });
  await stage.cluster.settled();
  expect([await stage.maps(), await stage.shown("b")]).toEqual([["b-server"], READY]);
});

test("each right of a host is needed, and no other one is", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [CapabilityInfo] });
  const sources = new Map<string, FakeSource>();
  // The runs are concurrent, so each has a host and a category.
  const runs = await checkRights(cluster, [], {
    runnables: ([namespace]) => {
      const source = new FakeSource(new FakePlugin("pg", { category: namespace }).origin());
      sources.set(namespace, source);
      return [pluginHost({ name: namespace, from: [source], kinds: {} })];
    },
    async run({ operator, namespaces: [namespace], until }) {
      await operator;
      const info = () => cluster.client.get(CapabilityInfo, { name: `${namespace}-postgresql` });
      await until("the plugin is shown", async () => (await info())?.status?.state === "Ready");
      sources.get(namespace)?.withdraw("pg");
      await until("the plugin is no longer shown", async () => (await info()) === undefined);
    },
    timeoutMs: 5_000,
  });
  expect(runs.map(({ without, failure }) => [without, failure?.split(" for ")[0]])).toEqual([
    [undefined, undefined],
    ...["list", "create", "patch", "delete"].map((verb) => [`${verb} capabilityinfos.plugins.treadle.dev`, "403"]),
    ["patch capabilityinfos/status.plugins.treadle.dev", "403"],
  ]);
});
