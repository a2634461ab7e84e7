/** Probes and metrics, over real sockets. */
import { conditions, handler, one, step, TerminalError } from "@treadle/reconcile";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { register } from "prom-client";
import { describe, expect, test } from "vitest";
import { startWorld, Widget, widget, type World, type WorldOptions } from "./world.ts";

const mirror = step(Widget, { name: "mirror", do: (req) => void (req.status.seen = req.object.spec.size) });
const mirroring = handler(Widget).step(mirror).build();
const PATH = "/apis/test.treadle.dev/v1/namespaces/default/widgets";

async function served(
  options: Partial<WorldOptions> = {},
): Promise<World & { get(where: "probes" | "metrics", path: string): Promise<[number, string]> }> {
  const world = await startWorld({ handlers: [mirroring], host: "127.0.0.1", probes: { port: 0 }, metrics: { port: 0 }, ...options });
  return {
    ...world,
    async get(where, path) {
      const response = await fetch(`${world.manager.addresses[where]?.url}${path}`);
      return [response.status, await response.text()];
    },
  };
}

describe("probes", () => {
  test("a running operator is alive and ready, and lists its checks", async () => {
    const { get } = await served();
    expect(await get("probes", "/healthz")).toEqual([200, "ok\n"]);
    expect(await get("probes", "/readyz")).toEqual([200, "ok\n"]);
    expect(await get("probes", "/readyz?verbose")).toEqual([200, "[+]running ok\n[+]informers ok\nreadyz check passed\n"]);
    expect(await get("probes", "/healthz/ping")).toEqual([200, "ok\n"]);
    expect((await get("probes", "/healthz/nothing"))[0]).toBe(404);
    expect((await get("probes", "/constructor"))[0]).toBe(404);
    expect((await get("probes", "/metrics"))[0]).toBe(404);
  });

  test("probes answer before the caches have synced: alive, not ready", async () => {
    const world = await startWorld({ handlers: [mirroring], resources: [], start: false, host: "127.0.0.1", probes: { port: 0 } });
    const started = world.manager.start().catch(() => undefined);
    while (world.manager.addresses.probes === undefined) await new Promise(setImmediate);
    const get = async (path: string): Promise<number> => (await fetch(`${world.manager.addresses.probes?.url}${path}`)).status;
    expect([await get("/healthz"), await get("/readyz")]).toEqual([200, 500]);
    await world.manager.stop();
    await started;
  });

  test("a check does not reveal secrets, neither thrown nor returned ones", async () => {
    const world = await served({ start: false });
    world.manager
      .addReadyzCheck("thrown", () => Promise.reject(new Error("no route to postgres://app:hunter2@db/app")))
      .addReadyzCheck("named", () => "token=hunter2 expired");
    await world.manager.start();
    const [status, body] = await world.get("probes", "/readyz");
    expect(status).toBe(500);
    expect(body).toContain("[-]thrown failed: no route to postgres://app:<redacted>@db/app");
    expect(body).not.toContain("hunter2");
  });

  test("a custom check that throws, or returns a problem, fails only its probe", async () => {
    const world = await served({ start: false });
    world.manager
      .addReadyzCheck("provider", async () => {
        throw new Error("no route");
      })
      .addHealthzCheck("disk", () => "full");
    await world.manager.start();
    expect(await world.get("probes", "/readyz")).toEqual([
      500,
      "[+]running ok\n[+]informers ok\n[-]provider failed: no route\nreadyz check failed\n",
    ]);
    expect(await world.get("probes", "/readyz?exclude=provider")).toEqual([200, "ok\n"]);
    expect((await world.get("probes", "/healthz"))[0]).toBe(500);
  });

  test("a dead watch makes the process not ready after three minutes, not alive after fifteen, and ready again when it recovers", async () => {
    const cut = new AbortController();
    let isCut = false;
    const world = await served({
      intercept: (transport) => ({
        ...transport,
        request(request) {
          if (isCut) return Promise.reject(Object.assign(new Error("reset"), { code: "ECONNRESET" }));
          if (cut.signal.aborted || request.stream !== true) return transport.request(request);
          return transport.request({ ...request, signal: AbortSignal.any([cut.signal, request.signal ?? cut.signal]) });
        },
      }),
    });
    isCut = true;
    cut.abort();
    await world.clock.advance(170_000);
    expect((await world.get("probes", "/readyz"))[0], "it may come back soon").toBe(200);
    for (let i = 0; i < 11; i++) await world.clock.advance(60_000);
    expect((await world.get("probes", "/readyz"))[0]).toBe(500);
    expect((await world.get("probes", "/readyz?verbose"))[1]).toContain("[-]informers failed: Widget: no news for");
    expect((await world.get("probes", "/healthz"))[0]).toBe(200);
    for (let i = 0; i < 15; i++) await world.clock.advance(60_000);
    expect((await world.get("probes", "/healthz"))[0]).toBe(500);
    expect(world.manager.status().state, "the process stays up").toBe("running");
    isCut = false;
    await world.clock.advance(60_000);
    expect((await world.get("probes", "/readyz"))[0]).toBe(200);
    expect((await world.get("probes", "/healthz"))[0]).toBe(200);
  });
});

describe("metrics", () => {
  test("every series of a controller exists from the start, at zero", async () => {
    const { get } = await served();
    const [status, text] = await get("metrics", "/metrics");
    expect(status).toBe(200);
    const name = "widgets.test.treadle.dev";
    for (const result of ["success", "error", "requeue", "requeue_after"])
      expect(text).toContain(`controller_runtime_reconcile_total{controller="${name}",result="${result}"} 0`);
    for (const series of [
      "reconcile_errors_total",
      "terminal_reconcile_errors_total",
      "reconcile_panics_total",
      "reconcile_timeouts_total",
    ])
      expect(text).toContain(`controller_runtime_${series}{controller="${name}"} 0`);
    expect(text).toContain(`controller_runtime_reconcile_time_seconds_count{controller="${name}"} 0`);
    expect(text).toContain(`controller_runtime_max_concurrent_reconciles{controller="${name}"} 5`);
    expect(text).toContain(`controller_runtime_active_workers{controller="${name}"} 0`);
    for (const series of ["adds_total", "retries_total", "queue_duration_seconds_count", "work_duration_seconds_count"])
      expect(text).toContain(`workqueue_${series}{name="${name}",controller="${name}"} 0`);
    for (const series of ["unfinished_work_seconds", "longest_running_processor_seconds"])
      expect(text).toContain(`workqueue_${series}{name="${name}",controller="${name}"} 0`);
    expect(text).toContain(`workqueue_depth{name="${name}",controller="${name}",priority="0"} 0`);
    expect(text).toMatch(/^rest_client_requests_total\{code="200",method="GET",host=".*"\} 1$/m);
    expect(text).toMatch(/^process_cpu_seconds_total \d/m);
  });

  test("passes are counted by their results", async () => {
    const outcomes = step(Widget, {
      name: "outcomes",
      do(req) {
        switch (req.object.metadata.name) {
          case "fails":
            throw new Error("boom");
          case "gives-up":
            throw new TerminalError("bad");
          case "throws-text":
            throw "text";
          case "has-a-bug":
            return (undefined as unknown as { f(): undefined }).f();
          case "waits":
            return req.wait("later", 60_000);
          default:
            return;
        }
      },
    });
    const world = await served({ handlers: [handler(Widget, { name: "w" }).step(conditions()).step(outcomes).build()] });
    for (const name of ["fine", "fails", "gives-up", "throws-text", "has-a-bug", "waits"]) await world.user.create(Widget, widget(name));
    await world.settled();
    const [, text] = await world.get("metrics", "/metrics");
    const value = (series: string): number =>
      Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${series} `))
          ?.split(" ")
          .at(-1),
      );
    expect({
      success: value('controller_runtime_reconcile_total{controller="w",result="success"}'),
      error: value('controller_runtime_reconcile_total{controller="w",result="error"}'),
      after: value('controller_runtime_reconcile_total{controller="w",result="requeue_after"}'),
      errors: value('controller_runtime_reconcile_errors_total{controller="w"}'),
      terminal: value('controller_runtime_terminal_reconcile_errors_total{controller="w"}'),
      panics: value('controller_runtime_reconcile_panics_total{controller="w"}'),
      count: value('controller_runtime_reconcile_time_seconds_count{controller="w"}'),
      retries: value('workqueue_retries_total{name="w",controller="w"}'),
    }).toEqual({ success: 1, error: 4, after: 1, errors: 4, terminal: 1, panics: 2, count: 6, retries: 4 });
  });

  test("custom metrics are served next to ours, and the global registry stays empty", async () => {
    const world = await served({ start: false });
    const { Counter } = await import("prom-client");
    const registry = await world.manager.metrics();
    new Counter({ name: "buckets_total", help: "Buckets made.", registers: [registry] }).inc(3);
    await world.manager.start();
    expect((await world.get("metrics", "/metrics"))[1]).toContain("buckets_total 3");
    expect(await register.getMetricsAsJSON()).toEqual([]);
  });

  test("two managers in one process do not share their numbers", async () => {
    const [first, second] = [await served(), await served()];
    await first.user.create(Widget, widget("a"));
    await first.settled();
    const line = 'controller_runtime_reconcile_total{controller="widgets.test.treadle.dev",result="success"}';
    expect((await first.get("metrics", "/metrics"))[1]).toContain(`${line} 1`);
    expect((await second.get("metrics", "/metrics"))[1]).toContain(`${line} 0`);
  });

  test("only reading is allowed", async () => {
    const { manager } = await served();
    const response = await fetch(`${manager.addresses.metrics?.url}/metrics`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test("a watch that is refused later, or a kind that is uninstalled, does not stop the process or the other kinds", async () => {
  const noting = step(Widget, { name: "noting", do: (req) => void (req.status.seen = req.object.spec.size) });
  let reads = 0;
  const reading = step(Widget, {
    name: "reading",
    reads: { config: one(ConfigMap, (o) => o.metadata.name) },
    do: () => void reads++,
  });
  let isForbidden = false;
  const world = await served({
    handlers: [handler(Widget).step(noting).step(reading).build()],
    intercept: (transport) => ({
      ...transport,
      request: async (request) =>
        isForbidden && request.path.includes("/configmaps")
          ? {
              status: 403,
              headers: {},
              body: JSON.stringify({ kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: "no" }),
            }
          : await transport.request(request),
    }),
  });
  isForbidden = true;
  for (let i = 0; i < 30; i++) await world.clock.advance(60_000);
  expect((await world.get("probes", "/readyz?verbose"))[1]).toContain("ConfigMap: no news for");
  expect((await world.get("probes", "/healthz"))[0], "a new process would be refused, too").toBe(200);
  expect(
    world.logs.filter(({ level, text }) => level === "warn" && text.includes("allow list and watch of configmaps")).length,
    "half an hour of retries: list and watch may each say so once in ten minutes",
  ).toBeLessThanOrEqual(6);
  await world.user.create(Widget, widget("a", { size: 6 }));
  await world.settled();
  const written = world.requests.filter((request) => !request.includes("events.k8s.io"));
  expect(written.at(-1)).toBe(`PATCH ${PATH}/a/status`);
  expect(reads, "what is read may be out of date").toBe(0);
});
