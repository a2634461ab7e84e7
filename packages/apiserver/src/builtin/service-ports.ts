/** Node ports and addresses that a Service asks for: their ranges, and conflicts with other Services (core `service/portallocator`). */
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, textsAt } from "../internal/read.ts";
import { invalidObject } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";

/** First port of the default `--service-node-port-range`. */
export const FIRST_PORT = 30_000;
export const PORT_COUNT = 2768;
const LAST_PORT = FIRST_PORT + PORT_COUNT - 1;

/** Checks the ports and the address of a Service. A dry run does not check the range. @throws StatusError 422 */
export function checkAllocations(
  draft: Draft,
  previous: JsonObject | undefined,
  { store, isDryRun }: { readonly store: Store; readonly isDryRun: boolean },
): void {
  const others = store
    .collection("services")
    .all()
    .map(({ object }) => object)
    .filter(({ metadata }) => metadata.name !== draft.metadata.name || metadata.namespace !== draft.metadata.namespace)
    .map(({ spec }) => spec)
    .filter(isObject);
  const error = addressError(draft, previous, others) ?? portError(draft, previous, { others, isDryRun });
  if (error !== undefined) throw invalidObject({ group: "", kind: "Service" }, draft.metadata.name, [error]);
}

function addressError(draft: Draft, previous: JsonObject | undefined, others: readonly JsonObject[]): FieldError | undefined {
  const own = textsAt(previous, "spec", "clusterIPs");
  const wanted = textsAt(draft, "spec", "clusterIPs").filter((address) => address !== "None" && !own.includes(address));
  const taken = wanted.find((address) => others.some((other) => textsAt(other, "clusterIPs").includes(address)));
  if (taken === undefined) return undefined;
  return invalid(
    "spec.clusterIPs",
    textsAt(draft, "spec", "clusterIPs"),
    `failed to allocate IP ${taken}: provided IP is already allocated`,
  );
}

function portError(
  draft: Draft,
  previous: JsonObject | undefined,
  { others, isDryRun }: { readonly others: readonly JsonObject[]; readonly isDryRun: boolean },
): FieldError | undefined {
  const own = new Set(listAt(previous, "spec", "ports").map((port) => port["nodePort"]));
  // One Service may use a port for several protocols; two Services may not.
  const taken = new Set(others.flatMap((other) => listAt(other, "ports").map((port) => port["nodePort"])));
  for (const [i, port] of listAt(draft, "spec", "ports").entries()) {
    const { nodePort } = port;
    if (typeof nodePort !== "number" || nodePort === 0 || own.has(nodePort)) continue;
    const range = `provided port is not in the valid range. The range of valid ports is ${FIRST_PORT}-${LAST_PORT}`;
    if (!isDryRun && (nodePort < FIRST_PORT || nodePort > LAST_PORT)) return invalid(`spec.ports[${i}].nodePort`, nodePort, range);
    if (taken.has(nodePort)) return invalid(`spec.ports[${i}].nodePort`, nodePort, "provided port is already allocated");
  }
  return undefined;
}
