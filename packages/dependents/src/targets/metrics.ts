/** The metrics of targets: requests by the declared name of the set, and open connections. They name neither servers nor owners. */
import { metricParts } from "@treadle/controller/unstable/runnable";
import type { RunnableEnv } from "@treadle/controller";

/** Counts requests. */
export interface TargetMetrics {
  sent(name: string): void;
}

/** Makes the metrics of an operator; `undefined`: its metrics are off. */
export async function targetMetrics(env: Pick<RunnableEnv, "metrics">, open: () => number): Promise<TargetMetrics | undefined> {
  const registry = await env.metrics();
  if (registry === undefined) return undefined;
  const { Counter, Gauge } = await metricParts();
  const registers = [registry];
  // Another `targets()` of the operator counts in the same families.
  const before = registry.getSingleMetric(REQUESTS) as InstanceType<typeof Counter<"target">> | undefined; // Only this function makes it.
  const requests =
    before ??
    new Counter({ name: REQUESTS, help: "Number of HTTP requests to target clusters, by set.", labelNames: ["target"], registers });
  const counted = OPEN.get(registry) ?? new Set();
  OPEN.set(registry, counted.add(open));
  if (registry.getSingleMetric(TARGETS) === undefined)
    new Gauge({
      name: TARGETS,
      help: "Number of open connections to target clusters.",
      registers,
      collect() {
        this.set([...counted].reduce((sum, count) => sum + count(), 0));
      },
    });
  return { sent: (target) => requests.inc({ target }) };
}

const REQUESTS = "treadle_requests_total";
const TARGETS = "treadle_targets";

/** The counts of open connections, by registry. */
const OPEN: WeakMap<object, Set<() => number>> = new WeakMap();
