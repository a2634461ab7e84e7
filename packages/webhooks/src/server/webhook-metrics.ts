/** The metrics of webhooks, with the names and labels of controller-runtime (`pkg/webhook/internal/metrics`). */
import { metricParts } from "@treadle/controller/unstable/runnable";
import type { Registry } from "prom-client";

/** Counts calls. */
export interface WebhookMetrics {
  /** Notes a call of a path. Returns a function for its end with the status of HTTP. */
  began(path: string): (status: number) => void;
  /** Counts a mistake of an author's function that the language found. */
  panicked(type: "admission" | "conversion"): void;
  /** Counts an object whose kept fields could not be used in a conversion. */
  ignored(kind: string): void;
}

/** Metrics that count nothing. */
export const NO_METRICS: WebhookMetrics = { began: () => () => {}, panicked() {}, ignored() {} };

/**
 * Makes the metrics. Every series exists from the start.
 *
 * @param paths the paths that are served, the values of the label `webhook`
 * @param kinds the kinds that are converted
 */
export async function webhookMetrics(registry: Registry, paths: readonly string[], kinds: readonly string[]): Promise<WebhookMetrics> {
  const { Counter, Gauge, Histogram } = await metricParts();
  const registers = [registry];
  const latency = new Histogram({
    name: "controller_runtime_webhook_latency_seconds",
    help: "Histogram of the latency of processing admission requests.",
    labelNames: ["webhook"],
    buckets: BUCKETS,
    registers,
  });
  const requests = new Counter({
    name: "controller_runtime_webhook_requests_total",
    help: "Total number of admission requests by HTTP status code.",
    labelNames: ["webhook", "code"],
    registers,
  });
  const inFlight = new Gauge({
    name: "controller_runtime_webhook_requests_in_flight",
    help: "Current number of admission requests being served.",
    labelNames: ["webhook"],
    registers,
  });
  const panics = {
    admission: new Counter({ name: "controller_runtime_webhook_panics_total", help: "Total number of webhook panics.", registers }),
    conversion: new Counter({
      name: "controller_runtime_conversion_webhook_panics_total",
      help: "Total number of conversion webhook panics.",
      registers,
    }),
  };
  const ignored = new Counter({
    name: "treadle_conversion_annotations_ignored_total",
    help: "Objects whose kept fields could not be used in a conversion.",
    labelNames: ["kind"],
    registers,
  });
  for (const webhook of paths) {
    latency.zero({ webhook });
    inFlight.set({ webhook }, 0);
    for (const code of ["200", "500"]) requests.inc({ webhook, code }, 0);
  }
  for (const kind of kinds) ignored.inc({ kind }, 0);
  return {
    began(webhook) {
      const startedMs = performance.now();
      inFlight.inc({ webhook });
      return (status) => {
        inFlight.dec({ webhook });
        latency.observe({ webhook }, (performance.now() - startedMs) / 1_000);
        requests.inc({ webhook, code: String(status) });
      };
    },
    panicked: (type) => panics[type].inc(),
    ignored: (kind) => ignored.inc({ kind }),
  };
}

/** The default buckets of Prometheus' Go client, which controller-runtime uses, in seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
