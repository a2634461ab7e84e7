import { fakeClock, isTooManyRequests, kind, seededRandom } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { failure, json, type Reply, retryAfter, scriptedTransport, socketError, stream } from "../test/scripted-transport.ts";
import type { CallOptions, Client } from "./client.ts";
import { createClient } from "./create-client.ts";
import type { Exchange } from "./exchange.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const ref = { name: "a", namespace: "ns" };
const widget = { apiVersion: "example.dev/v1", kind: "Widget", metadata: ref };
const ok = json(200, { ...widget, items: [] });
const busy = failure(429, "TooManyRequests", "slow down");
const broken = failure(500, "InternalError", "etcd");

function setUp(...replies: readonly Reply[]) {
  const clock = fakeClock(0);
  const transport = scriptedTransport(...replies);
  const exchanges: Exchange[] = [];
  const client = createClient({
    transport,
    clock,
    random: seededRandom(1),
    server: "https://api",
    onExchange: (exchange) => exchanges.push(exchange),
  });
  return { client, clock, transport, exchanges };
}

type Made = (client: Client, options?: CallOptions) => Promise<unknown>;
const reads: Record<string, Made> = {
  get: (client, options) => client.get(Widget, ref, options),
  list: (client, options) => client.list(Widget, options),
  "delete of one uid": (client, options) => client.delete(Widget, ref, { ...options, preconditions: { uid: "u" } }),
};
const writes: Record<string, Made> = {
  create: (client, options) => client.create(Widget, widget, options),
  update: (client, options) => client.update(Widget, widget, options),
  patch: (client, options) => client.patch(Widget, ref, { type: "merge", body: {} }, options),
  apply: (client, options) => client.apply(Widget, widget, { ...options, fieldManager: "me" }),
  "delete of a name": (client, options) => client.delete(Widget, ref, options),
};
const all = Object.entries({ ...reads, ...writes });

/** How the call ended once so much time had passed: its value, its error, or that it still waits. */
async function after(clock: ReturnType<typeof fakeClock>, ms: number, call: Promise<unknown>): Promise<unknown> {
  let outcome: unknown = "waiting";
  void call.then(
    (value) => (outcome = { value }),
    (error: unknown) => (outcome = error),
  );
  await clock.advance(ms);
  return outcome;
}

describe("Retry-After", () => {
  test("of a day is an error at once that keeps the time", async () => {
    const { client, clock } = setUp(retryAfter(86_400, busy), ok);
    expect(await after(clock, 0, client.get(Widget, ref))).toMatchObject({ code: "ERR_TOO_MANY_REQUESTS", retryAfterMs: 86_400_000 });
  });

  test.for(all)("is obeyed by %s, to the millisecond", async ([, call]) => {
    for (const status of [429, 503, 504]) {
      const { client, clock, transport } = setUp(retryAfter(2, failure(status, "x", "later")), ok);
      const result = call(client);
      expect(await after(clock, 1999, result)).toBe("waiting");
      expect(transport.requests).toHaveLength(1);
      await clock.advance(1);
      await result;
      expect(transport.requests).toHaveLength(2);
    }
  });

  test("is obeyed 10 times, then the call fails with the time in the error", async () => {
    const { client, clock, transport } = setUp(retryAfter(1, busy));
    const error = await after(clock, 60_000, client.create(Widget, widget));
    expect(error).toSatisfy(isTooManyRequests);
    expect(error).toMatchObject({ message: "cannot create Widget ns/a: slow down", retryAfterMs: 1000 });
    expect(transport.requests).toHaveLength(11);
  });

  test("may be a date", async () => {
    const { client, clock, transport } = setUp(retryAfter(new Date(5000).toUTCString(), busy), ok);
    const result = client.get(Widget, ref);
    expect(await after(clock, 4999, result)).toBe("waiting");
    await clock.advance(1);
    await result;
    expect(transport.requests).toHaveLength(2);
  });

  test("may be in the Status only", async () => {
    const { client, clock, transport } = setUp(failure(429, "TooManyRequests", "slow down", { retryAfterSeconds: 7 }), ok);
    const result = client.create(Widget, widget);
    expect(await after(clock, 6999, result)).toBe("waiting");
    expect(transport.requests).toHaveLength(1);
    await clock.advance(1);
    await result;
    expect(transport.requests).toHaveLength(2);
  });

  test("is obeyed when a watch is opened", async () => {
    const { client, clock } = setUp(retryAfter(3, busy), stream(""));
    const watch = client.watch(Widget);
    expect(await after(clock, 2999, watch)).toBe("waiting");
    await clock.advance(1);
    await watch;
  });
});

describe("without Retry-After", () => {
  test.for(Object.entries(reads))("%s is repeated after a server error and after a lost connection", async ([, call]) => {
    for (const reply of [
      broken,
      failure(503, "ServiceUnavailable", "x"),
      socketError("ECONNRESET"),
      socketError("UND_ERR_HEADERS_TIMEOUT"),
    ]) {
      const { client, clock, transport } = setUp(reply, ok);
      expect(await after(clock, 100, call(client))).toHaveProperty("value");
      expect(transport.requests).toHaveLength(2);
    }
  });

  test.for(Object.entries(writes))("%s is not repeated after a server error, since it may have been executed", async ([, call]) => {
    for (const [reply, error] of [
      [broken, { code: "ERR_SERVER" }],
      [socketError("ECONNRESET"), { code: "ERR_CONNECTION_LOST", isOutcomeUnknown: true }],
    ] as const) {
      const { client, clock, transport } = setUp(reply, ok);
      expect(await after(clock, 60_000, call(client))).toMatchObject(error);
      expect(transport.requests).toHaveLength(1);
    }
  });

  test.for(all)("%s is repeated when the server did nothing", async ([, call]) => {
    for (const reply of [busy, socketError("ECONNREFUSED"), socketError("UND_ERR_CONNECT_TIMEOUT")]) {
      const { client, clock, transport } = setUp(reply, ok);
      expect(await after(clock, 100, call(client))).toHaveProperty("value");
      expect(transport.requests).toHaveLength(2);
    }
  });

  test("a call fails after four repetitions, within three seconds", async () => {
    const { client, clock, transport } = setUp(socketError("ECONNREFUSED", "connect ECONNREFUSED 10.0.0.1:443"));
    const error = await after(clock, 3000, client.get(Widget, ref));
    expect(error).toMatchObject({ code: "ERR_UNREACHABLE", server: "https://api", isOutcomeUnknown: false });
    expect(String(error)).toBe("ConnectionError: cannot get Widget ns/a: no connection to https://api: connect ECONNREFUSED 10.0.0.1:443");
    expect(transport.requests).toHaveLength(5);
  });

  test.for([
    { name: "a refused certificate", reply: socketError("DEPTH_ZERO_SELF_SIGNED_CERT"), code: "ERR_TLS" },
    { name: "an expired certificate", reply: socketError("CERT_HAS_EXPIRED"), code: "ERR_TLS" },
    { name: "a refusal by RBAC", reply: failure(403, "Forbidden", "no"), code: "ERR_FORBIDDEN" },
    { name: "an answer that is not of an API server", reply: socketError("HPE_INVALID_CONSTANT"), code: "ERR_INVALID_RESPONSE" },
  ])("$name is not repeated", async ({ reply, code }) => {
    const { client, transport } = setUp(reply, ok);
    await expect(client.get(Widget, ref)).rejects.toMatchObject({ code });
    expect(transport.requests).toHaveLength(1);
  });

  test("the opening of a watch is not repeated after a server error, since its reader has a backoff", async () => {
    const { client, transport } = setUp(broken, stream(""));
    await expect(client.watch(Widget)).rejects.toMatchObject({ code: "ERR_SERVER" });
    expect(transport.requests).toHaveLength(1);
  });

  test("a bug of a transport is thrown unchanged, not as a connection error", async () => {
    const bug = new TypeError("cannot read properties of undefined");
    const { client, transport, exchanges } = setUp(bug, ok);
    await expect(client.get(Widget, ref)).rejects.toBe(bug);
    expect(transport.requests).toHaveLength(1);
    expect(exchanges).toHaveLength(1);
    expect(exchanges[0]).not.toHaveProperty("error");
  });

  test("the error of fetch for a lost connection is a connection error", async () => {
    const { client, clock } = setUp(new TypeError("fetch failed", { cause: socketError("ECONNREFUSED") }), ok);
    expect(await after(clock, 100, client.get(Widget, ref))).toHaveProperty("value");
  });

  test("a client with retry: false repeats nothing", async () => {
    const transport = scriptedTransport(retryAfter(1, busy), ok);
    await expect(createClient({ transport, retry: false }).get(Widget, ref)).rejects.toSatisfy(isTooManyRequests);
  });
});

test.for([...all, ["watch", (client: Client, options: CallOptions) => client.watch(Widget, options)] as const])(
  "%s makes one attempt when told so, whatever it meets",
  async ([, call]) => {
    for (const reply of [retryAfter(1, busy), busy, broken, socketError("ECONNREFUSED"), socketError("ECONNRESET")]) {
      const { client, transport } = setUp(reply, ok);
      await expect(call(client, { retry: false })).rejects.toBeInstanceOf(Error);
      expect(transport.requests).toHaveLength(1);
    }
  },
);

describe("an abort", () => {
  const reason = new Error("boom");

  test("ends a wait for the next attempt with the signal's reason", async () => {
    const { client, clock, transport } = setUp(retryAfter(60, busy));
    const controller = new AbortController();
    const call = client.get(Widget, ref, { signal: controller.signal });
    expect(await after(clock, 10, call)).toBe("waiting");
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
    expect([transport.requests.length, clock.nextDue()]).toEqual([1, undefined]);
  });

  test("by close ends every wait for another attempt, and then the transport", async () => {
    const { client, clock, transport } = setUp(retryAfter(60, busy));
    const calls = [client.get(Widget, ref), client.update(Widget, widget, { signal: new AbortController().signal })];
    for (const call of calls) expect(await after(clock, 10, call)).toBe("waiting");
    await client.close();
    for (const call of calls)
      await expect(call).rejects.toMatchObject({ name: "ConnectionError", code: "ERR_CLOSED", server: "https://api" });
    expect([transport.requests.length, clock.nextDue()]).toEqual([2, undefined]);
  });

  test("before the call sends nothing", async () => {
    const { client, transport } = setUp(ok);
    await expect(client.get(Widget, ref, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(transport.requests).toEqual([]);
  });

  test("ends a request whose transport does not listen", async () => {
    const { client } = setUp(() => new Promise(() => {}));
    const controller = new AbortController();
    const call = client.update(Widget, widget, { signal: controller.signal });
    controller.abort(reason);
    await expect(call).rejects.toBe(reason);
  });
});

test("an error of beforeAttempt ends the call before anything else is sent", async () => {
  const { client, clock, transport } = setUp(retryAfter(1, busy), ok);
  let mayWrite = true;
  const beforeAttempt = (): void => {
    if (!mayWrite) throw new Error("not any more");
  };
  const call = client.update(Widget, widget, { beforeAttempt });
  mayWrite = false;
  expect(await after(clock, 1000, call)).toEqual(new Error("not any more"));
  expect(transport.requests).toHaveLength(1);
});

describe("onExchange", () => {
  test("is called for every attempt with its result", async () => {
    const { client, clock, exchanges } = setUp(socketError("ECONNRESET"), retryAfter(1, busy), ok);
    await after(clock, 5000, client.get(Widget, ref));
    const common = { method: "GET", verb: "get", groupKind: "Widget.example.dev", resource: "widgets.example.dev", server: "https://api" };
    expect(exchanges).toMatchObject([
      { ...common, attempt: 0, error: { code: "ERR_CONNECTION_LOST" } },
      { ...common, attempt: 1, status: 429 },
      { ...common, attempt: 2, status: 200, durationMs: 0 },
    ]);
  });

  test("is given the sizes of request and response", async () => {
    const { client, exchanges } = setUp(json(200, { ...widget, text: "ü" }), stream(""));
    await client.patch(Widget, ref, { type: "merge", body: { text: "ü" } });
    await client.watch(Widget);
    expect(exchanges).toMatchObject([
      { requestBytes: 13, responseBytes: Buffer.byteLength(JSON.stringify({ ...widget, text: "ü" })) },
      { requestBytes: 0 },
    ]);
    expect(exchanges[1]).not.toHaveProperty("responseBytes");
  });

  test("may throw without an effect on the call", async () => {
    const warnings: unknown[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.message);
    process.on("warning", onWarning);
    const onExchange = (): never => {
      throw new Error("boom");
    };
    const client = createClient({ transport: scriptedTransport(ok), onExchange });
    expect(await client.get(Widget, ref)).toMatchObject(widget);
    await new Promise((resolve) => setImmediate(resolve));
    process.off("warning", onWarning);
    expect(warnings).toEqual(["the onExchange of a client threw: boom"]);
  });
});

test("a raw request gets the user agent and the retries, and any status as its answer", async () => {
  const { client, clock, transport } = setUp(retryAfter(1, busy), json(404, { code: 404 }));
  const call = client.raw({ method: "GET", path: "/version", headers: { accept: "application/json" } });
  expect(await after(clock, 1000, call)).toMatchObject({ value: { status: 404 } });
  expect(transport.requests[1]).toMatchObject({ path: "/version", headers: { accept: "application/json", "user-agent": "treadle" } });
});
