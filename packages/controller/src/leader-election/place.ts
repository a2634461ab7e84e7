/** Where the leases of an operator are, and who this process is. */
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import type { AnyHandler } from "@treadle/reconcile";
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
  given: { readonly handlers: readonly Pick<AnyHandler, "name">[]; readonly namespace: string | undefined },
): Promise<LeasePlace> {
  const own = leaseName(options, given.handlers);
  const namespace = options.namespace ?? given.namespace ?? (await podNamespace()) ?? "default";
  return {
    identity: options.identity ?? `${hostname()}_${randomUUID()}`,
    leases: [...(options.formerNames ?? []), own].map((name) => ({ name, namespace })),
  };
}

/** The name of the operator's own lease. @throws ManagerError ERR_LEASE_NAME */
export function leaseName({ name }: LeaderElectionOptions, handlers: readonly Pick<AnyHandler, "name">[]): string {
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
