/** Faults on the way of an operator's requests, one at a time and at random, inside the process. */
import "@treadle/testing/matchers";
import { defineResource, fakeClock, isExpired, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { type Client, createClient, isConnectionError } from "@treadle/client";
import { type AnyHandler, conditions, handler, one, step } from "@treadle/reconcile";
import { configMap, type FaultHandle, startTestCluster, type TestCluster } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { FaultSet } from "../src/faults/faults.ts";
import { faultyTransport } from "../src/faults/transport.ts";

const Copy = defineResource({
  group: "faults.treadle.dev",
  version: "v1",
  kind: "Copy",
  scope: "Namespaced",
  spec: z.object({ from: z.string() }),
  status: z.object({ text: z.string().optional() }),
});
interface Copy extends ObjectOf<typeof Copy> {}

const copies: AnyHandler = handler(Copy)
  .step(conditions())
  .step(
    step(Copy, {
      name: "copy",
      conditions: ["Copied"],
      reads: { from: one(ConfigMap, (copy: Copy) => copy.spec.from) },
      do(req) {
        const text = req.reads.from?.data?.["text"];
        if (text === undefined) return req.conditions.false("Copied", "Missing", "there is nothing to copy").wait();
        req.status.text = text;
        req.conditions.true("Copied");
        return;
      },
    }),
  )
  .build();

const copied = async (cluster: TestCluster): Promise<string | undefined> => (await cluster.get(Copy, "a"))?.status?.text;

describe("a client with faults", { tags: ["memory"] }, () => {
  async function rig(): Promise<{ client: Client; faults: FaultSet; cluster: TestCluster }> {
    const cluster = await startTestCluster({ objects: [configMap("default/a", { text: "one" })] });
    const faults = new FaultSet(cluster.clock);
    const client = createClient({ transport: faultyTransport(cluster.server.transport(), faults), clock: cluster.clock, retry: false });
    return { client, faults, cluster };
  }
  const REF = { namespace: "default", name: "a" };
  const text = async (client: Client): Promise<string | undefined> => (await client.get(ConfigMap, REF))?.data?.["text"];

  test("`nth` hits one request, counted from the start of the fault", async () => {
    const { client, faults, cluster } = await rig();
    await text(client);
    const fault = faults.add({ on: { verb: "get", resource: "configmaps" }, nth: 2, fault: "serverError" });
    expect(await text(client)).toBe("one");
    await expect(text(client)).rejects.toMatchObject({ status: 500 });
    expect(await text(client)).toBe("one");
    expect(fault.hits).toHaveLength(1);
    expect(fault.hits[0]).toMatchObject({ fault: "serverError", request: { verb: "get", name: "a", namespace: "default" } });
    await cluster.stop();
  });

  test("a fault without `nth` hits every matching request until it is removed", async () => {
    const { client, faults, cluster } = await rig();
    const fault = faults.add({ on: { kind: ConfigMap }, fault: { type: "serverError", status: 503 } });
    for (let i = 0; i < 3; i++) await expect(text(client)).rejects.toMatchObject({ status: 503, reason: "ServiceUnavailable" });
    fault.remove();
    fault.remove();
    expect(await text(client)).toBe("one");
    expect(fault.hits).toHaveLength(3);
    await cluster.stop();
  });

  test.for([
    { fault: "gone", error: { status: 410, reason: "Expired" } },
    { fault: "conflict", error: { status: 409, reason: "Conflict" } },
    { fault: { type: "tooManyRequests", retryAfterSeconds: 7 }, error: { status: 429, retryAfterMs: 7000 } },
    { fault: "serverError", error: { status: 500, reason: "InternalError" } },
    { fault: "reset", error: { code: "ERR_CONNECTION_LOST" } },
  ] as const)("the client gets the error of $fault", async ({ fault, error }) => {
    const { client, faults, cluster } = await rig();
    faults.add({ fault, nth: 1 });
    await expect(client.delete(ConfigMap, REF)).rejects.toMatchObject(error);
    expect(await text(client)).toBe("one");
    await cluster.stop();
  });

  test("a lost response breaks the connection after the write was stored", async () => {
    const { client, faults, cluster } = await rig();
    faults.add({ on: { verb: "delete" }, nth: 1, fault: "lostResponse" });
    await expect(client.delete(ConfigMap, REF)).rejects.toSatisfy((error) => isConnectionError(error) && error.isOutcomeUnknown);
    expect(await text(client)).toBeUndefined();
    await cluster.stop();
  });

  test("a delay ends after its time, a half-open connection with the caller's timeout", async () => {
    const { client, faults, cluster } = await rig();
    const delay = faults.add({ fault: { type: "delay", ms: 500 }, nth: 1 });
    const slow = text(client);
    await cluster.advance(499);
    await expect(Promise.race([slow, Promise.resolve("not yet")])).resolves.toBe("not yet");
    await cluster.advance(1);
    await expect(slow).resolves.toBe("one");
    expect(delay.hits).toHaveLength(1);

    faults.add({ fault: "halfOpen", nth: 1 });
    const abort = new AbortController();
    const stuck = client.get(ConfigMap, REF, { signal: abort.signal });
    await cluster.advance(3_600_000);
    abort.abort(new Error("enough"));
    await expect(stuck).rejects.toThrow("enough");
    await cluster.stop();
  });

  test("a stale list shows the older state until the fault is removed", async () => {
    const { client, faults, cluster } = await rig();
    const names = async (): Promise<string[]> =>
      (await client.list(ConfigMap, { namespace: "default" })).items.map(({ metadata }) => metadata.name);
    expect(await names()).toEqual(["a"]);
    using stale = faults.add({ fault: "staleList" });
    await cluster.create(ConfigMap, { metadata: { name: "b" } });
    expect(await names()).toEqual(["a"]);
    expect(stale.hits).toHaveLength(1);
    stale.remove();
    expect(await names()).toEqual(["a", "b"]);
    await cluster.stop();
  });

  test("random faults are the same for the same seed, at the given rate", async () => {
    const { client, faults, cluster } = await rig();
    const outcomes = async (seed: number): Promise<string> => {
      using _random = faults.random({ seed, rate: 0.3, faults: ["reset", "serverError", "gone"] });
      const results: string[] = [];
      for (let i = 0; i < 200; i++)
        results.push(
          await text(client).then(
            () => ".",
            (error: unknown) => (isConnectionError(error) ? "r" : isExpired(error) ? "g" : "s"),
          ),
        );
      return results.join("");
    };
    const first = await outcomes(1);
    expect(await outcomes(1)).toBe(first);
    expect(await outcomes(2)).not.toBe(first);
    const struck = first.replaceAll(".", "");
    expect(struck.length).toBeGreaterThan(40);
    expect(struck.length).toBeLessThan(80);
    expect(new Set(struck)).toEqual(new Set(["r", "s", "g"]));
    await cluster.stop();
  });

  test.for([
    [{ fault: "nonsense" }, "the faults are reset"],
    [{ fault: "reset", nth: 0 }, "counted from 1"],
    [{ fault: "reset", times: 0.5 }, "counted from 1"],
    [{ fault: "frozenWatch", on: { verb: "get" } }, "applies to watch"],
  ] as const)("%o is refused", ([rule, message]) => {
    expect(() => new FaultSet(fakeClock()).add(rule as never)).toThrow(message);
  });
});

describe("an operator with faults", { tags: ["memory"] }, () => {
  test("a frozen watch delivers nothing, and settled() does not wait for it", async () => {
    await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
    const op = await cluster.start(copies);
    await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
    await op.settled();
    const frozen = cluster.faults.add({ on: { kind: ConfigMap }, fault: "frozenWatch" });
    await cluster.update(ConfigMap, "in", (object) => {
      object.data = { text: "two" };
    });
    await op.settled();
    expect(await copied(cluster)).toBe("one");
    expect(frozen.hits).toHaveLength(1);
    frozen.remove();
    await op.settled();
    expect(await copied(cluster)).toBe("two");
  });

  test("a watch that stays frozen is opened again after its deadline", async () => {
    await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
    const op = await cluster.start(copies);
    await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
    await op.settled();
    cluster.faults.add({ on: { kind: ConfigMap, verb: "watch" }, fault: "halfOpen", nth: 1 });
    expect(cluster.faults.cutWatches({ kind: ConfigMap })).toBe(1);
    await cluster.update(ConfigMap, "in", (object) => {
      object.data = { text: "two" };
    });
    await cluster.advance(180_000);
    await op.settled();
    expect(await copied(cluster)).toBe("two");
  });

  test.for(["duplicateEvents", "reorderEvents"] as const)("%s does not change the end", async (fault) => {
    await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
    const struck = cluster.faults.add({ fault });
    const op = await cluster.start(copies);
    await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
    for (const text of ["two", "three", "four"])
      await cluster.update(ConfigMap, "in", (object) => {
        object.data = { text };
      });
    await op.settled();
    expect(await copied(cluster)).toBe("four");
    expect(struck.hits.length).toBeGreaterThan(1);
  });

  test("an operator that starts with a stale list catches up", async () => {
    await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
    const { resourceVersion = "" } = (await cluster.get(ConfigMap, "in"))?.metadata ?? {};
    await cluster.update(ConfigMap, "in", (object) => {
      object.data = { text: "two" };
    });
    const stale = cluster.faults.add({ on: { kind: ConfigMap }, fault: { type: "staleList", resourceVersion } });
    const frozen = cluster.faults.add({ on: { kind: ConfigMap }, fault: "frozenWatch", nth: 5 });
    const op = await cluster.start(copies);
    await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
    await op.settled();
    expect(stale.hits).toHaveLength(1);
    expect(frozen.hits).toEqual([]);
    expect(await copied(cluster)).toBe("two");
  });

  // Every pass met the same conflict and asked for the next one at once: thousands of requests while a watch is late.
  test("a save without an answer and a silent watch cause few requests", async () => {
    await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
    const op = await cluster.start(copies);
    cluster.faults.add({ on: { kind: Copy, subresource: "status" }, nth: 1, fault: "lostResponse" });
    let frozen: FaultHandle | undefined;
    cluster.onRequest(({ subresource }) => {
      if (subresource === "status") frozen ??= cluster.faults.add({ on: { kind: Copy }, fault: "frozenWatch" });
    });
    await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
    await op.settled();
    const met = cluster.requests.filter({ kind: Copy, verb: "patch" }).length;
    expect(met).toBeGreaterThan(2);
    expect(met).toBeLessThan(20);
    await cluster.update(ConfigMap, "in", (object) => {
      object.data = { text: "two" };
    });
    await op.settled();
    frozen?.remove();
    await op.settled();
    expect(await copied(cluster)).toBe("two");
  });

  test("random faults of every type do not change the end", { timeout: 60_000 }, async () => {
    let hits = 0;
    for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
      await using cluster = await startTestCluster({ objects: [configMap("default/in", { text: "one" })] });
      const random = cluster.faults.random({
        seed,
        rate: 0.4,
        faults: [
          "reset",
          "lostResponse",
          "gone",
          "conflict",
          "tooManyRequests",
          "serverError",
          "duplicateEvents",
          "reorderEvents",
          { type: "delay", ms: 100 },
        ],
      });
      const op = await cluster.start(copies);
      await cluster.create(Copy, { metadata: { name: "a" }, spec: { from: "in" } });
      await op.settled({ horizonMs: 60_000 });
      await cluster.update(ConfigMap, "in", (object) => {
        object.data = { text: "two" };
      });
      await op.settled({ horizonMs: 60_000 });
      random.remove();
      await op.settled({ horizonMs: 60_000 });
      expect(await copied(cluster)).toBe("two");
      hits += random.hits.length;
    }
    expect(hits).toBeGreaterThan(20);
  });
});
