/** The HTTP servers of a manager: probes, metrics and debug, each where the options say, or not at all. */
import type { Services } from "../manager/services.ts";
import { debugHandler, type DebugSource } from "./debug/debug-server.ts";
import { accessReview } from "../metrics/access-review.ts";
import { ServingCertificate } from "../metrics/serving-certificate.ts";
import type { Health } from "./health.ts";
import { answering, type HttpServerOptions } from "./http-server.ts";
import { probe } from "./probes.ts";

/** What the servers show. */
export interface ServerSources extends DebugSource {
  readonly health: Health;
}

/** The servers of a manager, in the order in which they are started. */
export function managerServers(services: Services, sources: ServerSources): readonly HttpServerOptions[] {
  const { probes = {}, metrics = {}, debug, host } = services.options;
  const servers: HttpServerOptions[] = [];
  if (probes !== false)
    servers.push({
      name: "probes",
      host: probes.host ?? host,
      port: probes.port ?? 8081,
      listener: answering((url) => probe(url, sources.health.probes)),
    });
  if (metrics !== false && services.metrics !== undefined) {
    const { registry, certificates } = services.metrics;
    const review = metrics.authorize === true ? accessReview(services) : undefined;
    servers.push({
      name: "metrics",
      host: metrics.host ?? host,
      port: metrics.port ?? 8080,
      certificate: metrics.tls && new ServingCertificate({ ...services, files: metrics.tls, metrics: certificates }),
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
    servers.push({ name: "debug", host: at, port, listener: answering(debugHandler(sources, services)) });
  }
  return servers;
}
