import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { Connections } from "./connections.ts";
import { isNotConnected } from "./errors.ts";

interface Api {
  readonly id: number;
  disposed: number;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Connections with a `connect` that counts, and whose answers a test may hold back. */
function world(given: { readonly timeoutMs?: number } = {}) {
  const clock = fakeClock();
  const errors: unknown[] = [];
  const apis: Api[] = [];
  const connections = new Connections<Api>({
    clock,
    onError: (error) => errors.push(error),
    ...given,
  });
  const make = (): Api => {
    const api: Api = {
      id: apis.length,
      disposed: 0,
      async [Symbol.asyncDispose]() {
        api.disposed += 1;
      },
    };
    apis.push(api);
    return api;
  };
  return { clock, errors, apis, connections, make };
}

/** Lets promise jobs run. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe("sharing", () => {
  test("concurrent and later acquires of a version share one connect", async () => {
    const { connections, apis, make } = world();
    const connect = async (): Promise<Api> => make();
    const leases = await Promise.all([1, 2, 3].map(() => connections.acquire("v1", connect)));
    leases.push(await connections.acquire("v1", connect));
    expect(new Set(leases.map(({ api }) => api))).toEqual(new Set(apis));
    expect(apis).toHaveLength(1);
    for (const lease of leases) lease.release();
    expect(apis[0]?.disposed, "the current connection stays open without leases").toBe(0);
  });

  test("a new version connects at once, and the older connection is disposed once after its last lease", async () => {
    const { connections, apis, make } = world();
    const [a, b] = [await connections.acquire("v1", make), await connections.acquire("v1", make)];
    const next = await connections.acquire("v2", make);
    expect([a.isCurrent, next.isCurrent]).toEqual([false, true]);
    a.release();
    a.release();
    await settled();
    expect(apis[0]?.disposed, "b uses it, and a second release of a is not one of b").toBe(0);
    b.release();
    await settled();
    expect([apis[0]?.disposed, apis[1]?.disposed]).toEqual([1, 0]);
    next.release();
  });

  test("a pass that asks late for an older version does not replace the newer one", async () => {
    const { connections, apis, make } = world();
    const first = await connections.acquire("v1", make);
    await connections.acquire("v2", make);
    const late = await connections.acquire("v1", make);
    expect([late.api.id, late.isCurrent]).toEqual([0, false]);
    first.release();
    late.release();
    await settled();
    expect(apis.map(({ disposed }) => disposed)).toEqual([1, 0]);
  });

  test("an idle connection is disposed when it is replaced, and when its config is retired", async () => {
    const { connections, apis, make } = world();
    (await connections.acquire("v1", make)).release();
    (await connections.acquire("v2", make)).release();
    await settled();
    expect(apis.map(({ disposed }) => disposed)).toEqual([1, 0]);
    connections.retire();
    connections.retire();
    await settled();
    expect(apis.map(({ disposed }) => disposed)).toEqual([1, 1]);
    expect((await connections.acquire("v2", make)).api.id).toBe(2);
  });

  test("a version that was replaced while it connected serves its callers, and is disposed after them", async () => {
    const { connections, apis, make } = world();
    const answer = Promise.withResolvers<Api>();
    const waiting = connections.acquire("v1", () => answer.promise);
    await connections.acquire("v2", make);
    answer.resolve(make());
    const lease = await waiting;
    expect(lease.isCurrent).toBe(false);
    expect(apis[1]?.disposed).toBe(0);
    lease.release();
    await settled();
    expect(apis[1]?.disposed).toBe(1);
  });
});

describe("failures", () => {
  test("a failed connect is repeated after 1 s doubling to 60 s; until then all get the same error", async () => {
    const { connections, clock, make } = world();
    const boom = new Error("boom");
    let calls = 0;
    const fail = (): Api => {
      calls += 1;
      throw boom;
    };
    const startMs = clock.now();
    const calledMs: number[] = [];
    while (calledMs.length < 8) {
      const before = calls;
      await expect(connections.acquire("v1", fail)).rejects.toBe(boom);
      if (calls > before) calledMs.push((clock.now() - startMs) / 1000);
      await clock.advance(500);
    }
    expect(calledMs).toEqual([0, 1, 3, 7, 15, 31, 63, 123]);
    expect((await connections.acquire("v2", make)).api.id, "a new version calls at once").toBe(0);
  });

  test("a success makes the next delay short again", async () => {
    const { connections, clock, make } = world();
    await expect(connections.acquire("v1", () => Promise.reject(new Error("boom")))).rejects.toThrow("boom");
    await clock.advance(1000);
    (await connections.acquire("v1", make)).release();
    expect((await connections.acquire("v1", make)).api.id).toBe(0);
  });

  test("a connect that hangs ends after its time, and its late result is disposed", async () => {
    const { connections, clock, apis, make } = world();
    const answer = Promise.withResolvers<Api>();
    let given: AbortSignal | undefined;
    const waiting = connections.acquire("v1", (signal) => {
      given = signal;
      return answer.promise;
    });
    const failed = expect(waiting).rejects.toSatisfy((error) => isNotConnected(error) && /did not end within 60 s/.test(error.message));
    await clock.advance(60_000);
    await failed;
    expect(given?.aborted).toBe(true);
    answer.resolve(make());
    await settled();
    expect(apis[0]?.disposed).toBe(1);
  });

  test.for([undefined, null])("a connect that returns %s fails with the fix", async (nothing) => {
    const { connections } = world();
    await expect(connections.acquire("v1", () => nothing as unknown as Api)).rejects.toThrow("return the API");
  });

  test("the abort of one caller does not end the connect of others", async () => {
    const { connections, make } = world();
    const answer = Promise.withResolvers<Api>();
    const aborted = new AbortController();
    const first = connections.acquire("v1", () => answer.promise, { signal: aborted.signal });
    const second = connections.acquire("v1", () => answer.promise);
    aborted.abort(new Error("deadline"));
    await expect(first).rejects.toThrow("deadline");
    answer.resolve(make());
    expect((await second).api.id).toBe(0);
    await expect(connections.acquire("v1", make, { signal: aborted.signal })).rejects.toThrow("deadline");
  });

  test("the abort of the only caller leaves a connection for the next one, or disposes a replaced one", async () => {
    const { connections, apis, make } = world();
    const answer = Promise.withResolvers<Api>();
    const aborted = new AbortController();
    const first = connections.acquire("v1", () => answer.promise, { signal: aborted.signal });
    aborted.abort(new Error("deadline"));
    await expect(first).rejects.toThrow("deadline");
    await connections.acquire("v2", make);
    answer.resolve(make());
    await settled();
    expect(apis.map(({ disposed }) => disposed)).toEqual([0, 1]);
  });
});

describe("the end", () => {
  test("all connections are disposed at the end, also with a lease", async () => {
    const { connections, apis, make } = world();
    const old = await connections.acquire("v1", make);
    const lease = await connections.acquire("v2", make);
    await connections[Symbol.asyncDispose]();
    await connections[Symbol.asyncDispose]();
    expect(apis.map(({ disposed }) => disposed)).toEqual([1, 1]);
    old.release();
    lease.release();
    await settled();
    expect(apis.map(({ disposed }) => disposed)).toEqual([1, 1]);
    await expect(connections.acquire("v3", make)).rejects.toThrow("the operator ends");
  });

  test("the end stops a connect, and disposes its late result", async () => {
    const { connections, apis, make } = world();
    const answer = Promise.withResolvers<Api>();
    const failed = expect(connections.acquire("v1", () => answer.promise)).rejects.toThrow("the operator ends");
    await connections[Symbol.asyncDispose]();
    await failed;
    answer.resolve(make());
    await settled();
    expect(apis[0]?.disposed).toBe(1);
  });

  test("an error of a dispose is reported and not thrown", async () => {
    const boom = new Error("boom");
    const { connections, errors } = world();
    const broken = { id: 0, disposed: 0, [Symbol.asyncDispose]: () => Promise.reject(boom) };
    await connections.acquire("v1", () => broken);
    await connections[Symbol.asyncDispose]();
    expect(errors).toEqual([boom]);
  });

  test("a dispose that hangs does not hang the end", async () => {
    const { connections, clock, errors } = world({ timeoutMs: 10_000 });
    const broken = { id: 0, disposed: 0, [Symbol.asyncDispose]: () => new Promise<void>(() => undefined) };
    await connections.acquire("v1", () => broken);
    const end = connections[Symbol.asyncDispose]();
    await clock.advance(10_000);
    await end;
    expect(errors.map(String)).toEqual(["Error: a connection of the provider was not disposed within 10 s"]);
  });

  test("an API with Symbol.dispose is disposed, one without is not touched", async () => {
    const clock = fakeClock();
    const errors: unknown[] = [];
    const connections = new Connections<object>({ clock, onError: (error) => errors.push(error) });
    let disposed = 0;
    await connections.acquire("v1", () => ({ [Symbol.dispose]: () => (disposed += 1) }));
    (await connections.acquire("v2", () => Object.freeze({}))).release();
    connections.retire();
    await connections[Symbol.asyncDispose]();
    expect([disposed, errors]).toEqual([1, []]);
    expect(clock.nextDue(), "no timer is left").toBeUndefined();
  });
});
