import type { KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Fetch, Fetches } from "./fetches.ts";

const version = (n: number, more: object = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", namespace: "ns", uid: "u", resourceVersion: String(n) },
  ...more,
});
const ref = { name: "s", namespace: "ns" };
const never = new AbortController().signal;

/** A server whose answers a test gives. */
function scripted(): {
  readonly fetch: Fetch;
  readonly calls: { answer(object?: KubernetesObject): void; fail(error: Error): void; signal: AbortSignal }[];
} {
  const calls: { answer(object?: KubernetesObject): void; fail(error: Error): void; signal: AbortSignal }[] = [];
  return {
    calls,
    fetch: (signal) =>
      new Promise((resolve, reject) => {
        calls.push({ answer: resolve, fail: reject, signal });
      }),
  };
}

describe("one version", () => {
  test("is fetched once, for all who want it at the same time and afterwards", async () => {
    const fetches = new Fetches();
    fetches.hold(Secret, ref, "a");
    const { fetch, calls } = scripted();
    const wanted = [1, 2, 3].map(() => fetches.get(Secret, version(5), { fetch, signal: never }));
    expect(calls).toHaveLength(1);
    calls[0]?.answer(version(5, { data: { k: "v" } }));
    const got = await Promise.all(wanted);
    expect(got[0]).toMatchObject({ data: { k: "v" } });
    expect(new Set(got).size).toBe(1);
    expect(fetches.peek(Secret, version(5))).toBe(got[0]);
    expect(fetches.peek(Secret, version(6))).toBeUndefined();
  });

  test("may turn out to be a newer one, which then counts for that, too", async () => {
    const fetches = new Fetches();
    fetches.hold(Secret, ref, "a");
    await fetches.get(Secret, version(5), { fetch: async () => version(7), signal: never });
    expect(fetches.peek(Secret, version(6))?.metadata.resourceVersion).toBe("7");
  });

  test("that is gone from the server is absent for all who join each other's GETs", async () => {
    const fetches = new Fetches();
    const gone: Fetch = async () => undefined;
    const readers = Array.from({ length: 12 }, () => fetches.get(Secret, version(5), { fetch: gone, signal: never }));
    expect(await Promise.all(readers)).toEqual(Array.from({ length: 12 }, () => undefined));
  });

  test("is never older than what the cache knows: a GET that began before is asked again", async () => {
    const fetches = new Fetches();
    fetches.hold(Secret, ref, "a");
    const { fetch, calls } = scripted();
    const early = fetches.get(Secret, version(5), { fetch, signal: never });
    const late = fetches.get(Secret, version(6), { fetch, signal: never });
    expect(calls).toHaveLength(1);
    calls[0]?.answer(version(5));
    expect(await early).toMatchObject({ metadata: { resourceVersion: "5" } });
    await new Promise((resolve) => setImmediate(resolve));
    calls[1]?.answer(version(6));
    expect(await late).toMatchObject({ metadata: { resourceVersion: "6" } });
  });

  test("a server that keeps answering with an older version is a failure that says so", async () => {
    const fetches = new Fetches();
    await expect(fetches.get(Secret, version(9), { fetch: async () => version(3), signal: never })).rejects.toThrow(
      "cannot get Secret ns/s: the server answers with an older version than its watch",
    );
  });

  test("is frozen, complete and without managedFields; the writer's own object stays as it was", async () => {
    const fetches = new Fetches();
    fetches.hold(Secret, ref, "a");
    const { apiVersion: _a, kind: _k, ...bare } = version(5, { data: { k: "v" } });
    const written = { ...bare, metadata: { ...bare.metadata, managedFields: [{ manager: "m" }] } } as unknown as KubernetesObject;
    fetches.wrote(Secret, written);
    const kept = fetches.peek(Secret, version(5));
    expect(kept).toEqual(version(5, { data: { k: "v" } }));
    expect(Object.isFrozen((kept as unknown as { data: object }).data)).toBe(true);
    expect(Object.isFrozen(written.metadata)).toBe(false);
  });
});

describe("failures and ends", () => {
  test("a failure reaches all who wait, and is forgotten", async () => {
    const fetches = new Fetches();
    const boom = new Error("boom");
    const { fetch, calls } = scripted();
    const wanted = [1, 2].map(() => fetches.get(Secret, version(5), { fetch, signal: never }));
    calls[0]?.fail(boom);
    for (const each of await Promise.allSettled(wanted)) expect(each).toEqual({ status: "rejected", reason: boom });
    expect(await fetches.get(Secret, version(5), { fetch: async () => version(5), signal: never })).toEqual(version(5));
  });

  test("who has no time any more leaves; the GET goes on for the others, and ends with the last", async () => {
    const fetches = new Fetches();
    const { fetch, calls } = scripted();
    const [hasty, patient] = [new AbortController(), new AbortController()];
    const first = fetches.get(Secret, version(5), { fetch, signal: hasty.signal });
    const second = fetches.get(Secret, version(5), { fetch, signal: patient.signal });
    hasty.abort(new Error("no time"));
    await expect(first).rejects.toThrow("no time");
    expect(calls[0]?.signal.aborted).toBe(false);
    patient.abort(new Error("no time either"));
    await expect(second).rejects.toThrow("no time either");
    expect(calls[0]?.signal.aborted).toBe(true);
    // And nobody joins what was aborted.
    const third = fetches.get(Secret, version(5), { fetch, signal: never });
    expect(calls).toHaveLength(2);
    calls[1]?.answer(version(5));
    expect(await third).toEqual(version(5));
  });

  test("what was aborted ends whenever it does, and the next GET goes on for all", async () => {
    const fetches = new Fetches();
    const { fetch, calls } = scripted();
    const hasty = new AbortController();
    const first = fetches.get(Secret, version(5), { fetch, signal: hasty.signal });
    hasty.abort(new Error("no time"));
    await expect(first).rejects.toThrow("no time");
    const second = fetches.get(Secret, version(5), { fetch, signal: never });
    calls[0]?.fail(new Error("aborted"));
    await new Promise((resolve) => setImmediate(resolve));
    const third = fetches.get(Secret, version(5), { fetch, signal: never });
    expect(calls).toHaveLength(2);
    calls[1]?.answer(version(5));
    expect(await Promise.all([second, third])).toEqual([version(5), version(5)]);
  });

  test("an object that no longer exists is absent", async () => {
    expect(await new Fetches().get(Secret, version(5), { fetch: async () => undefined, signal: never })).toBeUndefined();
  });
});

describe("memory", () => {
  test("an object is kept as long as a read names it", async () => {
    const fetches = new Fetches();
    fetches.hold(Secret, ref, "a");
    fetches.hold(Secret, ref, "b");
    await fetches.get(Secret, version(5), { fetch: async () => version(5), signal: never });
    fetches.release(Secret, ref, "a");
    expect(fetches.size).toBe(1);
    fetches.release(Secret, ref, "b");
    expect(fetches.size).toBe(0);
    expect(fetches.peek(Secret, version(5))).toBeUndefined();
  });

  test("a write of an object without readers is not kept, and an older write neither", () => {
    const fetches = new Fetches();
    fetches.wrote(Secret, version(5));
    expect(fetches.size).toBe(0);
    fetches.hold(Secret, ref, "a");
    fetches.wrote(Secret, version(7, { data: { new: "" } }));
    fetches.wrote(Secret, version(6, { data: { old: "" } }));
    expect(fetches.peek(Secret, version(7))).toMatchObject({ data: { new: "" } });
    fetches.removed(Secret, ref);
    expect(fetches.size).toBe(0);
  });

  /**
   * Whatever the order of writes, deletions, news and reads:
   * - what is given is never older than what was known,
   * - nothing is kept that nobody reads,
   * - the same version is fetched at most once while it is kept.
   */
  test("holds in any order", async () => {
    const event = fc.oneof(
      fc.record({ type: fc.constantFrom("hold", "release"), reader: fc.constantFrom("a", "b") }),
      fc.record({ type: fc.constantFrom("change", "write", "read", "remove") }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
        const fetches = new Fetches();
        const readers = new Set<string>();
        let live = 1;
        let gets = 0;
        const fetched = new Set<number>();
        for (const each of events) {
          if ("reader" in each) {
            if (each.type === "hold") {
              fetches.hold(Secret, ref, each.reader);
              readers.add(each.reader);
            } else {
              fetches.release(Secret, ref, each.reader);
              readers.delete(each.reader);
              if (readers.size === 0) fetched.clear();
            }
          } else if (each.type === "change") live++;
          else if (each.type === "write") {
            live++;
            fetches.wrote(Secret, version(live));
            if (readers.size > 0) fetched.add(live);
          } else if (each.type === "remove") {
            fetches.removed(Secret, ref);
            fetched.clear();
          } else if (readers.size > 0) {
            const before = gets;
            const known = live;
            const got = (await fetches.get(Secret, version(known), {
              fetch: async () => (gets++, version(live)),
              signal: never,
            })) as KubernetesObject;
            expect(Number(got.metadata.resourceVersion)).toBeGreaterThanOrEqual(known);
            expect(gets - before).toBe(fetched.has(known) ? 0 : 1);
            fetched.add(known);
          }
          if (readers.size === 0) expect(fetches.size).toBe(0);
        }
      }),
    );
  });
});
