/** The HTTP servers of a manager: probes, metrics and debug, each where the options say, or not at all. */
import type { Clock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import { debugHandler, type DebugSource } from "../debug/debug-server.ts";
import { accessReview } from "../metrics/access-review.ts";
import type { ManagerMetrics } from "../metrics/prometheus.ts";
import { ServingCertificate } from "../metrics/serving-certificate.ts";
import type { ManagerOptions } from "../options.ts";
import { answering, type HttpServerOptions } from "./http-server.ts";
import { probe } from "./probes.ts";

export interface Served {
  readonly checks: Parameters<typeof probe>[1];
  /** Loaded where they are served. */
  readonly metrics: ManagerMetrics | undefined;
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly debug: DebugSource;
}

export function serverOptions({ probes = {}, metrics = {}, debug, host }: ManagerOptions, served: Served): readonly HttpServerOptions[] {
  const servers: HttpServerOptions[] = [];
  if (probes !== false)
    servers.push({
      name: "probes",
      host: probes.host ?? host,
      port: probes.port ?? 8081,
      listener: answering((url) => probe(url, served.checks)),
    });
  if (metrics !== false && served.metrics !== undefined) {
    const { registry, certificates } = served.metrics;
    const review = metrics.authorize === true ? accessReview(served) : undefined;
    servers.push({
      name: "metrics",
      host: metrics.host ?? host,
      port: metrics.port ?? 8080,
      certificate: metrics.tls && new ServingCertificate({ ...served, files: metrics.tls, metrics: certificates }),
      listener: answering(async (url, { authorization }) => {
        if (url.pathname !== "/metrics") return undefined;
        const refusal = await review?.(url.pathname, authorization);
        if (refusal !== undefined) return refusal;
        return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
      }),
    });
  }
  if (debug !== undefined && debug !== false) {
    const { host: at = "127.0.0.1", port = 6060 } = debug === true ? {} : debug;
    servers.push({ name: "debug", host: at, port, listener: answering(debugHandler(served.debug)) });
  }
  return servers;
}
