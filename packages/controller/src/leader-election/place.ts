/** The leases of an operator, and the identity of this process. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { AnyHandler } from "@treadle/reconcile";
import { isHandler, pipelineOf, type Predecessors } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import type { LeaderElectionOptions } from "./options.ts";

export interface LeasePlace {
  readonly identity: string;
  readonly leases: readonly { readonly name: string; readonly namespace: string }[];
}

/**
 * Decides the leases and the identity.
 * @param namespace the namespace of the client's configuration, if it is known
 * @throws ManagerError ERR_LEASE_NAME when a manager of several handlers names no lease
 */
export async function leasePlace(
  options: LeaderElectionOptions,
  given: { readonly handlers: readonly LeaseHandler[]; readonly namespace: string | undefined },
): Promise<LeasePlace> {
  const names = leaseNames(options, given.handlers);
  const namespace = options.namespace ?? given.namespace ?? (await podNamespace()) ?? "default";
  return {
    identity: options.identity ?? `${hostname()}_${randomUUID()}`,
    leases: names.map((name) => ({ name, namespace })),
  };
}

/** The part of a handler that leases need. A test may give a name alone. */
export type LeaseHandler = Pick<AnyHandler, "name">;

/**
 * The names of all leases that must be held, the operator's own last. A lease that has the name of the handler is renamed
 * with it, and the leases of replaced operators are held as well. @throws ManagerError ERR_LEASE_NAME
 */
export function leaseNames(options: LeaderElectionOptions, handlers: readonly LeaseHandler[]): readonly string[] {
  const own = leaseName(options, handlers);
  const renamed = options.name === undefined ? (beforeOf(handlers[0])?.names.slice(1) ?? []) : [];
  const others = handlers.flatMap((handler) => beforeOf(handler)?.leases ?? []);
  const former = new Set([...(options.formerNames ?? []), ...renamed, ...others]);
  former.delete(own);
  return [...former, own];
}

/** The names of the handlers, former names included, so that a version under a former name recognises its successor. */
export function handlerNames(handlers: readonly LeaseHandler[]): readonly string[] {
  return handlers.flatMap((handler) => beforeOf(handler)?.names ?? [handler.name]);
}

function beforeOf(handler: LeaseHandler | undefined): Predecessors | undefined {
  return isHandler(handler) ? pipelineOf(handler).before : undefined;
}

/** The name of the operator's own lease. @throws ManagerError ERR_LEASE_NAME */
function leaseName({ name }: LeaderElectionOptions, handlers: readonly Pick<AnyHandler, "name">[]): string {
  const [first, ...rest] = handlers;
  if (name !== undefined) return name;
  if (first !== undefined && rest.length === 0) return first.name;
  const names = handlers.map((handler) => handler.name).join(", ") || "no handler";
  const message = `cannot elect a leader for ${names}: the lease of a manager has the name of its handler only where there is one; give leaderElection: { name }`;
  throw new ManagerError("ERR_LEASE_NAME", message);
}

/** The namespace of the pod, as the kubelet writes it. A client that the program gives has no configuration. */
async function podNamespace(): Promise<string | undefined> {
  const file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
  const text = await readFile(file, "utf8").catch(() => ""); // Not in a pod.
  return text.trim() || undefined;
}
