/** What of a kind is cached: selectors and projections. */
import { ConfigMap, Pod, Secret } from "@treadle/apimachinery/kinds";
import { handler, many, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { cached, createManager } from "../src/index.ts";
import { startWorld, Widget, widget, type WorldOptions } from "./world.ts";

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
