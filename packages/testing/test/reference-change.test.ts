/** A reference is changed while a pass that read the object of before is running. */
import "../src/matchers.ts";
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { startTestCluster, type TestCluster, type TestOperator } from "../src/index.ts";

const Copy = defineResource({
  group: "copies.example.dev",
  version: "v1",
  kind: "Copy",
  scope: "Namespaced",
  spec: z.object({ from: z.string() }),
  status: z.object({ text: z.string().optional(), of: z.string().optional() }),
});
const b64 = (text: string): string => Buffer.from(text).toString("base64");

/** Lets the promise jobs and turns of whatever runs come to their next wait. */
async function turns(): Promise<void> {
  for (let i = 0; i < 100; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** What the object says after the change, and whom changes of the object of before and of the new one wake. */
async function settles(
  { cluster, op }: { readonly cluster: TestCluster; readonly op: TestOperator },
  change: (name: string, text: string) => Promise<unknown>,
): Promise<void> {
  await op.settled();
  expect(await cluster.get(Copy, "c")).toBeReady();
  expect((await cluster.get(Copy, "c"))?.status).toMatchObject({ of: "new", text: "2" });
  const before = op.passes.length;
  cluster.requests.clear();
  await change("old", "3");
  await op.settled();
  expect(op.passes.length, "the object of before wakes nobody").toBe(before);
  expect(cluster.requests.filter(), "and nobody fetches it").toEqual([]);
  await change("new", "4");
  await op.settled();
  expect((await cluster.get(Copy, "c"))?.status).toMatchObject({ of: "new", text: "4" });
}

describe("a reference that changes during a pass", () => {
  test("does not change the object that a running step sees", async () => {
    const reached = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const seen: (readonly [string, string | undefined])[] = [];
    const copying = step(Copy, {
      name: "copy",
      reads: { map: one(ConfigMap, ({ spec }) => spec.from) },
      async do(req) {
        reached.resolve();
        await goOn.promise;
        seen.push([req.object.spec.from, req.reads.map?.metadata.name]);
        req.status.of = req.object.spec.from;
        req.status.text = req.reads.map?.data?.["text"];
      },
    });
    await using cluster = await startTestCluster({ kinds: [Copy] });
    const change = (name: string, text: string): Promise<unknown> =>
      cluster.update(ConfigMap, name, (object) => void (object.data = { text }));
    await cluster.create(ConfigMap, { metadata: { name: "old" }, data: { text: "1" } });
    await cluster.create(ConfigMap, { metadata: { name: "new" }, data: { text: "1" } });
    const op = await cluster.start(handler(Copy).step(conditions()).step(copying).build());
    await cluster.create(Copy, { metadata: { name: "c" }, spec: { from: "old" } });
    await reached.promise;
    await cluster.update(Copy, "c", ({ spec }) => void (spec.from = "new"));
    await change("new", "2"); // It is nobody's yet for the pass that runs.
    await turns();
    goOn.resolve();
    await settles({ cluster, op }, change);
    expect(seen[0]).toEqual(["old", "old"]);
    expect(seen.slice(1)).not.toContainEqual(["old", "old"]);
    expect(seen.every(([of, read]) => of === read)).toBe(true);
  });

  test.for(["there", "deleted meanwhile"])("during the fetch of the old Secret (%s) is read by the next pass", async (fate) => {
    const copying = step(Copy, {
      name: "copy",
      reads: { secret: one(Secret, ({ spec }) => spec.from) },
      do(req) {
        if (req.reads.secret === undefined) return req.wait("there is no such Secret");
        req.status.of = req.object.spec.from;
        req.status.text = Buffer.from(req.reads.secret.data?.["text"] ?? "", "base64").toString();
        return;
      },
    });
    await using cluster = await startTestCluster({ kinds: [Copy] });
    const change = async (name: string, text: string): Promise<unknown> => {
      if (name === "old" && fate !== "there") return undefined;
      return await cluster.update(Secret, name, (object) => void (object.data = { text: b64(text) }));
    };
    await cluster.create(Secret, { metadata: { name: "old" }, data: { text: b64("1") } });
    await cluster.create(Secret, { metadata: { name: "new" }, data: { text: b64("2") } });
    const op = await cluster.start(handler(Copy).step(conditions()).step(copying).build());
    const asked = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<void>();
    let isFirst = true;
    cluster.onRequest(({ verb, name }) => {
      if (verb !== "get" || name !== "old" || !isFirst) return undefined;
      isFirst = false;
      asked.resolve();
      return answer.promise;
    });
    await cluster.create(Copy, { metadata: { name: "c" }, spec: { from: "old" } });
    await asked.promise;
    await cluster.update(Copy, "c", ({ spec }) => void (spec.from = "new"));
    if (fate !== "there") await cluster.delete(Secret, "old");
    await turns();
    answer.resolve();
    await settles({ cluster, op }, change);
  });
});
