/** What a set does when its renderer has no answer: nothing. */
import "@treadle/testing/matchers";
import { fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { TerminalError } from "@treadle/reconcile";
import { type FakeWorld, startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { dependentsOf, edited, merged, NoAnswer, type NoAnswerOptions, object, type Renderer } from "../../src/index.ts";
import { hostOf, type LiveInput } from "../../src/unstable/render.ts";
import { condition, config, namesOf, Platform, platform, platforms, settled, Widget } from "./platforms.ts";

type PlatformRenderer = Renderer<Platform>;

const objects: PlatformRenderer = ({ spec }) => spec.names.map((name) => config(name, { text: spec.text }));
const none = (retry?: NoAnswerOptions["retry"]): never => {
  throw new NoAnswer("PluginUnavailable", "the plugin does not answer", retry === undefined ? {} : { retry });
};
const NONE = { status: "False", reason: "PluginUnavailable", message: "the plugin does not answer" };

/** A renderer that does what `now` is, and counts its calls. */
function scripted(now: PlatformRenderer = objects) {
  const script = { now, calls: 0 };
  const render: PlatformRenderer = (owner, context) => {
    script.calls++;
    return script.now(owner, context);
  };
  return Object.assign(script, { render });
}
const update = async (world: FakeWorld, spec: Partial<Platform["spec"]>): Promise<void> => {
  await world.update(Platform, "a", (each) => void Object.assign(each.spec, spec));
  await world.settled();
};
const statusOf = async (world: FakeWorld) => (await world.get(Platform, "a"))?.status;
const entriesIn = async (world: FakeWorld) => dependentsOf((await world.get(Platform, "a")) ?? {});
const readyOf = async (world: FakeWorld) => (await statusOf(world))?.conditions?.find(({ type }) => type === "Ready");
const textOf = async (world: FakeWorld, name: string): Promise<unknown> => (await world.get(ConfigMap, name))?.data?.["text"];

/** A platform whose objects are there, and whose renderer has no answer any more. */
async function without(retry: NoAnswerOptions["retry"]) {
  const script = scripted();
  const world = await settled({ objects: script.render });
  const before = await entriesIn(world);
  script.now = () => none(retry);
  return { script, world, before };
}

describe("a renderer without an answer", () => {
  test.for<{ name: string; wrap: (render: PlatformRenderer) => PlatformRenderer }>([
    { name: "alone", wrap: (render) => render },
    { name: "asynchronously", wrap: (render) => async (owner, context) => await render(owner, context) },
    { name: "in edited()", wrap: (render) => edited(render) },
    { name: "in merged()", wrap: (render) => merged(() => [], render) },
    {
      name: "in a renderer that wraps its errors",
      wrap: (render) => async (owner, context) => {
        try {
          return await render(owner, context);
        } catch (cause) {
          throw new TerminalError("cannot render", { cause });
        }
      },
    },
  ])("($name) applies and removes nothing, reverts no drift, and sets the condition", async ({ wrap }) => {
    const script = scripted();
    const world = await settled({ objects: wrap(script.render) });
    const before = await entriesIn(world);
    script.now = () => none("never");
    await update(world, { names: ["one", "three"], text: "new" });
    await world.update(ConfigMap, "one", (map) => void (map.data = { text: "drift" }));
    await world.settled();
    expect(await condition(world)).toEqual(NONE);
    expect([await namesOf(world), await textOf(world, "one")]).toEqual([["one", "two"], "drift"]);
    expect(await readyOf(world)).toMatchObject({ status: "False", reason: "PluginUnavailable" });
    expect(await statusOf(world)).toMatchObject({ state: "Error", revision: 1 });
    expect(await entriesIn(world)).toEqual(before);
    script.now = objects;
    await update(world, { text: "newer" });
    expect([await namesOf(world), await textOf(world, "one")]).toEqual([["one", "three"], "newer"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("and the retry never does not poll, is not stalled, and is called again when a pass happens", async () => {
    const { script, world } = await without("never");
    await update(world, { text: "new" });
    const { calls } = script;
    expect(world.dueIn("default/a")).toBe(86_400_000);
    expect((await statusOf(world))?.conditions?.map(({ type }) => type)).not.toContain("Stalled");
    expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
    await world.advance(3_600_000);
    await world.settled();
    expect(script.calls).toBe(calls);
    script.now = objects;
    await world.pass("default/a");
    await world.settled();
    expect(await textOf(world, "one")).toBe("new");
  });

  test("and a time to retry is called again after it", async () => {
    const { script, world } = await without(30_000);
    await update(world, { text: "new" });
    expect([world.dueIn("default/a"), await condition(world)]).toEqual([30_000, NONE]);
    script.now = objects;
    await world.advance(30_000);
    await world.settled();
    expect(await textOf(world, "one")).toBe("new");
  });

  test("and the retry backoff fails the pass", async () => {
    const { script, world } = await without("backoff");
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "new"));
    await world.pass("default/a");
    expect(await condition(world)).toEqual(NONE);
    expect(world.passes.at(-1)).toMatchObject({ requeue: { type: "failure" } });
    script.now = objects;
    await world.advance(600_000);
    await world.settled();
    expect(await textOf(world, "one")).toBe("new");
  });

  test("triggers a pass when an input that it named changes, also during the call", async () => {
    const input = liveInput();
    const script = scripted((_, context) => {
      hostOf(context).dependsOn(input);
      if (input.version === 1) input.change();
      return none("never");
    });
    const world = await settled({ objects: script.render });
    expect([script.calls, input.listeners.size]).toEqual([2, 1]);
    script.now = objects;
    input.change();
    await world.settled();
    expect([script.calls, await namesOf(world), input.listeners.size]).toEqual([3, ["one", "two"], 0]);
  });

  test("is not called in a settled pass, and the former objects count when its input has the former version again", async () => {
    const input = liveInput();
    const script = scripted((owner, context) => {
      hostOf(context).dependsOn(input);
      return input.version === 1 ? objects(owner, context) : none("never");
    });
    const world = await settled({ objects: script.render });
    input.change();
    await world.settled();
    expect([script.calls, await condition(world)]).toEqual([2, NONE]);
    input.change(1);
    await world.settled();
    expect([script.calls, await condition(world)]).toMatchObject([2, { status: "True" }]);
  });

  test.for<{ name: string; throws: () => never }>([
    {
      name: "an empty reason",
      throws: () => {
        throw new NoAnswer("", "boom");
      },
    },
    {
      name: "a reason of two words",
      throws: () => {
        throw new NoAnswer("no plugin", "boom");
      },
    },
    { name: "a negative time", throws: () => none(-1) },
    { name: "a time that is no number", throws: () => none(Number.NaN) },
  ])("with $name is an error of the renderer, and the objects stay", async ({ throws }) => {
    const { script, world, before } = await without("never");
    script.now = throws;
    await world.update(Platform, "a", ({ spec }) => void (spec.names = []));
    await world.pass("default/a");
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error", message: expect.stringContaining("NoAnswer: ") });
    expect([await namesOf(world), await entriesIn(world)]).toEqual([["one", "two"], before]);
  });

  test("stops the clock of the time limit", async () => {
    const pending = object(ConfigMap, { metadata: { name: "one" } }, { statusHint: { hasReadyCondition: true } });
    const script = scripted(() => [pending]);
    const world = await settled({ objects: script.render, timeoutMs: 60_000 });
    expect(await condition(world)).toMatchObject({ reason: "Processing" });
    await world.advance(30_000);
    script.now = () => none("never");
    await update(world, { text: "new" });
    await world.advance(120_000);
    await world.settled();
    expect(await condition(world)).toEqual(NONE);
    script.now = () => [pending];
    await update(world, { text: "hello" });
    expect(await condition(world)).toMatchObject({ reason: "Processing" });
  });

  test("writes no object in a dry run", { tags: ["memory"] }, async () => {
    const clock = fakeClock();
    await using cluster = await startTestCluster({ clock, objects: [platform()], kinds: [Platform, Widget] });
    const writes: string[] = [];
    const manager = createManager({
      client: (wish) => createClient({ ...wish, transport: cluster.server.transport(), clock }),
      clock,
      probes: false,
      metrics: false,
      signals: false,
      dryRun: { onWrite: ({ verb, kind, change }) => void writes.push(`${verb} ${kind} ${JSON.stringify(change)}`) },
    });
    manager.add(platforms({ objects: () => none("never") }));
    await manager.start();
    await cluster.settled();
    await clock.advance(1_000);
    await manager.stop();
    expect(writes.every((write) => write.startsWith("patch Platform "))).toBe(true);
    expect(writes.at(-1)).toContain('"reason":"PluginUnavailable"');
  });

  test("shows no value of a Secret", async () => {
    const world = await settled({
      live: true,
      objects: (_owner, { live }) => {
        const secret = live["Secret/key"] as Secret | undefined;
        if (secret === undefined) return [object(Secret, { metadata: { name: "key" }, stringData: { p: "correct-horse" } })];
        throw new NoAnswer("Broken", "cannot use correct-horse");
      },
    });
    await world.pass("default/a");
    expect(await condition(world)).toMatchObject({ reason: "Broken", message: expect.stringMatching(/^cannot use <?.+>?$/) });
    expect(JSON.stringify([world.logs, world.events, await world.get(Platform, "a")])).not.toContain("correct-horse");
  });

  test("removes nothing in its first pass after a restart, and its owner can be deleted", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms({ objects }));
    await first.settled();
    await first.stop();
    const second = await cluster.start(platforms({ objects: () => none("never") }));
    await second.settled();
    expect(await rendered(cluster)).toEqual(["one", "two"]);
    await cluster.client.delete(Platform, { namespace: "default", name: "a" });
    await second.settled();
    expect((await cluster.client.list(Platform, { namespace: "default" })).items).toEqual([]);
    expect(await rendered(cluster)).toEqual([]);
    await second.stop();
  });
});

function liveInput(): LiveInput & { readonly listeners: Set<() => void>; change(to?: number): void } {
  const listeners = new Set<() => void>();
  let version = 1;
  return {
    listeners,
    get version() {
      return version;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    change(to = version + 1) {
      version = to;
      for (const listener of listeners) listener();
    },
  };
}

/** The names of the ConfigMaps, without those that a real cluster makes. */
async function rendered({ client }: TestCluster): Promise<readonly string[]> {
  const { items } = await client.list(ConfigMap, { namespace: "default" });
  return items.flatMap(({ metadata: { name } }) => (name === "kube-root-ca.crt" ? [] : [name])).toSorted();
}
