/** The custom resource's side of a set: time limit, suspension, status fields, revisions, placement. */
import "@treadle/testing/matchers";
import { fakeClock } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Namespace } from "@treadle/apimachinery/kinds";
import { type FakeWorld, startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { type Manifest, object, type Release } from "../../src/index.ts";
import { condition, config, namesOf, type Options, Platform, platform, platforms, settled, Widget, worldOf } from "./platforms.ts";

const server = (name: string): Manifest =>
  object(Deployment, {
    metadata: { name },
    spec: {
      selector: { matchLabels: { name } },
      template: { metadata: { labels: { name } }, spec: { containers: [{ name, image: "x" }] } },
    },
  });
const later = async (world: FakeWorld, ms: number): Promise<void> => {
  await world.advance(ms);
  await world.settled();
};
const setText = async (world: FakeWorld, text: string): Promise<void> => {
  await world.update(Platform, "a", ({ spec }) => void (spec.text = text));
  await world.settled();
};

describe("the time limit", () => {
  const waiting = (more: Partial<Options> = {}): Promise<FakeWorld> =>
    settled({ timeoutMs: 60_000, objects: ({ spec }) => [config("one", { text: spec.text }), server("web")], ...more });

  test("ends in Timeout; the work goes on, and the set gets ready", async () => {
    const world = await waiting();
    await later(world, 59_000);
    expect(await condition(world)).toMatchObject({ status: "Unknown", reason: "Processing" });
    await later(world, 1_000);
    expect(await condition(world)).toMatchObject({
      status: "False",
      reason: "Timeout",
      message: expect.stringMatching(/^not ready after 60 s: 1 of 2 objects are ready, wave 0: Deployment default\/web: /),
    });
    await world.update(ConfigMap, "one", (each) => void (each.data = { text: "theirs" }));
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ text: "hello" });
    await world.makeReady(Deployment, "web");
    await world.settled();
    expect(await condition(world)).toMatchObject({ status: "True", message: "2 objects are ready" });
  });

  test("begins again when an input changes, and not with noise", async () => {
    const world = await waiting();
    await later(world, 50_000);
    await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/x": "" }));
    await later(world, 10_000);
    expect(await condition(world)).toMatchObject({ reason: "Timeout" });
    await setText(world, "two");
    expect(await condition(world)).toMatchObject({ reason: "Processing" });
    await later(world, 59_000);
    expect(await condition(world)).toMatchObject({ reason: "Processing" });
    await later(world, 1_000);
    expect(await condition(world)).toMatchObject({ reason: "Timeout" });
  });

  test("goes on over a restart", { tags: ["memory"] }, async () => {
    const clock = fakeClock();
    await using cluster = await startTestCluster({ objects: [platform()], clock });
    const options: Partial<Options> = { timeoutMs: 60_000, objects: () => [server("web")] };
    const first = await cluster.start(platforms(options));
    await first.settled({ horizonMs: 0 });
    await clock.advance(40_000);
    await first.stop();
    const second = await cluster.start(platforms(options));
    await second.settled({ horizonMs: 0 });
    await clock.advance(25_000);
    await second.settled({ horizonMs: 0 });
    const found = (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady");
    expect(found?.reason).toBe("Timeout");
  });

  test.for([
    { name: "no number", timeoutMs: () => "1h" as never, says: 'step "stack": timeoutMs returned a string, but must return a number' },
    {
      name: "zero",
      timeoutMs: () => 0,
      says: 'step "stack": timeoutMs returned a number, but must return a number of milliseconds above 0',
    },
    {
      name: "an error",
      timeoutMs: () => {
        throw new Error("no limit");
      },
      says: 'step "stack": timeoutMs threw: no limit',
    },
  ])("that is $name is reported", async ({ timeoutMs, says }) => {
    const world = await waiting({ timeoutMs });
    expect(await condition(world)).toMatchObject({ status: "False", message: expect.stringContaining(says) });
  });
});

describe("a suspended set", () => {
  const suspended: Partial<Options> = { suspended: ({ spec }) => spec.suspended };

  test("applies, reverts and removes nothing, and goes on where it was", async () => {
    const world = await settled(suspended);
    await world.update(Platform, "a", ({ spec }) => void Object.assign(spec, { suspended: true, names: ["two", "three"], text: "new" }));
    await world.update(ConfigMap, "two", (each) => void (each.data = { text: "theirs" }));
    await world.settled();
    expect(await condition(world)).toEqual({
      status: "Unknown",
      reason: "Suspended",
      message: "nothing is applied or removed while the set is suspended",
    });
    expect([await namesOf(world), (await world.get(ConfigMap, "two"))?.data]).toEqual([["one", "two"], { text: "theirs" }]);
    expect((await world.get(Platform, "a"))?.status).toMatchObject({ state: "Pending", revision: 1 });
    await world.update(Platform, "a", ({ spec }) => void (spec.suspended = false));
    await world.settled();
    expect([await namesOf(world), (await world.get(ConfigMap, "two"))?.data]).toEqual([["three", "two"], { text: "new" }]);
  });

  test("is deleted with its owner", async () => {
    const world = await settled(suspended);
    await world.update(Platform, "a", ({ spec }) => void (spec.suspended = true));
    await world.settled();
    await world.delete(Platform, "a");
    await world.settled();
    expect([await namesOf(world), await world.get(Platform, "a")]).toEqual([[], undefined]);
  });
});

describe("the status fields and the revision", () => {
  test("follow the life of the set", async () => {
    const releases: Release[] = [];
    const world = worldOf({
      objects: ({ spec }, { release }) => {
        releases.push(release);
        return [config("one", { text: spec.text })];
      },
    });
    await world.settled();
    expect((await world.get(Platform, "a"))?.status).toMatchObject({
      state: "Ready",
      revision: 1,
      appliedGeneration: 1,
      lastAppliedAt: "2026-01-01T00:00:00Z",
    });
    await world.advance(5_000);
    await world.update(Platform, "a", ({ metadata }) => void (metadata.annotations = { "kubectl.kubernetes.io/x": "" }));
    await world.settled();
    expect((await world.get(Platform, "a"))?.status).toMatchObject({ revision: 1, lastAppliedAt: "2026-01-01T00:00:00Z" });
    await setText(world, "two");
    expect((await world.get(Platform, "a"))?.status).toMatchObject({
      state: "Ready",
      revision: 2,
      appliedGeneration: 2,
      lastAppliedAt: "2026-01-01T00:00:05Z",
    });
    expect(releases).toEqual([
      { revision: 1, isInstall: true },
      { revision: 2, isInstall: false },
    ]);
    await world.delete(Platform, "a");
    await world.settled();
  });

  test("do not count a restart, or a new version of the operator that renders other objects", async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const seen: Release[] = [];
    const rendering = (name: string): Partial<Options> => ({
      objects: (_, { release }) => {
        seen.push(release);
        return [config(name)];
      },
    });
    for (const name of ["one", "one", "two"]) {
      const operator = await cluster.start(platforms(rendering(name)));
      await operator.settled();
      await operator.stop();
    }
    expect(seen).toEqual(Array.from({ length: 3 }, () => ({ revision: 1, isInstall: true })));
    expect([await cluster.get(ConfigMap, "one"), (await cluster.get(ConfigMap, "two"))?.metadata.name]).toEqual([undefined, "two"]);
    expect((await cluster.get(Platform, "a"))?.status).toMatchObject({ state: "Ready", revision: 1 });
  });

  test("agree on the revision when the cluster changes", async () => {
    const world = await settled(
      {
        objects: (_, { release, cluster }) => [
          config("one", { served: String(cluster.kinds.has("widgets.dev/v1", "Widget")), revision: String(release.revision) }),
        ],
      },
      { missing: [Widget] },
    );
    await world.advance(600_000);
    await world.install(Widget);
    await world.settled();
    expect((await world.get(ConfigMap, "one"))?.data).toEqual({ served: "true", revision: "2" });
    expect((await world.get(Platform, "a"))?.status).toMatchObject({ revision: 2 });
  });

  test("say Error where an object failed", async () => {
    const world = await settled(
      { defaults: { adopt: "never" } },
      { objects: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "one" } }] },
    );
    const { status } = (await world.get(Platform, "a")) ?? {};
    expect(status).toMatchObject({ state: "Error", revision: 1 });
    expect(status?.appliedGeneration).toBeUndefined();
  });
});

describe("placement", () => {
  const placed: Partial<Options> = {
    kinds: [ConfigMap, Namespace],
    placement: ({ spec: { text, names } }) => ({ namespace: text === "default" ? "" : text, name: names[0] }),
    objects: (_, { namespace, name }) => [config("one", { said: `${namespace} ${name}` })],
  };

  test("with empty texts is that of the owner", async () => {
    const world = await settled(placed, { objects: [platform({ text: "default", names: [""] }, { name: "b" })] });
    expect((await world.get(ConfigMap, "default/one"))?.data).toEqual({ said: "default b" });
  });

  test("that changes moves the objects", async () => {
    const world = await settled(placed);
    expect((await world.get(ConfigMap, "hello/one"))?.data).toEqual({ said: "hello one" });
    await setText(world, "default");
    expect((await world.get(ConfigMap, "default/one"))?.data).toEqual({ said: "default one" });
    expect(await world.get(ConfigMap, "hello/one")).toBeUndefined();
    expect(await world.get(Namespace, "hello")).toBeDefined();
  });

  test.for([
    { name: "a number as namespace", answer: { namespace: 7 }, says: "placement returned a number as namespace, but must return a text" },
    { name: "a text", answer: "ns", says: "placement returned a string, but must return an object" },
    { name: "a promise", answer: Promise.resolve({}), says: "placement returned a promise, but must return an object" },
  ])("that is $name is reported", async ({ answer, says }) => {
    const world = await settled({ ...placed, placement: () => answer as never });
    expect(await condition(world)).toMatchObject({ status: "False", reason: "Error", message: expect.stringContaining(says) });
  });
});
