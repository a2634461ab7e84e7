/**
 * Random faults of two plugins, of their owners and of the operator, in virtual time. Invariants:
 * 1. While no plugin runs, no owner is Ready after its pass.
 * 2. While no plugin was asked, no object of an existing owner is removed.
 * 3. When all faults are over, each owner is Ready, with exactly the objects of the plan of the plugin that serves.
 *
 * @module-tag memory
 */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { PluginError } from "../src/plugin-error.ts";
import type { PlanAnswer, PlanRequest } from "../src/wire/messages.ts";
import { FakePlugin, FakeSource } from "./fake-plugins.ts";
import { Capability, capability, map, setStage, type Stage } from "./stage.ts";

/** Faults of one run: a new cluster begins after them. */
const PER_RUN = 50;
const RUNS = 20;
const OWNERS = ["a", "b", "c"];

test("owners survive 1,000 random faults", { tags: ["part"], timeout: 600_000 }, async ({ part }) => {
  const seeds = Array.from({ length: RUNS }, (_, index) => index + 1).filter((seed) => part.has(`run ${seed}`, 10));
  for (const seed of seeds.length === 0 ? [1] : seeds) await runOf(seed);
});

/** Numbers from 0 to 1 by the seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
}

const key = (name: string) => ({ name, namespace: "default" });

/** The objects of a plan: as many as `spec.parameters.size`, named by the plugin. */
function planBy(plugin: string): (request: PlanRequest) => PlanAnswer {
  return ({ parameters }) => {
    const { size = 1 } = parameters as { size?: number };
    return { type: "dependents", dependents: Array.from({ length: size }, (_, index) => map(`${plugin}${index}`)) };
  };
}

interface Run {
  readonly stage: Stage;
  readonly random: () => number;
  readonly plugins: readonly FakePlugin[];
  readonly offered: Set<FakePlugin>;
  readonly sizes: Map<string, number>;
  /** Plugins with calls that hang. A call ends after 10 s. */
  readonly hung: Set<FakePlugin>;
  source: FakeSource;
  revision: number;
}

const originOf = (run: Run, plugin: FakePlugin) =>
  plugin.origin({ revision: String(run.revision), priority: plugin === run.plugins[0] ? 1 : 0 });

const boom = new PluginError("NotStarted", "boom");

/** Each does one fault. */
const FAULTS: Readonly<Record<string, (run: Run, plugin: FakePlugin, owner: string) => unknown>> = {
  end: (_, plugin) => plugin.kill(),
  down(_, plugin) {
    plugin.refuses = boom;
    plugin.kill();
  },
  up: (_, plugin) => (plugin.refuses = undefined),
  slow(run, plugin) {
    run.hung.add(plugin);
    plugin.plan = () => new Promise(() => undefined);
  },
  error: (_, plugin) =>
    (plugin.plan = () => ({ type: "error", error: { code: "Busy", message: "later", retryAfterMs: 3_000, terminal: false } })),
  throws: (_, plugin) =>
    (plugin.plan = () => {
      throw new Error("boom");
    }),
  endInCall: (_, plugin) =>
    (plugin.plan = () => {
      plugin.plan = planBy(plugin.name);
      plugin.kill();
      throw new PluginError("Away", "the connection was lost");
    }),
  invalid: (_, plugin) => (plugin.plan = () => ({ type: "dependents", dependents: [map("x", { kind: "Node" })] })),
  good(run, plugin) {
    run.hung.delete(plugin);
    plugin.plan = planBy(plugin.name);
  },
  unhealthy(_, plugin) {
    plugin.check = () => Promise.reject(boom);
  },
  healthy: (_, plugin) => (plugin.check = () => Promise.resolve()),
  revision(run, plugin) {
    run.revision += 1;
    if (run.offered.has(plugin)) run.source.offer(originOf(run, plugin));
  },
  withdraw(run, plugin) {
    run.offered.delete(plugin);
    run.source.withdraw(plugin.name);
  },
  offer(run, plugin) {
    if (run.offered.has(plugin)) return;
    run.offered.add(plugin);
    run.source.offer(originOf(run, plugin));
  },
  async edit(run, _, owner) {
    if (!run.sizes.has(owner)) return;
    const size = 1 + Math.floor(run.random() * 3);
    run.sizes.set(owner, size);
    await run.stage.cluster.client.patch(Capability, key(owner), { type: "merge", body: { spec: { parameters: { size } } } });
  },
  async create(run, _, owner) {
    if (run.sizes.has(owner) || (await run.stage.cluster.get(Capability, owner)) !== undefined) return;
    run.sizes.set(owner, 1);
    await run.stage.cluster.create(Capability, capability(owner) as never);
  },
  async delete(run, _, owner) {
    if (!run.sizes.delete(owner)) return;
    await run.stage.cluster.client.delete(Capability, key(owner));
  },
  async drift(run) {
    const [name] = await run.stage.maps();
    if (name !== undefined) await run.stage.cluster.client.patch(ConfigMap, key(name), { type: "merge", body: { data: { by: "drift" } } });
  },
  async restart(run) {
    await run.stage.operator.stop();
    run.source = new FakeSource(...[...run.offered].map((plugin) => originOf(run, plugin)));
    await run.stage.start(run.source);
  },
};

async function runOf(seed: number): Promise<void> {
  const random = randomOf(seed);
  const plugins = [new FakePlugin("pg"), new FakePlugin("other")];
  for (const plugin of plugins) plugin.plan = planBy(plugin.name);
  const source = new FakeSource();
  await using stage = await setStage(
    [source],
    OWNERS.map((name) => capability(name)),
  );
  const run: Run = {
    stage,
    random,
    plugins,
    offered: new Set(),
    hung: new Set(),
    sizes: new Map(OWNERS.map((name) => [name, 1])),
    source,
    revision: 1,
  };
  const pick = <T>(all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  const names = Object.keys(FAULTS);
  const story: string[] = [];
  for (let nth = 0; nth < PER_RUN; nth++) {
    const [fault, plugin, owner] = [pick(names), pick(plugins), pick(OWNERS)];
    const ms = pick([0, 100, 1_000, 12_000, 70_000]);
    story.push(`${fault} ${plugin.name} ${owner} ${ms}`);
    const told = `seed ${seed}: ${story.join(", ")}`;
    const before = await mapsByOwner(stage);
    const asked = plugins.map(({ plans }) => plans.length);
    await FAULTS[fault]?.(run, plugin, owner);
    await pass(stage, ms + (run.hung.size > 0 ? 12_000 : 0));
    const isAnswered = plugins.some(({ plans }, index) => plans.length > (asked[index] ?? 0));
    const after = await mapsByOwner(stage);
    // An answer may remove objects of the owner that it is about; without any call nothing is removed but what a deleted owner had.
    if (!isAnswered)
      for (const [name, maps] of before) if (run.sizes.has(name)) expect(after.get(name), told).toEqual(expect.arrayContaining([...maps]));
    const isServed = plugins.some((each) => run.offered.has(each) && each.open.size > 0);
    if (!isServed) for (const name of run.sizes.keys()) expect((await stage.condition(name, "Ready"))?.status, told).not.toBe("True");
  }
  await recovered(run, `seed ${seed}: ${story.join(", ")}`);
}

/** Ends all faults, and checks that each owner has what the serving plugin plans. */
async function recovered(run: Run, told: string): Promise<void> {
  const { stage, plugins } = run;
  for (const plugin of plugins) {
    plugin.refuses = undefined;
    plugin.plan = planBy(plugin.name);
    plugin.check = () => Promise.resolve();
    FAULTS["offer"]?.(run, plugin, "");
  }
  for (const owner of OWNERS) await FAULTS["create"]?.(run, plugins[0] as FakePlugin, owner);
  // A crash loop lasts five minutes.
  for (let minute = 0; minute < 12; minute++) await pass(stage, 60_000);
  await stage.cluster.settled();
  const want = [...run.sizes].flatMap(([owner, size]) => Array.from({ length: size }, (_, index) => `${owner}-pg${index}`));
  expect(await stage.maps(), told).toEqual(want.toSorted());
  for (const owner of run.sizes.keys()) expect(await stage.shown(owner), told).toMatchObject({ Ready: "True Ready" });
}

async function mapsByOwner(stage: Stage): Promise<ReadonlyMap<string, readonly string[]>> {
  const maps = await stage.maps();
  return new Map(OWNERS.map((owner) => [owner, maps.filter((name) => name.startsWith(`${owner}-`))]));
}

/** Lets time pass, also while calls hang. */
async function pass({ cluster }: Stage, ms: number): Promise<void> {
  for (let left = ms; left >= 0; left -= 1_000) {
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
    await cluster.advance(Math.max(0, Math.min(left, 1_000)));
    for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve));
  }
}
