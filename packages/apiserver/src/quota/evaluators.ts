/**
 * The evaluators of all kinds. Most kinds have only their number, `count/KIND.GROUP`.
 *
 * The device classes of ResourceClaims are not counted, because nothing here allocates devices.
 */
import type { JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt } from "../internal/read.ts";
import type { ResourceType } from "../storage/registry.ts";
import { claims } from "./claims.ts";
import type { Evaluator } from "./evaluator.ts";
import { pods } from "./pods.ts";

/** Returns the evaluator of a kind, or `undefined` for a kind that no quota counts. */
export function evaluatorOf({ id, isNamespaced, isReview }: Pick<ResourceType, "id" | "isNamespaced" | "isReview">): Evaluator | undefined {
  if (!isNamespaced || isReview === true || IGNORED.has(id)) return undefined;
  return SPECIAL.get(id) ?? numberOf(id);
}

const IGNORED: ReadonlySet<string> = new Set(["events", "events.events.k8s.io", "bindings"]);

/** Kinds with an older name of their number. */
const ALIASES: ReadonlySet<string> = new Set(["configmaps", "resourcequotas", "replicationcontrollers", "secrets"]);

function numberOf(id: string): Evaluator {
  const name = `count/${id}`;
  const usage = ALIASES.has(id) ? { [name]: "1", [id]: "1" } : { [name]: "1" };
  return {
    counts: (resource) => Object.hasOwn(usage, resource),
    handles: ({ previous, subresource }) => previous === undefined && subresource === "",
    usage: () => usage,
    isIn: () => false,
  };
}

const services: Evaluator = {
  counts: (resource) => SERVICE_RESOURCES.has(resource),
  handles: ({ subresource }) => subresource === "",
  usage(object) {
    const spec = objectAt(object, "spec");
    const type = textAt(spec, "type");
    const ports = listAt(spec, "ports");
    const isBalanced = type === "LoadBalancer";
    // Ports are counted before the server chooses their numbers.
    const isGiven = isBalanced && spec["allocateLoadBalancerNodePorts"] === false;
    const nodePorts = isGiven ? ports.filter(({ nodePort }) => Boolean(nodePort)) : type === "NodePort" || isBalanced ? ports : [];
    return {
      "count/services": "1",
      services: "1",
      "services.loadbalancers": isBalanced ? "1" : "0",
      "services.nodeports": String(nodePorts.length),
    };
  },
  isIn: () => false,
  releases: (object, previous) => balancing(object) !== balancing(previous),
};

const SERVICE_RESOURCES: ReadonlySet<string> = new Set(["count/services", "services", "services.nodeports", "services.loadbalancers"]);

function balancing(service: JsonObject): string {
  const type = textAt(service, "spec", "type");
  return type === "NodePort" || type === "LoadBalancer" ? type : "";
}

const SPECIAL: ReadonlyMap<string, Evaluator> = new Map([
  ["pods", pods],
  ["services", services],
  ["persistentvolumeclaims", claims],
]);
