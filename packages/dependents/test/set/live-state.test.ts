/** States of objects in a set with `live`: a state belongs to the version of the object that the renderer got. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import type { FakeWorld } from "@treadle/testing";
import { startTestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { configured, dependentsOf, type ObjectConfig, type RenderedObject } from "../../src/index.ts";
import { condition, config, type Options, Platform, platform, platforms, settled, worldOf } from "./platforms.ts";

/** Ready when another writer has set the label `warm`. */
function set(more: ObjectConfig = {}): { readonly options: Partial<Options>; readonly rendered: () => number } {
  let rendered = 0;
  const options: Partial<Options> = {
    live: true,
    order: "given",
    objects: ({ spec }, { live }): readonly RenderedObject[] => {
      rendered += 1;
      const isWarm = live["first"]?.metadata.labels?.["warm"] === spec.text;
      const state = isWarm
        ? { type: "Ready", reason: "Warm", message: "" }
        : { type: "Pending", reason: "Cold", message: `not ${spec.text}` };
      return [configured(config("one", { text: spec.text }), { id: "first", state, ...more }), config("two")];
    },
  };
  return { options, rendered: () => rendered };
}

const warm = async (world: FakeWorld, text: string): Promise<void> => {
  await world.update(ConfigMap, "one", ({ metadata }) => void (metadata.labels = { ...metadata.labels, warm: text }));
  await world.settled();
};
const said = async (world: FakeWorld): Promise<readonly string[]> =>
  dependentsOf((await world.get(Platform, "a")) ?? {}).map(({ name, reason, message }) => `${name} ${reason} ${message}`.trim());

describe("a state in a set with live", () => {
  test("is Outdated in the pass that creates the object, and that of the rendering after it", async () => {
    const world = worldOf(set().options);
    await world.pass("a");
    expect(await said(world)).toEqual(["one Outdated ConfigMap one has changed since its state was rendered", "two Ready"]);
    await world.settled();
    expect(await said(world)).toEqual(["one Cold not hello", "two Ready"]);
  });

  test.for<{ name: string; more: ObjectConfig }>([
    { name: "an object of the owner", more: {} },
    { name: "an object that the owner does not own", more: { owned: false } },
  ])("follows the changes of $name, and the desired state", async ({ more }) => {
    const { options, rendered } = set(more);
    const world = await settled(options);
    await warm(world, "hello");
    expect(await said(world)).toEqual(["one Warm", "two Ready"]);
    expect(await condition(world)).toMatchObject({ status: "True" });
    await world.update(Platform, "a", ({ spec }) => void (spec.text = "new"));
    await world.settled();
    expect(await said(world)).toEqual(["one Cold not new", "two Ready"]);
    await warm(world, "new");
    expect(await condition(world)).toMatchObject({ status: "True" });
    const before = rendered();
    world.requests.clear();
    await world.pass("a");
    expect([rendered() - before, world.requests.summary()]).toEqual([0, {}]);
  });

  test("follows the object of another writer, over a restart", { tags: ["memory"] }, async () => {
    await using cluster = await startTestCluster({ objects: [platform()] });
    const first = await cluster.start(platforms(set({ created: false }).options));
    await first.settled();
    await cluster.create(ConfigMap, { metadata: { name: "one" } });
    await first.settled();
    await cluster.update(ConfigMap, "one", ({ metadata }) => void (metadata.labels = { warm: "hello" }));
    await first.settled();
    const readyOf = async () => (await cluster.get(Platform, "a"))?.status?.conditions?.find(({ type }) => type === "StackReady")?.status;
    expect(await readyOf()).toBe("True");
    await first.stop();
    const second = await cluster.start(platforms(set({ created: false }).options));
    await second.settled();
    expect(await readyOf()).toBe("True");
    await cluster.update(ConfigMap, "one", ({ metadata }) => void (metadata.labels = {}));
    await second.settled();
    expect(await readyOf()).not.toBe("True");
  });

  test("of an object that is not watched is that of the next rendering", async () => {
    const world = await settled(set({ watched: false }).options);
    expect(await said(world)).toEqual(["one Cold not hello", "two Ready"]);
  });
});
