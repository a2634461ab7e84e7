/**
 * Connections to pods: exec, attach and port forwarding. They pass admission as on the real server. No kubelet runs here, so each
 * of them fails in the end.
 */
import type { ApiResponse } from "@treadle/apimachinery";
import { goQuote, type JsonObject } from "../internal/json.ts";
import { listAt, textAt } from "../internal/read.ts";
import { badRequest, internalError, notFound } from "../errors/status-errors.ts";
import type { Call } from "../request/context.ts";
import { admitPart } from "./admitted-part.ts";
import { requireEntry } from "./update.ts";

const KINDS: Readonly<Record<string, string>> = {
  exec: "PodExecOptions",
  attach: "PodAttachOptions",
  portforward: "PodPortForwardOptions",
};

/** Reports whether a subresource of pods is a connection. */
export function isConnection(subresource: string): boolean {
  return Object.hasOwn(KINDS, subresource);
}

/** Handles a connection. @throws StatusError in every case, as no connection is possible */
export async function connect(call: Call): Promise<ApiResponse> {
  const { subresource } = call.route;
  const kind = { group: "", version: "v1", kind: KINDS[subresource] ?? "" };
  const object = { kind: kind.kind, apiVersion: "v1", ...optionsIn(subresource, call.query) };
  admitPart(call, { operation: "CONNECT", kind, object, isDryRun: false }).validate();
  const { object: pod } = requireEntry(call);
  const { name } = pod.metadata;
  if (subresource !== "portforward") checkContainer(pod, call.query.get("container") ?? "");
  const node = textAt(pod, "spec", "nodeName");
  if (node === "") throw badRequest(`pod ${name} does not have a host assigned`);
  if (call.parts.store.collection("nodes").get(node) === undefined) throw notFound({ group: "", resource: "nodes" }, node);
  throw internalError(`error dialing backend: no kubelet runs on node ${goQuote(node)}`);
}

/** Returns the options of the query, as Go reads them: a zero value is left out. */
function optionsIn(subresource: string, query: URLSearchParams): JsonObject {
  if (subresource === "portforward") {
    const ports = query.getAll("ports").map(Number);
    return ports.length === 0 ? {} : { ports };
  }
  const flags = ["stdin", "stdout", "stderr", "tty"].filter((name) => isTrue(query.get(name)));
  const container = query.get("container") ?? "";
  const command = query.getAll("command");
  return {
    ...Object.fromEntries(flags.map((name) => [name, true])),
    ...(container === "" ? {} : { container }),
    ...(subresource === "exec" ? { command: command.length === 0 ? null : command } : {}),
  };
}

/** Every text but these is true for Go's converter of queries. */
function isTrue(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

/** Checks that a pod has the wanted container, or only one. @throws StatusError 400 */
export function checkContainer(pod: { readonly metadata: { readonly name: string } }, wanted: string): void {
  const { name } = pod.metadata;
  const named = (field: string): readonly string[] => listAt(pod, "spec", field).map((container) => textAt(container, "name"));
  const containers = named("containers");
  const all = [...named("initContainers"), ...containers, ...named("ephemeralContainers")];
  if (wanted !== "" && !all.includes(wanted)) throw badRequest(`container ${wanted} is not valid for pod ${name}`);
  if (wanted === "" && containers.length !== 1)
    throw badRequest(`a container name must be specified for pod ${name}, choose one of: [${all.join(" ")}]`);
}
