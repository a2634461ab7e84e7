/** The HTTP servers of a manager: probes and metrics, each where the options say, or not at all. */
import type { Registry } from "prom-client";
import type { ManagerOptions } from "../options.ts";
import type { HttpServerOptions } from "./http-server.ts";
import { probe } from "./probes.ts";

export function serverOptions(
  options: ManagerOptions,
  serves: { readonly checks: Parameters<typeof probe>[1]; readonly registry: () => Promise<Registry> },
): readonly HttpServerOptions[] {
  const { probes = {}, metrics = {}, host } = options;
  const servers: HttpServerOptions[] = [];
  if (probes !== false)
    servers.push({
      name: "probes",
      host: probes.host ?? host,
      port: probes.port ?? 8081,
      handle: (url) => probe(url, serves.checks),
    });
  if (metrics !== false)
    servers.push({
      name: "metrics",
      host: metrics.host ?? host,
      port: metrics.port ?? 8080,
      handle: async (url) => {
        if (url.pathname !== "/metrics") return undefined;
        const registry = await serves.registry();
        return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
      },
    });
  return servers;
}
