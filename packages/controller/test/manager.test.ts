/** The manager around its controllers: what it refuses, how it starts and fails to, how it stops. */
import { mkdtemp, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ApiError, fakeClock, type Transport } from "@treadle/apimachinery";
import { connect, createClient, httpTransport } from "@treadle/client";
import { type AnyHandler, conditions, handler, type Logger, step } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import { describe, expect, onTestFinished, test } from "vitest";
import { Registry } from "prom-client";
import { z } from "zod";
import { createManager, isManagerError, type ManagerErrorCode } from "../src/index.ts";
import { Gadget, startWorld, Widget, widget } from "./world.ts";

const quiet: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const idle = step(Widget, { name: "idle", do() {} });
const idling = handler(Widget).step(idle).build();
const ref = { name: "a", namespace: "default" };

/** Every request is refused. */
const forbidding = (transport: Transport): Transport => ({
  ...transport,
  request: async () => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ kind: "Status", apiVersion: "v1", status: "Failure", reason: "Forbidden", code: 403, message: "no" }),
  }),
});

/** Tells when no request is on its way. */
function counted(transport: Transport): { readonly transport: Transport; quiet(): Promise<void> } {
  const requests = new Set<Promise<unknown>>();
  return {
    transport: {
      ...transport,
      request(request) {
        const answer = transport.request(request);
        const ended = answer.catch(() => undefined).finally(() => requests.delete(ended));
        requests.add(ended);
        return answer;
      },
    },
    async quiet() {
      while (requests.size > 0) await Promise.all(requests);
    },
  };
}

function errorOf(run: () => unknown): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("add", () => {
  const stateful = (name: string): AnyHandler =>
    handler(Widget, { name })
      .step(step(Widget, { name: "remembering", state: z.object({ n: z.number().default(0) }), do() {} }))
      .build();
  const ready = (name: string): AnyHandler => handler(Widget, { name }).step(conditions()).step(idle).build();
  const noting = (name: string, rules: ReturnType<typeof conditions>): AnyHandler =>
    handler(Widget, { name })
      .step(rules)
      .step(step(Widget, { name: `note-${name}`, conditions: ["Noted"], do: (req) => void req.conditions.true("Noted") }))
      .build();

  const cleaning = (name: string): AnyHandler =>
    handler(Widget, { name })
      .step(step(Widget, { name: "clean", cleanup() {} }))
      .build();
  const taking = (name: string, other: string): AnyHandler => {
    const finalizers = [pipelineOf(cleaning(other)).finalizer ?? ""];
    return handler(Widget, { name, takesOver: [{ finalizers }] })
      .step(step(Widget, { name: "tidy", cleanup() {} }))
      .build();
  };

  test.for([
    {
      name: "two handlers of one name",
      first: handler(Widget, { name: "x" }).step(idle).build(),
      second: handler(Gadget, { name: "x" }).step(conditions()).build(),
    },
    { name: "two that keep Ready of one kind", first: ready("x"), second: ready("y") },
    { name: "two stateful steps of one name on one kind", first: stateful("x"), second: stateful("y") },
    {
      name: "two that keep one condition of one kind",
      first: noting("x", conditions()),
      second: noting("y", conditions({ ready: false })),
    },
    { name: "one that takes the finalizer of another for that of a predecessor", first: cleaning("x"), second: taking("y", "x") },
  ])("refuses $name, and says so", ({ first, second }, { expect }) => {
    const manager = createManager({ log: quiet }).add(first);
    expect(errorOf(() => manager.add(second))).toMatchObject({ code: "ERR_ADD_REFUSED", message: expect.stringContaining(second.name) });
  });

  test("accepts a second handler of a kind that does not set Ready, and stateful steps of one name on two kinds", () => {
    const manager = createManager({ log: quiet }).add(ready("x"));
    manager.add(
      handler(Widget, { name: "y" })
        .step(conditions({ ready: false }))
        .step(idle)
        .build(),
    );
    expect(() => manager.add(handler(Gadget).step(conditions()).build())).not.toThrow();
  });

  test("names the condition that two handlers would set, and each conflict once", () => {
    const add = (first: AnyHandler, second: AnyHandler): unknown => errorOf(() => createManager({ log: quiet }).add(first).add(second));
    expect(add(noting("x", conditions()), noting("y", conditions({ ready: false })))).toMatchObject({
      message: expect.stringMatching(
        /^cannot add handler "y": handler "x" also sets condition "Noted" of \S+, so .*rename the condition in one of them$/,
      ),
    });
    expect(add(ready("x"), ready("y"))).toMatchObject({ message: expect.not.stringContaining('"Ready"') });
    expect(add(noting("x", conditions()), handler(Gadget).step(conditions()).build())).toBeUndefined();
  });

  test("webhooks that were added without a server are refused with the server that they need", () => {
    const add = (): unknown => createManager({ log: quiet }).add({ type: "webhooks" } as never);
    expect(errorOf(add)).toMatchObject({ name: "TypeError", message: expect.stringContaining("add webhookServer([...], { service })") });
  });

  test.for([0, -1, 1.5, Number.NaN])("refuses a concurrency of %d", (concurrency, { expect }) => {
    expect(errorOf(() => createManager({ log: quiet }).add(idling, { concurrency }))).toBeInstanceOf(RangeError);
  });

  test("refuses values that are neither handler nor runnable, and every call after the start", async () => {
    const world = await startWorld({ handlers: [idling] });
    for (const given of [{}, undefined, null, "handler", handler(Widget)])
      expect(
        errorOf(() => createManager({ log: quiet }).add(given as never)),
        String(given),
      ).toMatchObject({
        name: "TypeError",
        message: expect.stringMatching(/^manager\.add: (give a handler|this handler is not built: call \.build\(\))/),
      });
    expect(errorOf(() => world.manager.add(idling))).toMatchObject({ code: "ERR_ADD_REFUSED" });
    await expect(world.manager.start()).rejects.toMatchObject({ code: "ERR_ALREADY_STARTED" });
  });
});

describe("a start that fails", () => {
  test("a kind that may not be listed is logged once, immediately, and ends the start after cacheSyncTimeoutMs with the fix", async () => {
    const world = await startWorld({ handlers: [idling], start: false, cacheSyncTimeoutMs: 60_000, intercept: forbidding });
    const started = world.manager.run().catch((error: unknown) => error);
    await world.clock.advance(0);
    const warnings = (): string[] => world.logs.filter(({ level }) => level === "warn").map(({ text }) => text);
    expect(warnings()).toEqual([expect.stringMatching(/^cannot watch Widget: .*allow list and watch of widgets\.test\.treadle\.dev/)]);
    await world.clock.advance(59_999);
    expect(world.manager.status().state).toBe("starting");
    await world.clock.advance(1);
    const error = await started;
    expect(isManagerError(error)).toBe(true);
    expect(error).toMatchObject({
      code: "ERR_CACHE_SYNC",
      message: expect.stringMatching(/Widget \(test\.treadle\.dev\/v1\): .*; allow list and watch of widgets\.test\.treadle\.dev/),
      cause: expect.any(ApiError),
    });
    expect(world.manager.status().state).toBe("stopped");
    expect(world.server.watchCount).toBe(0);
  });

  test("a CRD that is installed while the operator waits for it is found", async () => {
    const world = await startWorld({ handlers: [idling], resources: [Gadget], start: false });
    const started = world.manager.start();
    await world.clock.advance(30_000);
    world.server.install(Widget);
    await world.clock.advance(30_000);
    await started;
    await world.user.create(Widget, widget("a"));
    await world.settled();
    expect(world.passesSince()).toEqual(["default/a"]);
  });

  test("an unreachable server is named", async () => {
    // A port that was free a moment ago.
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    await new Promise((resolve) => taken.close(resolve));
    const server = `http://127.0.0.1:${port}`;
    const clock = fakeClock();
    const sockets = counted(httpTransport({ server, clock }));
    const warnings: string[] = [];
    const manager = createManager({
      client: (wish) => createClient({ ...wish, transport: sockets.transport }),
      clock,
      log: { ...quiet, warn: (_, text) => void warnings.push(text) },
      probes: false,
      metrics: false,
      signals: false,
      cacheSyncTimeoutMs: 60_000,
    });
    let failed: unknown;
    const run = manager
      .add(idling)
      .run()
      .catch((error: unknown) => {
        failed = error;
      });
    // The sockets are real: no time may pass while one is on its way.
    for (; failed === undefined; await clock.advance(100)) await sockets.quiet();
    await run;
    expect(warnings[0]).toContain(`cannot watch Widget: no connection to ${server}`);
    expect(failed).toMatchObject({ code: "ERR_CACHE_SYNC", message: expect.stringContaining(`127.0.0.1:${port}`) });
  });

  test("a malformed kubeconfig is reported as it is", async () => {
    const file = join(await mkdtemp(join(tmpdir(), "treadle-")), "config");
    await writeFile(file, "clusters: [");
    const manager = createManager({ client: () => connect({ kubeconfig: file }), log: quiet, probes: false, metrics: false });
    await expect(manager.run()).rejects.toMatchObject({ name: "ConfigError", message: expect.stringContaining(file) });
    expect(manager.status().state).toBe("stopped");
  });

  test("a port in use names the option, and nothing is left running", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    onTestFinished(() => void taken.close());
    await new Promise((resolve) => taken.once("listening", resolve));
    const { port } = taken.address() as AddressInfo;
    const world = await startWorld({ handlers: [idling], start: false, probes: { port }, host: "127.0.0.1" });
    await expect(world.manager.start()).rejects.toMatchObject({
      code: "ERR_LISTEN",
      message: expect.stringContaining("probes: { port } or TREADLE_PROBES_PORT"),
    });
    expect(world.lists).toEqual([]);
  });

  test("a runnable that fails to start ends the start, and earlier runnables are stopped", async () => {
    const calls: string[] = [];
    const world = await startWorld({ handlers: [idling], start: false });
    world.manager.add({ name: "first", start: () => void calls.push("start"), stop: () => void calls.push("stop") }).add({
      name: "second",
      start: async () => {
        throw "no";
      },
    });
    await expect(world.manager.start()).rejects.toMatchObject({ code: "ERR_RUNNABLE", message: 'cannot start runnable "second": no' });
    expect(calls).toEqual(["start", "stop"]);
    expect(world.server.watchCount).toBe(0);
  });
});

describe("a failure next to the client", () => {
  test("closes the client that was made for the manager", async () => {
    let closed = 0;
    const world = await startWorld({ handlers: [idling], start: false });
    const client = { ...world.user, close: async () => void closed++ };
    const { registerMetric } = Registry.prototype;
    Registry.prototype.registerMetric = () => {
      throw new Error("no metrics today");
    };
    onTestFinished(() => {
      Registry.prototype.registerMetric = registerMetric;
    });
    const manager = createManager({ client: () => client, clock: world.clock, log: quiet, probes: false });
    await expect(manager.add(idling).start()).rejects.toThrow("no metrics today");
    expect(closed).toBe(1);
    expect(manager.status().state).toBe("stopped");
  });

  test("secrets in an error of a runnable are not in the manager's error", async () => {
    const world = await startWorld({ handlers: [idling], start: false });
    world.manager.add({ name: "db", start: () => Promise.reject(new Error("login failed: password=hunter2")) });
    await expect(world.manager.start()).rejects.toMatchObject({ message: expect.not.stringContaining("hunter2") });
  });
});

describe("stop", () => {
  function holding() {
    const log: string[] = [];
    const release = Promise.withResolvers<void>();
    const held = step(Widget, {
      name: "held",
      conditions: ["Held"],
      async do(req) {
        log.push(`begin ${req.object.metadata.name}`);
        req.status.text = "begun";
        await Promise.race([
          release.promise,
          new Promise((_, reject) => req.signal.addEventListener("abort", () => reject(req.signal.reason))),
        ]);
        log.push(`end ${req.object.metadata.name}`);
        req.status.text = "ended";
      },
    });
    return { log, release, handler: handler(Widget).step(conditions()).step(held).build() };
  }

  test("passes in progress finish and are saved, queued passes do not begin, and runnables and watches end last", async () => {
    const { log, release, handler: held } = holding();
    const world = await startWorld({ handlers: [], start: false });
    world.manager.add(held, { concurrency: 1 }).add({ start: () => void log.push("up"), stop: () => void log.push("down") });
    await world.manager.start();
    await world.user.create(Widget, widget("a"));
    await world.user.create(Widget, widget("b"));
    await world.clock.advance(0);
    const stopped = world.manager.stop();
    await world.clock.advance(10_000);
    expect(world.manager.status().state).toBe("stopping");
    release.resolve();
    await stopped;
    expect(log).toEqual(["up", "begin a", "end a", "down"]);
    expect((await world.user.get(Widget, ref))?.status?.text).toBe("ended");
    expect(world.server.watchCount).toBe(0);
    expect(world.manager.status().state).toBe("stopped");
    await expect(world.manager.stop(), "again").resolves.toBeUndefined();
  });

  test("the signal of a pass is aborted after two thirds of the stop, which is not an error, and its status is saved", async () => {
    const { log, handler: held } = holding();
    const world = await startWorld({ handlers: [held], gracefulShutdownMs: 30_000 });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    const stopped = world.manager.stop();
    await world.clock.advance(19_999);
    expect(world.reports).toEqual([]);
    await world.clock.advance(1);
    await stopped;
    expect(log).toEqual(["begin a"]);
    expect(world.reports[0]?.result).toMatchObject({ requeue: { type: "none" } });
    expect(world.reports[0]?.result.error).toBeUndefined();
    expect((await world.user.get(Widget, ref))?.status?.text).toBe("begun");
  });

  test("a pass is saved without a step that ignores its signal; the stop fails in the end, because that step still runs", async () => {
    const deaf = step(Widget, {
      name: "deaf",
      do(req) {
        req.status.text = "begun";
        return new Promise<void>(() => undefined);
      },
    });
    const world = await startWorld({ handlers: [handler(Widget).step(deaf).build()], gracefulShutdownMs: 3_000 });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    const stopped = world.manager.stop();
    const failed = expect(stopped).rejects.toMatchObject({
      code: "ERR_SHUTDOWN_TIMEOUT",
      message: expect.stringContaining("1 of widgets") as string,
    });
    await world.clock.advance(2_000);
    expect((await world.user.get(Widget, ref))?.status?.text).toBe("begun");
    await world.clock.advance(1_000);
    await failed;
    expect(world.logs.map(({ text }) => text)).not.toContain("the manager has stopped");
  });

  test.for([
    { name: "that returns in time does not fail it", returns: true },
    { name: "that goes on fails it, also when its pass was over long ago", returns: false },
  ])("the stop waits for a step beyond its deadline; one $name", async ({ returns }) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const deaf = step(Widget, { name: "deaf", timeoutMs: 1_000, do: () => promise });
    const world = await startWorld({
      handlers: [
        handler(Widget, { deadlines: { passMs: 5_000 } })
          .step(deaf)
          .build(),
      ],
      gracefulShutdownMs: 3_000,
    });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(returns ? 1_000 : 5_500);
    expect(world.passes.length).toBeGreaterThan(0);
    let outcome: unknown = "stopping";
    void world.manager.stop().then(
      () => (outcome = "stopped"),
      (error: unknown) => (outcome = error),
    );
    await world.clock.advance(1_000);
    expect(outcome).toBe("stopping");
    if (returns) resolve();
    await world.clock.advance(2_000);
    if (returns) expect(outcome).toBe("stopped");
    else expect(outcome).toMatchObject({ code: "ERR_SHUTDOWN_TIMEOUT" });
    resolve();
  });

  test("a pass that does not end is left behind, with an error that names it", async () => {
    const writing = step(Widget, { name: "writing", do: (req) => void (req.status.seen = 1) });
    const world = await startWorld({
      handlers: [handler(Widget).step(writing).build()],
      gracefulShutdownMs: 3_000,
      intercept: (transport) => ({
        ...transport,
        request: (request) => (request.method === "PATCH" ? new Promise(() => undefined) : transport.request(request)),
      }),
    });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    const stopped = world.manager.stop().catch((error: unknown) => error);
    await world.clock.advance(3_000);
    expect(await stopped).toMatchObject({
      code: "ERR_SHUTDOWN_TIMEOUT",
      message: expect.stringContaining("1 of widgets.test.treadle.dev"),
    });
    expect(world.server.watchCount, "the rest is stopped all the same").toBe(0);
  });

  test("a stop while an awaited request has no answer is not stored as a mistake of the step", async () => {
    const reading = handler(Widget)
      .step(conditions())
      .step(
        step(Widget, {
          name: "reading",
          conditions: ["Read"],
          reads: {},
          permissions: [{ kind: Gadget, verbs: ["get"] }],
          async do(req) {
            await req.client.get(Gadget, "silent");
            return req.conditions.true("Read");
          },
        }),
      )
      .build();
    const world = await startWorld({
      handlers: [reading],
      gracefulShutdownMs: 3_000,
      intercept: (transport) => ({
        request: (request) =>
          request.path.endsWith("/gadgets/silent")
            ? new Promise((_, reject) => request.signal?.addEventListener("abort", () => reject(request.signal?.reason as Error)))
            : transport.request(request),
        close: () => transport.close(),
      }),
    });
    await world.user.create(Widget, widget("a"));
    await world.clock.advance(0);
    const stopped = world.manager.stop();
    await world.clock.advance(10_000);
    await stopped;
    expect(world.reports.map(({ result }) => [result.outcome.type, result.error])).toEqual([["stop", undefined]]);
    expect(world.logs.filter(({ level }) => level === "error")).toEqual([]);
    const stored = await world.user.get(Widget, { name: "a", namespace: "default" });
    expect(JSON.stringify(stored?.status ?? {})).not.toContain("NotAwaited");
  });

  test("run() resolves after stop(), and a stop during the start is not a failure", async () => {
    const world = await startWorld({ handlers: [idling], start: false });
    const run = world.manager.run();
    await world.settled();
    await world.manager.stop();
    await expect(run).resolves.toBeUndefined();

    const waiting = await startWorld({ handlers: [idling], resources: [Gadget], start: false });
    const early = waiting.manager.run();
    await waiting.clock.advance(1_000);
    await waiting.manager.stop();
    await expect(early).resolves.toBeUndefined();
  });

  test("a manager that was never started stops immediately and cannot be started any more", async () => {
    const manager = createManager({ log: quiet, clock: fakeClock() });
    await manager.stop();
    await expect(manager.start()).rejects.toMatchObject({ code: "ERR_ALREADY_STARTED" satisfies ManagerErrorCode });
  });

  test("await using stops the manager", async () => {
    const world = await startWorld({ handlers: [idling], start: false });
    {
      await using manager = world.manager;
      await manager.start();
      expect(world.server.watchCount).toBe(1);
    }
    expect(world.server.watchCount).toBe(0);
  });

  test("a client of the caller is not closed; a client that was made for the manager is", async () => {
    let closed = 0;
    const world = await startWorld({ handlers: [idling], start: false });
    const own = { ...world.user, close: async () => void closed++ };
    for (const client of [own, () => own]) {
      const manager = createManager({ client, clock: world.clock, log: quiet, probes: false, metrics: false });
      await manager.add(idling).start();
      await manager.stop();
    }
    expect(closed).toBe(1);
  });
});

test("settled waits for a pass that waits for time, up to the horizon", async () => {
  const sleeping = step(Widget, {
    name: "sleeping",
    timeoutMs: 5_000,
    do: (req) => new Promise<void>((_, reject) => req.signal.addEventListener("abort", () => reject(req.signal.reason))),
  });
  const world = await startWorld({ handlers: [], start: false });
  world.manager.add(handler(Widget).step(sleeping).build(), { backoff: { baseMs: 60_000, maxMs: 60_000 } });
  await world.manager.start();
  await world.user.create(Widget, widget("a"));
  await world.settled(30_000);
  expect(world.reports).toHaveLength(1);
  expect(world.reports[0]?.result.error).toMatchObject({ code: "ERR_STEP_TIMEOUT" });
});

test("settled rejects with its signal", async () => {
  const stuck = step(Widget, { name: "stuck", do: () => new Promise<void>(() => undefined) });
  const world = await startWorld({ handlers: [handler(Widget).step(stuck).build()], gracefulShutdownMs: 0 });
  await world.user.create(Widget, widget("a"));
  const controller = new AbortController();
  const settled = world.manager.settled({ signal: controller.signal });
  setImmediate(() => controller.abort(new Error("enough")));
  await expect(settled).rejects.toThrow("enough");
});
