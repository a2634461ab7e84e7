/** The objects of a set that exist, as its renderer gets them. */
import "@treadle/testing/matchers";
import { fakeClock, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { createClient } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { TerminalError } from "@treadle/reconcile";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { configured, object, type ObjectConfig, type Renderer } from "../../src/index.ts";
import { condition, config, namesOf, Platform, platform, platforms, POLICIES, settled, Widget } from "./platforms.ts";

type Live = Parameters<Renderer<Platform>>[1]["live"];
type Render = (platform: Platform, live: Live) => ReturnType<Renderer<Platform, {}, {}, never>> | readonly unknown[];

/** A renderer that notes each call: the ids with a datum of each object. */
function noting(render: Render) {
  const calls: Record<string, string>[] = [];
  const renderer: Renderer<Platform> = (owner, { live }) => {
    const shown = Object.entries(live).map(([id, each]) => [id, (each as ConfigMap).data?.["text"] ?? ""] as const);
    calls.push(Object.fromEntries(shown));
    return render(owner, live) as never;
  };
  return { calls, renderer };
}
const setText = async (world: FakeWorld, text: string): Promise<void> => {
  await world.update(Platform, "a", ({ spec }) => void (spec.text = text));
  await world.settled();
};
const one: Render = ({ spec }) => [configured(config("one", { text: spec.text }), { id: "first" })];
describe("a renderer with the option live", () => {
  test("gets an object in the pass after it was written, and is not called again for the same versions", async () => {
    const { calls, renderer } = noting(one);
    const world = await settled({ live: true, objects: renderer });
    expect(calls).toEqual([{}, { first: "hello" }]);
    expect(await condition(world)).toMatchObject({ status: "True" });
    const { writes } = world.requests;
    const before = writes.length;
    for (let i = 0; i < 3; i++) await world.pass("default/a");
    await world.settled();
    expect([calls.length, world.requests.writes.length]).toEqual([2, before]);
  });

  test("gets frozen objects", async () => {
    const { renderer } = noting((owner, live) => {
      expect(Object.isFrozen(live)).toBe(true);
      expect(live["constructor"]).toBeUndefined();
      for (const each of Object.values(live)) expect(Object.isFrozen(each?.metadata)).toBe(true);
      return one(owner, live);
    });
    expect(await condition(await settled({ live: true, objects: renderer }))).toMatchObject({ status: "True" });
  });

  test("sees the change of another writer, and what the set makes of it", async () => {
    const { calls, renderer } = noting(one);
    const world = await settled({ live: true, objects: renderer });
    await world.update(ConfigMap, "one", (map) => void (map.data = { text: "theirs" }));
    await world.settled();
    expect(calls.slice(2)).toEqual([{ first: "theirs" }, { first: "hello" }]);
  });

  test("names objects without an id by kind and name, with the namespace where it is another one", async () => {
    const elsewhere = { ...config("two", { text: "b" }), metadata: { name: "two", namespace: "other" } };
    const { calls, renderer } = noting(() => [config("one", { text: "a" }), elsewhere]);
    await settled({ live: true, objects: renderer });
    expect(calls.at(-1)).toEqual({ "ConfigMap/one": "a", "ConfigMap/other/two": "b" });
  });

  test("gets an object that is no longer rendered until it is deleted, under its id", async () => {
    const { calls, renderer } = noting(({ spec }) =>
      spec.text === "hello"
        ? [configured({ ...config("one"), metadata: { name: "one", finalizers: ["example.dev/keep"] } }, { id: "first" })]
        : [],
    );
    const world = await settled({ live: true, objects: renderer });
    await setText(world, "none");
    expect(calls.at(-1)).toEqual({ first: "" });
    await world.update(ConfigMap, "one", ({ metadata }) => void (metadata.finalizers = []));
    await world.settled();
    expect([calls.at(-1), await namesOf(world)]).toEqual([{}, []]);
  });

  test("gets the present object where a former one has the same id", async () => {
    const { calls, renderer } = noting(({ spec }) => {
      const map = config(spec.text, { text: spec.text });
      return [configured({ ...map, metadata: { ...map.metadata, finalizers: ["example.dev/keep"] } }, { id: "only" })];
    });
    const world = await settled({ live: true, objects: renderer });
    await setText(world, "next");
    expect(await namesOf(world)).toEqual(["hello", "next"]);
    expect(calls.at(-1)).toEqual({ only: "next" });
  });

  test("counts no revision when live objects change, and the time limit continues when it renders others by them", async () => {
    const { calls, renderer } = noting((_owner, live) => [
      config("one", {}, { reconcile: "once" }),
      config("two", { text: (live["ConfigMap/one"] as ConfigMap | undefined)?.data?.["text"] ?? "" }),
      object(ConfigMap, { metadata: { name: "late" } }, { statusHint: { hasReadyCondition: true } }),
    ]);
    const world = await settled({ live: true, objects: renderer, timeoutMs: 60_000 });
    await world.advance(40_000);
    await world.update(ConfigMap, "one", (map) => void (map.data = { text: "theirs" }));
    await world.settled();
    expect([(await world.get(ConfigMap, "two"))?.data?.["text"], await condition(world)]).toMatchObject([
      "theirs",
      { reason: "Processing" },
    ]);
    const { length } = calls;
    await world.advance(20_000);
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Timeout" });
    expect([(await world.get(Platform, "a"))?.status?.revision, calls.length]).toEqual([1, length]);
  });

  test("is not called again for live objects with which it failed for good, and is for other ones", async () => {
    let calls = 0;
    const world = await settled({
      live: true,
      objects: ({ spec }, { live }) => {
        calls++;
        const [map] = Object.values(live) as ConfigMap[];
        if (map !== undefined && map.data?.["text"] !== "fixed") throw new TerminalError("it has a wrong text");
        return [config("one", { text: spec.text }, { reconcile: "once" })];
      },
    });
    expect([calls, await condition(world)]).toEqual([2, { status: "False", reason: "Error", message: "it has a wrong text" }]);
    await world.pass("default/a");
    expect(calls).toBe(2);
    await world.update(ConfigMap, "one", (map) => void (map.data = { text: "fixed" }));
    await world.settled();
    expect([calls, await condition(world)]).toMatchObject([3, { status: "True" }]);
  });

  test("gets whole Secrets, whose values no text shows", async () => {
    const seen: unknown[] = [];
    const world = await settled({
      live: true,
      objects: (_owner, { live }) => {
        const secret = live["Secret/key"] as Secret | undefined;
        seen.push(secret?.data);
        if (secret !== undefined)
          throw new TerminalError(`the password ${Buffer.from(secret.data?.["p"] ?? "", "base64").toString()} is weak`);
        return [object(Secret, { metadata: { name: "key" }, stringData: { p: "correct-horse" } })];
      },
    });
    expect(seen).toEqual([undefined, { p: Buffer.from("correct-horse").toString("base64") }]);
    expect(await condition(world)).toMatchObject({ message: expect.stringMatching(/^the password <?.+>? is weak$/) });
    await world.pass("default/a");
    expect(JSON.stringify([world.logs, world.events, await world.get(Platform, "a")])).not.toContain("correct-horse");
  });

  test("gets an object that another writer creates, once the plan names it", async () => {
    const { calls, renderer } = noting(() => [configured(config("theirs"), { id: "input", created: false })]);
    const world = await settled({ live: true, objects: renderer }, { objects: [config("theirs", { text: "given" }) as never] });
    expect(calls).toEqual([{}, { input: "given" }]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("gets objects that are not watched", async () => {
    const { calls, renderer } = noting(one);
    const world = await settled({ live: true, kinds: [{ kind: ConfigMap, watched: false }], objects: renderer });
    expect(calls).toEqual([{}, { first: "hello" }]);
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("gets the objects under their ids in its first pass after a restart", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms({ live: true, objects: noting(one).renderer }));
    await first.settled();
    await first.stop();
    expect((await cluster.client.get(ConfigMap, { namespace: "default", name: "one" }))?.metadata.annotations?.[POLICIES]).toBe(
      `{"id":"first"}`,
    );
    const { calls, renderer } = noting(one);
    const second = await cluster.start(platforms({ live: true, objects: renderer }));
    await second.settled();
    expect(calls).toEqual([{ first: "hello" }]);
    await second.stop();
  });

  test.for<{ name: string; more: ObjectConfig }>([
    { name: "that the owner does not own", more: { owned: false } },
    { name: "that another writer creates", more: { created: false } },
  ])("gets an object $name in its first pass after a restart, and does not report it as missing", async ({ more }) => {
    const render: Render = ({ spec }, live) => {
      const state = { type: live["input"] === undefined ? "Pending" : "Ready", reason: "Seen", message: "" };
      return [configured(config("one", { text: spec.text }), { id: "input", state, ...more })];
    };
    await using cluster = await startTestCluster({ objects: [platform(), config("one", { text: "hello" })] });
    const first = await cluster.start(platforms({ live: true, objects: noting(render).renderer }));
    await first.settled();
    await first.stop();
    const { calls, renderer } = noting(render);
    const before = await cluster.get(Platform, "a");
    const second = await cluster.start(platforms({ live: true, objects: renderer }));
    await second.settled();
    expect(calls).toEqual([{ input: "hello" }]);
    expect((await cluster.get(Platform, "a"))?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
    await second.stop();
  });

  test("gets no object of another writer that has the name of an object which the owner does not own, also after a restart", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const boss = await cluster.create(ConfigMap, { metadata: { name: "boss" } });
    const controller = { apiVersion: "v1", kind: "ConfigMap", name: "boss", uid: boss.metadata.uid ?? "", controller: true };
    await cluster.create(ConfigMap, { metadata: { name: "one", ownerReferences: [controller] }, data: { text: "theirs" } });
    for (let starts = 0; starts < 2; starts++) {
      const { calls, renderer } = noting(() => [configured(config("one"), { owned: false })]);
      const operator = await cluster.start(platforms({ live: true, objects: renderer }));
      await operator.settled();
      expect(calls).toEqual([{}]);
      await operator.stop();
    }
  });

  test("is not called for a change of a settled object that is not watched", async () => {
    const { calls, renderer } = noting(() => [configured(config("one", { text: "hello" }), { watched: false })]);
    const world = await settled({ live: true, objects: renderer });
    const { length } = calls;
    world.requests.clear();
    await world.update(ConfigMap, "one", ({ metadata }) => void (metadata.labels = { ...metadata.labels, theirs: "x" }));
    world.requests.clear();
    await world.settled();
    expect([calls.length - length, world.requests.summary()]).toEqual([0, {}]);
  });

  test("gets an object that the owner does not own after the handler got another name", async () => {
    const render: Render = () => [configured(config("one", { text: "hello" }), { id: "input", owned: false })];
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms({ live: true, objects: noting(render).renderer }, { name: "old.example.dev" }));
    await first.settled();
    await first.stop();
    const { calls, renderer } = noting(render);
    const second = await cluster.start(platforms({ live: true, objects: renderer }, { formerNames: ["old.example.dev"] }));
    await second.settled();
    expect([calls[0], calls.at(-1)]).toEqual([{ input: "hello" }, { input: "hello" }]);
    expect(calls.length).toBeLessThan(4);
    await second.stop();
  });

  test("is not called forever in a dry run with objects that the owner does not own", { tags: ["memory"] }, async () => {
    const clock = fakeClock();
    const objects = [platform(), config("one"), config("two")];
    await using cluster = await startTestCluster({ clock, objects, kinds: [Platform, Widget] });
    const { calls, renderer } = noting(() => [configured(config("one"), { created: false }), configured(config("two"), { owned: false })]);
    const manager = createManager({
      client: (wish) => createClient({ ...wish, transport: cluster.server.transport(), clock }),
      clock,
      probes: false,
      metrics: false,
      signals: false,
      dryRun: true,
    });
    manager.add(platforms({ live: true, objects: renderer }));
    await manager.start();
    await cluster.settled();
    await clock.advance(10_000);
    await manager.stop();
    expect(calls.length).toBeLessThan(3);
  });

  test("of objects that a user wrote into the step state in another form works", async () => {
    const world = await settled({ live: true, objects: noting(one).renderer });
    await world.updateStatus(Platform, "a", (owner) => {
      const { steps } = owner.status as unknown as { steps: Record<string, { others?: unknown }> };
      (steps["stack"] as { others?: unknown }).others = {
        ConfigMap: { "x/y/z": { id: "a" }, "": { id: "b" } },
        Nothing: { a: { id: "c" } },
      };
    });
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "new"));
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "True" });
  });

  test("is not called while the server refuses the watch of a kind of its objects, which stay", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform()], checkStatus: false });
    const first = await cluster.start(platforms({ live: true, kinds: "any", objects: noting(one).renderer }));
    await first.settled();
    await first.stop();
    const fault = cluster.faults.add({
      on: { resource: "configmaps", verb: ["list", "watch"] },
      fault: { type: "serverError", status: 403 },
    });
    const { calls, renderer } = noting(() => []);
    const second = await cluster.start(platforms({ live: true, kinds: "any", objects: renderer }));
    await second.settled({ horizonMs: 120_000 });
    expect(calls).toEqual([]);
    fault.remove();
    expect((await cluster.list(ConfigMap, "default")).map(({ metadata }) => metadata.name)).toContain("one");
    const found = (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
    expect(found).toMatchObject({ status: "False", reason: expect.stringMatching(/^(Forbidden|KindNotListed)$/) });
    await second.stop();
  });

  test("gets no object of another owner, and no copy", async () => {
    const { calls, renderer } = noting(({ metadata }) => [config(metadata.name, { text: metadata.name })]);
    const world = await settled({ live: true, objects: renderer }, { objects: [platform({}, { name: "b" })] as never });
    const { labels, annotations }: Partial<KubernetesObject["metadata"]> = (await world.get(ConfigMap, "a"))?.metadata ?? {};
    await world.create(ConfigMap, { metadata: { name: "copy", labels, annotations } } as never);
    await world.settled();
    expect(new Set(calls.flatMap((each) => Object.values(each)))).toEqual(new Set(["a", "b"]));
    expect(calls.every((each) => Object.keys(each).length <= 1)).toBe(true);
  });
});

test("a renderer without the option that reads a live object is refused with what to do", async () => {
  const world = await settled({ objects: (_owner, { live }) => (live["a"] === undefined ? [] : []) });
  expect(await condition(world)).toEqual({
    status: "False",
    reason: "Error",
    message: expect.stringContaining('step "stack": the renderer reads context.live: set live: true in the options of dependentSet()'),
  });
});

test("two objects with one id are refused, with both", async () => {
  const world = await settled({ objects: () => [configured(config("one"), { id: "x" }), configured(config("two"), { id: "x" })] });
  expect(await condition(world)).toMatchObject({
    reason: "Error",
    message: 'ConfigMap default/two: its id "x" is also that of ConfigMap default/one: give each object of the set another id',
  });
});

test("a configuration of the wrong form is refused with the object and what to do", async () => {
  const world = await settled({ objects: () => [configured(config("one"), { id: "" }), config("two")] });
  expect(await condition(world)).toMatchObject({ reason: "Error", message: expect.stringContaining('(ConfigMap one) has "" as id') });
  expect(await namesOf(world)).toEqual([]);
});
