/** What of a kind is cached: selectors and projections. */
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Pod, Secret } from "@treadle/apimachinery/kinds";
import { conditions, dependentApply, handler, many, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { cached, createManager } from "../src/index.ts";
import { startWorld, Widget, widget, type WorldOptions } from "./world.ts";

const Owner = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Owner",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ size: z.int32().default(1) }),
  status: z.object({}),
});
const owner = { metadata: { name: "a", namespace: "default" }, spec: {} };

const pod = (name: string, app: string) =>
  ({
    metadata: { name, namespace: "default", labels: { app } },
    spec: { nodeName: "n1", containers: [{ name: "c", image: "i" }] },
  }) as never;

describe("a read", () => {
  test("sees only selected objects and kept fields", async () => {
    const seen: unknown[] = [];
    const ofPods = handler(Widget)
      .step(
        step(Widget, {
          name: "look",
          reads: { pods: many(Pod, () => ({ matchLabels: {} })) },
          do: (req) => void seen.push(req.reads.pods.map(({ metadata, spec }) => [metadata.name, spec?.nodeName, spec?.containers])),
        }),
      )
      .build();
    const w = await startWorld({
      handlers: [ofPods],
      start: false,
      cache: [cached(Pod, { labelSelector: { app: "web" }, fieldSelector: "metadata.name!=third", keep: ["spec.nodeName"] })],
    });
    for (const [name, app] of [
      ["first", "web"],
      ["second", "db"],
      ["third", "web"],
    ] as const)
      await w.user.create(Pod, pod(name, app));
    await w.user.create(Widget, widget("a"));
    await w.manager.start();
    await w.settled();
    expect(seen).toEqual([[["first", "n1", undefined]]]);
    expect(w.logs.filter(({ level }) => level === "warn")).toEqual([]);
    await w.user.create(Pod, pod("fourth", "db"));
    await w.settled();
    expect(seen).toHaveLength(1);
  });
});

describe("an owned kind", () => {
  const labels = { app: "web" };
  const owning = (desired: object) =>
    handler(Owner)
      .step(conditions())
      .step(
        dependentApply(Owner, {
          name: "config",
          kind: ConfigMap,
          desired: ({ metadata }: { metadata: { name: string } }) => ({
            metadata: { name: metadata.name, ...desired },
            data: { key: "v" },
          }),
        } as never),
      )
      .build();
  const options = (desired: object): WorldOptions => ({
    handlers: [owning(desired)],
    resources: [Owner as never],
    cache: [cached(ConfigMap, { labelSelector: labels })],
  });
  const ref = { name: "a", namespace: "default" };

  test("whose labels a user removes is neither lost nor created again, and its labels are restored", async () => {
    const w = await startWorld(options({ labels }));
    await w.user.create(Owner, owner);
    await w.settled();
    const made = await w.user.get(ConfigMap, ref);
    expect(made?.metadata.labels).toMatchObject(labels);
    await w.user.update(ConfigMap, { ...made, metadata: { ...made?.metadata, labels: {} } } as never);
    await w.settled(60_000);
    const now = await w.user.get(ConfigMap, ref);
    expect([now?.metadata.labels, now?.metadata.uid]).toEqual([made?.metadata.labels, made?.metadata.uid]);
    w.requests.length = 0;
    await w.settled(3_600_000);
    expect(w.requests).toEqual([]);
  });

  test("that is desired without the labels is created once, and a warning says that it is never seen", async () => {
    const w = await startWorld(options({}));
    await w.user.create(Owner, owner);
    await w.settled(60_000);
    const made = await w.user.get(ConfigMap, ref);
    expect(w.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toEqual([
      expect.stringContaining('was written without the labels "app=web"'),
    ]);
    expect(w.logs.filter(({ level }) => level === "error")).toEqual([]);
    await w.user.update(Owner, { ...(await w.user.get(Owner, ref)), spec: { size: 3 } } as never);
    await w.settled(60_000);
    expect((await w.user.get(ConfigMap, ref))?.metadata).toMatchObject({
      uid: made?.metadata.uid,
      resourceVersion: made?.metadata.resourceVersion,
    });
    expect((await w.user.get(Owner, ref))?.status?.conditions).toContainEqual(expect.objectContaining({ type: "Ready", status: "True" }));
    w.requests.length = 0;
    await w.settled(3_600_000);
    expect(w.requests).toEqual([]);
  });
});

describe("what cannot be", () => {
  const ofSecrets = handler(Widget)
    .step(step(Widget, { name: "look", owns: [ConfigMap], reads: { secret: one(Secret, () => "s") }, do: () => undefined }))
    .build();

  test.for([
    ["a primary", cached(Widget, { keep: ["spec.size"] }), 'handler "widgets.test.treadle.dev" reconciles it'],
    ["an owned kind", cached(ConfigMap, { keep: ["data"] }), 'step "look" of "widgets.test.treadle.dev" owns it'],
  ] as const)("a projection of %s is refused at the start, and nothing runs", async ([, rule, because]) => {
    const w = await startWorld({ handlers: [ofSecrets], cache: [rule], start: false });
    await expect(w.manager.start()).rejects.toMatchObject({ code: "ERR_CACHE", message: expect.stringContaining(because) });
    expect(w.lists).toEqual([]);
  });

  test.for([
    ["a kind twice", [cached(Pod, { labelSelector: "a" }), cached(Pod, { keep: ["spec"] })], "names v1 Pod twice"],
    ["a selector that is none", [cached(Pod, { labelSelector: "a in (" })], "cache of Pod: "],
    ["fields that are none", [cached(Pod, { fieldSelector: "a" })], "cache of Pod: "],
    ["a path into metadata", [{ kind: Pod, keep: ["metadata.labels"] }], 'cannot keep "metadata.labels"'],
  ] as const)("%s is refused by createManager", ([, cache, words]) => {
    expect(() => createManager({ cache })).toThrow(
      expect.objectContaining({ name: "RangeError", message: expect.stringContaining(words) }),
    );
  });

  test("a cached kind that no handler uses is logged, because its version may be wrong", async () => {
    const w = await startWorld({ handlers: [ofSecrets], cache: [cached({ ...Pod, version: "v2" }, { labelSelector: "a" })] });
    expect(w.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toContainEqual(
      expect.stringContaining("cached(Pod) is of no effect: no handler reads, owns or watches Pod (v2)"),
    );
  });

  test("a watch of whole Pods in all namespaces is logged once; one with a selector, and one of Secrets as metadata, is not", async () => {
    const ofPods = handler(Pod)
      .step(step(Pod, { name: "look", do: () => undefined }))
      .build();
    const unscoped = async (options: Partial<WorldOptions>): Promise<unknown[]> =>
      (await startWorld({ handlers: [ofPods], ...options })).logs
        .filter(({ data }) => data["warning"] === "unscoped")
        .map(({ text }) => text);
    expect(await unscoped({})).toEqual([expect.stringContaining("every Pod of the cluster is watched")]);
    expect(await unscoped({ cache: [cached(Pod, { labelSelector: { app: "x" } })] })).toEqual([]);
    expect(await unscoped({ namespaces: ["default"] })).toEqual([]);
    expect(await unscoped({ handlers: [ofSecrets] })).toEqual([]);
  });
});
