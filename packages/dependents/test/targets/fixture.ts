/** A target cluster in memory behind HTTPS on loopback, and what a step does with a target, without a manager. */
import { type Clock, type KubernetesObject, systemClock } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { one } from "@treadle/reconcile";
import { Shared } from "@treadle/reconcile/unstable/engine";
import { Secret } from "@treadle/apimachinery/kinds";
import type { KnownTarget, TargetConnection, TargetDefinition, TargetOptions, TargetServices } from "../../src/targets/types.ts";

/** The owner of the tests. */
export function tenant(name = "a", spec: object = {}): KubernetesObject & { readonly spec: object } {
  return { apiVersion: "example.dev/v1", kind: "Tenant", metadata: { name, namespace: "team", uid: `uid-${name}` }, spec };
}

/** The Secret `team/remote`. */
export function secretWith(kubeconfig: string, data: Record<string, string> = { kubeconfig }): KubernetesObject {
  const encoded = Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString("base64")]));
  return { apiVersion: "v1", kind: "Secret", metadata: { name: "remote", namespace: "team" }, data: encoded } as KubernetesObject;
}

/** The read of the Secret. */
export const kubeconfig = one(Secret, () => "remote") as never as NonNullable<TargetOptions<KubernetesObject>["kubeconfig"]>;

/** A kubeconfig with one context. */
export function kubeconfigOf(cluster: object, user: object = { token: "the-token" }): string {
  return JSON.stringify({
    clusters: [{ name: "c", cluster }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

/** Services of an operator. */
export function servicesOf(given: Partial<TargetServices> & { readonly clock?: Clock } = {}): TargetServices & AsyncDisposable {
  const shared = new Shared();
  return {
    shared: (key, make) => shared.get(key, make),
    client: undefined as never as Client,
    clock: systemClock,
    name: "tenant",
    [Symbol.asyncDispose]: () => shared[Symbol.asyncDispose](),
    ...given,
  };
}

/** Connects as a step does. @throws Error for a refused target */
export function connected(
  target: { readonly definition: TargetDefinition },
  services: TargetServices,
  given: { readonly owner?: KubernetesObject; readonly secret?: KubernetesObject } = {},
): { readonly connection: TargetConnection; readonly identity: KnownTarget } {
  const identity = target.definition.identify(given.owner ?? tenant(), given.secret);
  if (identity.type === "refused") throw new Error(identity.message);
  return { identity, connection: target.definition.connect(identity, services) };
}
