/**
 * Logs of pods, and proxies to pods, services and nodes. The checks before a connection are those of the real server. No container
 * and no kubelet runs here, so a request that would connect to one fails.
 */
import type { ApiResponse } from "@treadle/apimachinery";
import { invalid } from "../errors/field-errors.ts";
import { badRequest, internalError, invalidObject, notFound, serviceUnavailable } from "../errors/status-errors.ts";
import { goQuote } from "../internal/json.ts";
import { listAt, textAt } from "../internal/read.ts";
import type { Call } from "../request/context.ts";
import { readInteger } from "../request/write-options.ts";
import { resourceOf } from "../storage/registry.ts";
import { keyFor } from "../storage/store.ts";
import { admitPart } from "./admitted-part.ts";
import { checkContainer } from "./connect.ts";
import { requireEntry } from "./update.ts";

/** Handles a GET of `log`. A pod without a node has an empty log. @throws StatusError 400, 404, 422, 500 */
export async function readLog(call: Call): Promise<ApiResponse> {
  const { query, route, parts } = call;
  const errors = ["sinceSeconds", "limitBytes", "tailLines"].flatMap((field) => {
    const least = field === "tailLines" ? 0 : 1;
    const value = readInteger(query, field);
    return value === undefined || value >= least
      ? []
      : [invalid(field, value, `must be greater than ${least === 0 ? "or equal to " : ""}0`)];
  });
  const { object: pod } = requireEntry(call);
  if (errors.length > 0) throw invalidObject({ group: "", kind: "PodLogOptions" }, route.name, errors);
  checkContainer(pod, query.get("container") ?? "");
  const node = textAt(pod, "spec", "nodeName");
  if (node === "") return { status: 204, headers: {}, body: "" };
  // The real server looks for the node under the kind of the request.
  if (parts.store.collection("nodes").get(node) === undefined) throw notFound({ group: "", resource: "pods" }, node);
  throw internalError(`no kubelet runs on node ${goQuote(node)}`);
}

const KINDS: Readonly<Record<string, string>> = {
  pods: "PodProxyOptions",
  services: "ServiceProxyOptions",
  nodes: "NodeProxyOptions",
};

/** Reports whether a kind has the subresource `proxy`. */
export function hasProxy(id: string): boolean {
  return Object.hasOwn(KINDS, id);
}

/** Handles a request to `proxy`. @throws StatusError in every case, as no connection is possible */
export async function proxy(call: Call): Promise<ApiResponse> {
  const { served, route, query, parts } = call;
  const kind = { group: "", version: "v1", kind: KINDS[served.type.id] ?? "" };
  const path = query.get("path") ?? "";
  const object = { kind: kind.kind, apiVersion: "v1", ...(path === "" ? {} : { path }) };
  admitPart(call, { operation: "CONNECT", kind, object, isDryRun: false }).validate();
  const [scheme, name = "", port] = route.name.split(":").length > 2 ? route.name.split(":") : ["", ...route.name.split(":")];
  const entry = call.collection.get(keyFor(route.namespace, name));
  if (entry === undefined) throw notFound(resourceOf(served.type), name);
  if (served.type.id === "services") {
    const endpoints = parts.store.collection("endpoints").get(keyFor(route.namespace, name))?.object;
    if (endpoints === undefined) throw notFound(resourceOf(served.type), name);
    const isReady = listAt(endpoints, "subsets").some((subset) => listAt(subset, "addresses").length > 0);
    if (!isReady) throw serviceUnavailable(`no endpoints available for service ${goQuote(route.name)}`);
  }
  const ip = textAt(entry.object, "status", "podIP");
  if (served.type.id === "pods" && ip === "") throw badRequest("address not allowed");
  const target = served.type.id === "pods" ? `${ip}:${port ?? (scheme === "https" ? "443" : "80")}` : name;
  throw serviceUnavailable(`error trying to reach service: dial tcp ${target}: connect: connection refused`);
}
