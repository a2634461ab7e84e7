/** Live objects in a target, and a renderer without an answer. */
import { describe, expect, test } from "vitest";
import { configured, NoAnswer } from "../../src/index.ts";
import {
  config,
  ConfigMap,
  credentials,
  isReady,
  namesIn,
  rotate,
  sceneOf as sceneOfType,
  Secret,
  type TargetType,
  tenant,
  Tenant,
} from "./tenants.ts";

const given = [credentials("east", "t1"), tenant("a")];

describe.for<TargetType>(["fake", "connection"])("with a target of type %s,", (type) => {
  test("a renderer gets the objects in the target", async () => {
    const calls: (readonly string[])[] = [];
    await using scene = await sceneOfType({
      type,
      objects: [...given, config("one")],
      set: {
        live: true,
        objects: ({ spec }, { live }) => {
          calls.push(Object.entries(live).map(([id, each]) => `${id} ${each?.metadata.uid}`));
          return spec.names.map((name) => config(name));
        },
      },
    });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    await expect.poll(() => calls.at(-1)?.length).toBe(2);
    const uids = await Promise.all(["one", "two"].map(async (name) => (await scene.east.get(ConfigMap, name))?.metadata.uid));
    expect(calls[0]).toEqual([]);
    expect(calls.at(-1)?.toSorted()).toEqual([`ConfigMap/one ${uids[0]}`, `ConfigMap/two ${uids[1]}`]);
  });

  test("a renderer gets whole Secrets of the target", async () => {
    const calls: unknown[] = [];
    await using scene = await sceneOfType({
      type,
      objects: given,
      set: {
        live: true,
        kinds: [Secret],
        objects: (_owner, { live }) => {
          calls.push((live["Secret/key"] as Secret | undefined)?.data);
          return [{ apiVersion: "v1", kind: "Secret", metadata: { name: "key" }, data: { p: "Y29ycmVjdA==" } }];
        },
      },
    });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    await expect.poll(() => calls.at(-1)).toEqual({ p: "Y29ycmVjdA==" });
  });

  test("after a move to another target a renderer gets no object of the former one by its name", { tags: ["memory"] }, async () => {
    const calls: (readonly string[])[] = [];
    await using scene = await sceneOfType({
      type,
      objects: given,
      set: {
        live: true,
        objects: (_owner, { live }) => {
          calls.push(Object.values(live).map((each) => each?.metadata.uid ?? ""));
          return [configured(config("one"), { owned: false })];
        },
      },
    });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    await expect.poll(() => calls.at(-1)?.length).toBe(1);
    const [before] = calls.at(-1) ?? [];
    const { length } = calls;
    await rotate(scene.own, "west", "t1");
    await operator.settled({ horizonMs: 120_000 });
    await expect.poll(() => namesIn(scene.west)).toEqual(["one"]);
    expect(calls[length]).toEqual([]);
    expect(calls.slice(length).flat()).not.toContain(before);
    expect(await namesIn(scene.east)).toEqual(["one"]);
  });

  test("a renderer without an answer leaves the objects in the target, and the owner can be deleted", async () => {
    let hasAnswer = true;
    await using scene = await sceneOfType({
      type,
      objects: given,
      set: {
        objects: ({ spec }) => {
          if (!hasAnswer) throw new NoAnswer("PluginUnavailable", "no plugin", { retry: "never" });
          return spec.names.map((name) => config(name));
        },
      },
    });
    const operator = await scene.start();
    await operator.settled();
    await isReady(scene);
    hasAnswer = false;
    await scene.own.update(Tenant, "a", ({ spec }) => void (spec.names = ["three"]));
    await operator.settled();
    await expect.poll(() => scene.condition()).toEqual({ status: "False", reason: "PluginUnavailable", message: "no plugin" });
    expect(await namesIn(scene.east)).toEqual(["one", "two"]);
    await scene.own.delete(Tenant, "a");
    await operator.settled();
    await expect.poll(() => namesIn(scene.east)).toEqual([]);
  });
});
