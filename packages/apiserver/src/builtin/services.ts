/**
 * Assigns addresses and ports to Services, from the default ranges of clusters. They depend on the name of the Service, so
 * equal tests get equal addresses. Nothing listens there.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import type { Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { FIRST_PORT, PORT_COUNT } from "./service-ports.ts";

/** Assigns what the type of a Service needs, and removes what it no longer needs (core `service/storage`, `service/strategy`). */
export function prepareService(draft: Draft, previous: JsonObject | undefined, { store }: { readonly store: Store }): void {
  if (!isObject(draft["spec"]) || draft["spec"] === previous?.["spec"]) return;
  const spec: JsonObject = { ...draft["spec"] };
  const old = isObject(previous?.["spec"]) ? previous["spec"] : undefined;
  if (old !== undefined) {
    keepAssigned(spec, old);
    dropUnneeded(spec, old);
  }
  const name = `${draft.metadata.namespace ?? ""}/${draft.metadata.name}`;
  assignAddress(spec, name, store);
  assignPorts(spec, name, store);
  draft["spec"] = spec;
}

/** Keeps assigned values that a client omits. */
function keepAssigned(spec: JsonObject, old: JsonObject): void {
  if (hasAddress(spec) && hasAddress(old)) {
    if (spec["clusterIP"]) followAddress(spec, old);
    spec["clusterIP"] ||= old["clusterIP"];
    spec["clusterIPs"] ??= old["clusterIPs"];
    if (spec["ipFamilies"] === undefined && old["ipFamilies"] !== undefined) spec["ipFamilies"] = old["ipFamilies"];
    if (spec["ipFamilyPolicy"] === undefined && old["ipFamilyPolicy"] !== undefined) spec["ipFamilyPolicy"] = old["ipFamilyPolicy"];
  }
  if (hasNodePorts(spec) && hasNodePorts(old)) {
    const before = new Map(portsOf(old).map((port) => [keyOf(port), port["nodePort"]]));
    spec["ports"] = portsOf(spec).map((port) => {
      const nodePort = port["nodePort"] ?? before.get(keyOf(port));
      return nodePort === undefined ? port : { ...port, nodePort };
    });
  }
  if (needsHealthCheck(spec) && needsHealthCheck(old)) spec["healthCheckNodePort"] ??= old["healthCheckNodePort"];
}

/** Treats one address of a client as the first of several. */
function followAddress(spec: JsonObject, old: JsonObject): void {
  const { clusterIPs } = spec;
  if (spec["clusterIP"] === old["clusterIP"] || !jsonEqual(clusterIPs, old["clusterIPs"]) || !Array.isArray(clusterIPs)) return;
  spec["clusterIPs"] = [spec["clusterIP"], ...clusterIPs.slice(1)];
}

/** Removes the fields that only the old type had, unless the client changed them. */
function dropUnneeded(spec: JsonObject, old: JsonObject): void {
  const drop = (field: string): void => {
    if (JSON.stringify(spec[field]) === JSON.stringify(old[field])) delete spec[field];
  };
  if (hasAddress(old) && !hasAddress(spec))
    for (const field of ["clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy", "internalTrafficPolicy"]) drop(field);
  if (hasNodePorts(old) && !hasNodePorts(spec)) {
    const before = new Set(portsOf(old).map((port) => port["nodePort"]));
    spec["ports"] = portsOf(spec).map(({ nodePort, ...port }) =>
      nodePort === undefined || before.has(nodePort) ? port : { ...port, nodePort },
    );
  }
  if (isExternal(old) && !isExternal(spec)) drop("externalTrafficPolicy");
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old["type"] === "LoadBalancer" && spec["type"] !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts");
    drop("loadBalancerClass");
  }
}

function assignAddress(spec: JsonObject, name: string, store: Store): void {
  if (!hasAddress(spec)) return;
  // Addresses without the first one, and those of another family, are refused.
  const isRefused = Array.isArray(spec["clusterIPs"]) || (Array.isArray(spec["ipFamilies"]) && spec["ipFamilies"][0] !== "IPv4");
  if (!spec["clusterIP"]) {
    if (isRefused) return;
    const taken = new Set(storedSpecs(store).map((other) => other["clusterIP"]));
    spec["clusterIP"] = free(addressOf, { from: hash(name), count: ADDRESSES, taken });
  }
  spec["clusterIPs"] ??= [spec["clusterIP"]];
  const isOpen = spec["clusterIP"] === "None" && spec["selector"] === undefined;
  spec["ipFamilyPolicy"] ??= isOpen ? "RequireDualStack" : "SingleStack";
  const family = String(spec["clusterIP"]).includes(":") ? "IPv6" : "IPv4";
  spec["ipFamilies"] ??= isOpen ? ["IPv4", "IPv6"] : [family];
}

function assignPorts(spec: JsonObject, name: string, store: Store): void {
  const wantsPorts = hasNodePorts(spec) && !(spec["type"] === "LoadBalancer" && spec["allocateLoadBalancerNodePorts"] === false);
  const wantsCheck = needsHealthCheck(spec) && spec["healthCheckNodePort"] === undefined;
  if (!wantsCheck && !(wantsPorts && portsOf(spec).some((port) => port["nodePort"] === undefined))) return;
  const specs = [...storedSpecs(store), spec];
  const taken = new Set<unknown>(specs.flatMap((one) => [one["healthCheckNodePort"], ...portsOf(one).map((port) => port["nodePort"])]));
  const next = (key: string): number => {
    const port = free((i) => FIRST_PORT + i, { from: hash(`${name}/${key}`), count: PORT_COUNT, taken });
    taken.add(port);
    return port;
  };
  if (wantsPorts) spec["ports"] = portsOf(spec).map((port) => ({ ...port, nodePort: port["nodePort"] ?? next(keyOf(port)) }));
  if (wantsCheck) spec["healthCheckNodePort"] = next("health");
}

/** Start of 10.96.0.0/12, the range of kubeadm, without the first addresses, which clusters use themselves. */
const FIRST_ADDRESS = (10 * 256 + 96) * 256 * 256 + 256;
const ADDRESSES = 2 ** 20 - 512;

function addressOf(index: number): string {
  const value = FIRST_ADDRESS + index;
  return [24, 16, 8, 0].map((bits) => (value >>> bits) & 255).join(".");
}

/** Returns the first value from an index on that is not taken. @throws Error when all are taken */
function free<T>(
  valueAt: (index: number) => T,
  { from, count, taken }: { readonly from: number; readonly count: number; readonly taken: ReadonlySet<unknown> },
): T {
  for (let i = 0; i < count; i++) {
    const value = valueAt((from + i) % count);
    if (!taken.has(value)) return value;
  }
  throw new Error(`all ${count} addresses or ports for Services are in use`);
}

/** FNV-1a. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value >>> 0;
}

function storedSpecs(store: Store): JsonObject[] {
  return store
    .collection("services")
    .all()
    .map(({ object }) => object["spec"])
    .filter(isObject);
}

function hasAddress(spec: JsonObject): boolean {
  return spec["type"] !== "ExternalName";
}

function hasNodePorts({ type }: JsonObject): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function isExternal(spec: JsonObject): boolean {
  return hasNodePorts(spec) || (spec["type"] === "ClusterIP" && Array.isArray(spec["externalIPs"]));
}

function needsHealthCheck(spec: JsonObject): boolean {
  return spec["type"] === "LoadBalancer" && spec["externalTrafficPolicy"] === "Local";
}

function portsOf(spec: JsonObject): readonly JsonObject[] {
  return listAt(spec, "ports");
}

function keyOf({ protocol, port }: JsonObject): string {
  return `${String(protocol)}/${String(port)}`;
}
