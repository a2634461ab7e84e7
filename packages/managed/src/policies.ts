/** What a managed step may do at the provider, by the spec of the object and the functions of the author. Pure. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { AnyManagedOptions } from "./types.ts";

/** The actions that are allowed. Each implies that the resource is observed. */
export interface Allowed {
  readonly create: boolean;
  readonly update: boolean;
  readonly delete: boolean;
  readonly lateInitialize: boolean;
}

/**
 * Returns what is allowed for the object. The safe side wins: the resource is deleted only if `managementPolicies` and
 * `deletionPolicy` both say so. A missing field means its default, because an object of an older schema may lack it. A value that no
 * schema of today allows gives no right.
 */
export function allowedFor(object: KubernetesObject, options: AnyManagedOptions): Allowed {
  const { managementPolicies, deletionPolicy } = specOf(object);
  const policies = new Set<unknown>(managementPolicies === undefined || managementPolicies === null ? ["*"] : [managementPolicies].flat());
  const has = (policy: string): boolean => policies.has("*") || policies.has(policy);
  return {
    create: options.create !== undefined && has("Create"),
    update: options.update !== undefined && has("Update"),
    delete: options.delete !== undefined && has("Delete") && (deletionPolicy ?? "Delete") === "Delete",
    lateInitialize: options.lateInitialize !== undefined && has("LateInitialize"),
  };
}

/** Returns why the object is paused by its policies; `undefined`: it is not. */
export function pausedByPolicies(object: KubernetesObject): string | undefined {
  const { managementPolicies } = specOf(object);
  return Array.isArray(managementPolicies) && managementPolicies.length === 0 ? "spec.managementPolicies is empty" : undefined;
}

interface PolicySpec {
  readonly managementPolicies?: unknown;
  readonly deletionPolicy?: unknown;
}

function specOf(object: KubernetesObject): PolicySpec {
  return (object as { readonly spec?: PolicySpec }).spec ?? {};
}
