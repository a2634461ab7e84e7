/** The metrics of a fresh operator have the names and labels that dashboards and alerts for controller-runtime ask for. */
import { handler, step } from "@treadle/reconcile";
import { expect, test } from "vitest";
import { startWorld, Widget, widget, type World } from "./world.ts";

const operator = handler(Widget, { name: "widgets" })
  .step(step(Widget, { name: "mirror", do: (req) => void (req.status.seen = req.object.spec.size) }))
  .build();

interface Family {
  readonly type: string;
  readonly labels: readonly string[];
  /** The series of a family that begin at 0. */
  readonly zero?: readonly Readonly<Record<string, string>>[];
  readonly buckets?: readonly number[];
}

const OURS = { controller: "widgets" };
const QUEUE = { name: "widgets", controller: "widgets" };
const passes = (type: string): Family => ({ type, labels: ["controller"], zero: [OURS] });
const queue = (type: string): Family => ({ type, labels: ["controller", "name"], zero: [QUEUE] });
const requests = (type: string): Family => ({ type, labels: ["host", "verb"] });

/** controller-runtime of August 2026, `pkg/internal/controller/metrics`, `pkg/metrics`, `pkg/certwatcher/metrics`. */
const FAMILIES: Readonly<Record<string, Family>> = {
  controller_runtime_reconcile_total: {
    type: "counter",
    labels: ["controller", "result"],
    zero: ["success", "error", "requeue", "requeue_after"].map((result) => ({ ...OURS, result })),
  },
  controller_runtime_reconcile_errors_total: passes("counter"),
  controller_runtime_terminal_reconcile_errors_total: passes("counter"),
  controller_runtime_reconcile_panics_total: passes("counter"),
  controller_runtime_reconcile_timeouts_total: passes("counter"),
  controller_runtime_reconcile_time_seconds: {
    ...passes("histogram"),
    buckets: [
      0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 3.5, 4,
      4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
    ],
  },
  controller_runtime_max_concurrent_reconciles: { type: "gauge", labels: ["controller"] },
  controller_runtime_active_workers: passes("gauge"),
  workqueue_depth: { type: "gauge", labels: ["controller", "name", "priority"], zero: [{ ...QUEUE, priority: "0" }] },
  workqueue_adds_total: queue("counter"),
  workqueue_queue_duration_seconds: { ...queue("histogram"), buckets: [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000] },
  workqueue_work_duration_seconds: { ...queue("histogram"), buckets: [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000] },
  workqueue_unfinished_work_seconds: queue("gauge"),
  workqueue_longest_running_processor_seconds: queue("gauge"),
  workqueue_retries_total: queue("counter"),
  rest_client_requests_total: { type: "counter", labels: ["code", "host", "method"] },
  rest_client_request_duration_seconds: requests("histogram"),
  rest_client_request_size_bytes: requests("histogram"),
  rest_client_response_size_bytes: requests("histogram"),
  rest_client_request_retries_total: { type: "counter", labels: ["code", "host", "verb"] },
  leader_election_master_status: { type: "gauge", labels: ["name"] },
  leader_election_slowpath_total: { type: "counter", labels: ["name"], zero: [{ name: "widgets" }] },
  certwatcher_read_certificate_total: { type: "counter", labels: [], zero: [{}] },
  certwatcher_read_certificate_errors_total: { type: "counter", labels: [], zero: [{}] },
};

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The text format, as Prometheus reads it: types of families, samples by the name of their series. */
async function scraped(world: World): Promise<{ readonly types: Map<string, string>; readonly samples: Map<string, Sample[]> }> {
  const text = await (await fetch(`${world.manager.addresses.metrics?.url}/metrics`)).text();
  const types = new Map<string, string>();
  const samples = new Map<string, Sample[]>();
  for (const line of text.split("\n")) {
    const type = /^# TYPE (\S+) (\S+)$/.exec(line);
    if (type !== null) types.set(type[1] ?? "", type[2] ?? "");
    const sample = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/.exec(line);
    if (line.startsWith("#") || sample === null) continue;
    const labels = Object.fromEntries([...(sample[2] ?? "").matchAll(/([a-z]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
    samples.set(sample[1] ?? "", [...(samples.get(sample[1] ?? "") ?? []), { labels, value: Number(sample[3]) }]);
  }
  return { types, samples };
}

test("a running operator has the families, labels and buckets of controller-runtime, its own series from the start at 0", async () => {
  let isFirst = true;
  const world = await startWorld({
    handlers: [operator],
    host: "127.0.0.1",
    metrics: { port: 0 },
    leaderElection: { namespace: "default" },
    intercept: (transport) => ({
      ...transport,
      async request(request) {
        if (request.method !== "PATCH" || !isFirst) return await transport.request(request);
        isFirst = false;
        return { status: 429, headers: { "retry-after": "1" }, body: "" };
      },
    }),
  });
  await world.clock.advance(1_000);
  await world.settled();
  const fresh = await scraped(world);
  await world.user.create(Widget, widget("a"));
  await world.settled(5_000);
  const used = await scraped(world);

  for (const [name, { type, labels, zero = [], buckets }] of Object.entries(FAMILIES)) {
    expect.soft(fresh.types.get(name), name).toBe(type);
    const counted = type === "histogram" ? `${name}_count` : name;
    for (const given of zero) expect.soft(fresh.samples.get(counted), name).toContainEqual({ labels: given, value: 0 });
    const found = used.samples.get(counted) ?? [];
    expect.soft(found, name).not.toEqual([]);
    for (const sample of found) expect.soft(Object.keys(sample.labels).toSorted(), name).toEqual(labels);
    if (buckets === undefined) continue;
    const bounds = (fresh.samples.get(`${name}_bucket`) ?? []).map(({ labels: { le } }) => Number(le)).filter(Number.isFinite);
    expect.soft(bounds, name).toEqual(buckets);
  }

  const value = (name: string, labels: object, from = used): number | undefined =>
    from.samples.get(name)?.find((sample) => Object.entries(labels).every(([key, each]) => sample.labels[key] === each))?.value;
  const kind = { kind: "Widget.test.treadle.dev" };
  expect({
    passes: value("controller_runtime_reconcile_total", { result: "success" }),
    workers: value("controller_runtime_max_concurrent_reconciles", OURS),
    leads: value("leader_election_master_status", { name: "widgets" }),
    refused: value("rest_client_requests_total", { method: "PATCH", code: "429" }),
    patched: value("rest_client_requests_total", { method: "PATCH", code: "200" }),
    retried: value("rest_client_request_retries_total", { verb: "PATCH", code: "200" }),
    attempts: value("rest_client_request_duration_seconds_count", { verb: "PATCH" }),
    cached: [value("treadle_informer_objects", kind, fresh), value("treadle_informer_objects", kind)],
    synced: value("treadle_informer_synced", kind),
    failing: value("treadle_informer_failing", kind),
  }).toEqual({ passes: 1, workers: 5, leads: 1, refused: 1, patched: 1, retried: 1, attempts: 2, cached: [0, 1], synced: 1, failing: 0 });
  expect(value("treadle_informer_age_seconds", kind)).toBeGreaterThanOrEqual(0);
  expect(value("rest_client_request_size_bytes_sum", { verb: "PATCH" })).toBeGreaterThan(10);
  expect(value("rest_client_response_size_bytes_sum", { verb: "PATCH" })).toBeGreaterThan(100);
});
