/** Where the leases of an operator are, and who this process is. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { AnyHandler } from "@treadle/reconcile";
import type { Predecessors } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import type { LeaderElectionOptions } from "./options.ts";

export interface LeasePlace {
  readonly identity: string;
  readonly leases: readonly { readonly name: string; readonly namespace: string }[];
}

/**
 * @param namespace of the configuration of the client, where that is known
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

/** A handler as far as leases are concerned; one of a test need have no pipeline. */
export type LeaseHandler = Pick<AnyHandler, "name"> & { readonly pipeline?: { readonly before: Pick<Predecessors, "names" | "leases"> } };

/**
 * All leases that must be held, the operator's own last. One that is named after the handler is renamed with it, and those of
 * operators whose place it takes are held, too. @throws ManagerError ERR_LEASE_NAME
 */
export function leaseNames(options: LeaderElectionOptions, handlers: readonly LeaseHandler[]): readonly string[] {
  const own = leaseName(options, handlers);
  const renamed = options.name === undefined ? (handlers[0]?.pipeline?.before.names.slice(1) ?? []) : [];
  const others = handlers.flatMap(({ pipeline }) => pipeline?.before.leases ?? []);
  const former = new Set([...(options.formerNames ?? []), ...renamed, ...others]);
  former.delete(own);
  return [...former, own];
}

/** What the holder of a lease is called, its former names included: so a version under the old name knows that it waits for its own successor. */
export function handlerNames(handlers: readonly LeaseHandler[]): readonly string[] {
  return handlers.flatMap(({ name, pipeline }) => pipeline?.before.names ?? [name]);
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

/** Where kubelet says it; a client that was given by the program has no configuration to ask. */
async function podNamespace(): Promise<string | undefined> {
  const file = "/var/run/secrets/kubernetes.io/serviceaccount/namespace";
  const text = await readFile(file, "utf8").catch(() => ""); // Not in a pod.
  return text.trim() || undefined;
}
