/** Users' stories of an operator that is removed. In memory and, unchanged, on a real server. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, pause, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { z } from "zod";
import { explore } from "@treadle/testing/explore";
import { startTestCluster } from "@treadle/testing";
import { page, Site, site } from "./sites.ts";

const Bucket = defineResource({
  group: "drain.example.dev",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({}),
});
type Bucket = ObjectOf<typeof Bucket>;

/** Keeps something outside, which only its cleanup removes. */
function buckets(outside: Set<string>, isStuck: () => boolean = () => false): AnyHandler {
  return handler(Bucket)
    .step(conditions())
    .step(
      step(Bucket, {
        name: "bucket",
        do: ({ object }) => void outside.add(object.metadata.name),
        cleanup(req) {
          if (isStuck()) return req.wait("the bucket is not empty", 1_000);
          outside.delete(req.object.metadata.name);
        },
      }),
    )
    .build();
}
const FOREIGN = "else.example.com/keeps";
const bucket = (name: string): object => ({ apiVersion: "drain.example.dev/v1", kind: "Bucket", metadata: { name } });
const objects = [bucket("a"), bucket("b")];

test.for([
  { rule: "release", left: ["a", "b"] },
  { rule: "clean", left: [] },
] as const)(
  "$rule: no object is held any more, none gets a finalizer again, and what is there can be deleted without the operator",
  async ({ rule, left }) => {
    const outside = new Set<string>();
    await using cluster = await startTestCluster({ objects });
    const op = await cluster.start(buckets(outside));
    await op.settled();
    await op.stop();
    expect((await cluster.get(Bucket, "a"))?.metadata.finalizers).toHaveLength(1);

    const drain = await cluster.start(buckets(outside), { controller: { drain: rule, predicate: () => false } });
    await drain.settled();
    await drain.manager.drained();
    await cluster.update(Bucket, "a", (object) => void (object.metadata.labels = { some: "label" }));
    await drain.settled();
    await drain.stop();
    for (const { metadata } of await cluster.list(Bucket)) expect(metadata.finalizers).toBeUndefined();
    expect([...outside].toSorted()).toEqual(left);

    await cluster.delete(Bucket, "a");
    expect(await cluster.get(Bucket, "a")).toBeUndefined();
  },
);

test.for([
  { rule: "release", held: [] },
  { rule: "clean", held: ["a"] },
] as const)(
  "$rule: of paused objects, where a pause holds deletions, those are held whose cleanups would run: $held",
  async ({ rule, held }) => {
    const paused = {
      metadata: { name: "a", annotations: { "treadle.dev/paused": "true" }, finalizers: ["drain.example.dev/buckets.drain.example.dev"] },
    };
    await using cluster = await startTestCluster({ objects: [{ ...bucket("a"), ...paused }, bucket("b")] });
    const idle = step(Bucket, { name: "bucket", do() {}, cleanup() {} });
    const pausing = handler(Bucket)
      .step(pause({ deletions: true }))
      .step(conditions())
      .step(idle)
      .build();
    const drain = await cluster.start(pausing, { controller: { drain: rule } });
    await drain.settled();
    const all = await cluster.list(Bucket);
    expect(all.filter(({ metadata }) => metadata.finalizers !== undefined).map(({ metadata }) => metadata.name)).toEqual(held);
  },
);

test("an object that is being deleted is cleaned up under every rule; a blocked one is named, with its status", async () => {
  const outside = new Set<string>();
  let isStuck = true;
  const stuck = (): AnyHandler => buckets(outside, () => isStuck);
  await using cluster = await startTestCluster({ objects });
  const op = await cluster.start(stuck());
  await op.settled();
  await op.stop();
  await cluster.delete(Bucket, "a");

  const drain = await cluster.start(stuck(), { controller: { drain: "release" } });
  await drain.settled({ horizonMs: 0 });
  expect((await cluster.get(Bucket, "b"))?.metadata.finalizers).toBeUndefined();
  const ended = new AbortController();
  const told: string[] = [];
  const drained = drain.manager.drained({
    signal: ended.signal,
    onProgress: (held) => {
      told.push(...held.map(({ ref, reason }) => `${ref.name}: ${reason}`));
      ended.abort(new Error("enough"));
    },
  });
  const error: unknown = await drained.catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: "ERR_DRAIN" });
  expect((error as Error).message).toContain("the bucket is not empty");
  expect(told).toEqual(['a: step "bucket": the bucket is not empty']);

  isStuck = false;
  await drain.settled();
  await drain.manager.drained();
  expect(await cluster.get(Bucket, "a")).toBeUndefined();
  expect([...outside]).toEqual(["b"]);
});

test("an object that is cleaned without a deletion keeps its conditions", async () => {
  let isStuck = true;
  const stuck = (): AnyHandler => buckets(new Set(), () => isStuck);
  await using cluster = await startTestCluster({ objects: [bucket("a")] });
  const op = await cluster.start(stuck());
  await op.settled();
  await op.stop();
  const drain = await cluster.start(stuck(), { controller: { drain: "clean" } });
  await drain.settled({ horizonMs: 0 });
  const ready = async (): Promise<unknown> => (await cluster.get(Bucket, "a"))?.status?.conditions?.find(({ type }) => type === "Ready");
  expect(await ready()).toMatchObject({ status: "True" });
  isStuck = false;
  await drain.settled();
  await drain.manager.drained();
});

test.for([
  { rule: "release", pages: ["a-page"] },
  { rule: "clean", pages: [] },
] as const)("dependents: $rule leaves $pages", async ({ rule, pages }) => {
  await using cluster = await startTestCluster({ objects: [site()] });
  const sites = handler(Site)
    .step(conditions())
    .step(page({ ownership: "label" }))
    .build();
  const op = await cluster.start(sites);
  await op.settled();
  await op.stop();
  const drain = await cluster.start(sites, { controller: { drain: rule } });
  await drain.settled();
  await drain.manager.drained();
  expect((await cluster.get(Site, "a"))?.metadata.finalizers).toBeUndefined();
  const left = (await cluster.list(ConfigMap)).map(({ metadata }) => metadata.name).filter((name) => name.endsWith("-page"));
  expect(left).toEqual(pages);
});

test.for(["release", "clean"] as const)(
  "%s, with a failure at any request",
  { tags: ["memory", "part"], timeout: 180_000 },
  async (rule, { part }) => {
    const finalizers = ["drain.example.dev/buckets.drain.example.dev", FOREIGN];
    const { points } = await explore(
      (outside: Set<string>) => buckets(outside),
      {
        external: () => new Set(["a", "b"]),
        externalState: (outside) => [...outside].toSorted(),
        async run(cluster) {
          for (const name of ["a", "b"]) await cluster.create(Bucket, { metadata: { name, finalizers }, spec: {} } as never);
          await cluster.delete(Bucket, "b");
          await cluster.settled();
          await cluster.create(Bucket, { metadata: { name: "c" }, spec: {} } as never);
          for (const name of ["a", "b"])
            await cluster.update(Bucket, name, ({ metadata }) => {
              metadata.finalizers = (metadata.finalizers ?? []).filter((finalizer) => finalizer !== FOREIGN);
            });
        },
      },
      { namespaces: ["default"], controller: { drain: rule }, points: part.points },
    );
    expect(points).toBeGreaterThan(part.isWhole ? 5 : 0);
  },
);
