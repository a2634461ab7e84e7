/**
 * The metrics of requests, with client-go's names and labels: one attempt counts once. `rest_client_rate_limiter_duration_seconds`
 * and `rest_client_dns_resolution_duration_seconds` are missing: our client has no rate limiter, and keeps its connections.
 */
import type { Exchange } from "@treadle/client";
import { Counter, Histogram, type Registry } from "./prom-client-parts.ts";

/** Kubernetes `component-base/metrics/prometheus/restclient`. */
const LATENCY_BUCKETS: number[] = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];
const SIZE_BUCKETS: number[] = [64, 256, 512, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216];

/** Makes the families. Returns a function that counts an attempt. */
export function requestFamilies(registry: Registry): (exchange: Exchange) => void {
  const registers = [registry];
  const total = new Counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, by status code, method and host.",
    labelNames: ["code", "method", "host"],
    registers,
  });
  const retries = new Counter({
    name: "rest_client_request_retries_total",
    help: "Number of HTTP requests that were another attempt, by status code, method and host.",
    labelNames: ["code", "verb", "host"],
    registers,
  });
  const histogram = (name: string, help: string, buckets: number[]): Histogram<"verb" | "host"> =>
    new Histogram({ name: `rest_client_${name}`, help, buckets, labelNames: ["verb", "host"], registers });
  const seconds = histogram("request_duration_seconds", "How long an HTTP request takes, by method and host.", LATENCY_BUCKETS);
  const sent = histogram("request_size_bytes", "Size of the bodies of HTTP requests, by method and host.", SIZE_BUCKETS);
  const received = histogram("response_size_bytes", "Size of the bodies of answers, by method and host.", SIZE_BUCKETS);
  // Nearly all requests go to one server, and parsing its URL costs more than the count.
  let last: { readonly server: string | undefined; readonly host: string } = { server: undefined, host: "" };
  return ({ status, method, server, attempt, durationMs, requestBytes, responseBytes }) => {
    const code = status === undefined ? "<error>" : String(status);
    if (last.server !== server) last = { server, host: hostOf(server) };
    const { host } = last;
    total.inc({ code, method, host });
    if (attempt > 0) retries.inc({ code, verb: method, host });
    const labels = { verb: method, host };
    seconds.observe(labels, durationMs / 1000);
    sent.observe(labels, requestBytes);
    if (responseBytes !== undefined) received.observe(labels, responseBytes);
  };
}

function hostOf(server: string | undefined): string {
  if (server === undefined) return "";
  return URL.canParse(server) ? new URL(server).host : server;
}
