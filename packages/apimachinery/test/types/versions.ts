/** Definitions whose hub does not follow from the names of the versions, and the sentences that the compiler shows for them. */
import { defineResource } from "@treadle/apimachinery";
import { z } from "zod";

const names = { group: "t.treadle.dev", kind: "App", scope: "Namespaced" } as const;
const old = { spec: z.object({ domain: z.string() }) };
const current = { spec: z.object({ host: z.string() }) };

export const known = defineResource({ ...names, versions: { v1: current, v1alpha1: old } });
export const given = defineResource({ ...names, version: "v1alpha1", versions: { v1alpha1: old, v1: current } });

// @error add version: 'v1alpha1' to the definition, because the first version does not have the highest Kubernetes priority
export const unclear = defineResource({ ...names, versions: { v1alpha1: old, v1: current } });
// @error add version: 'v9' to the definition, because the first version does not have the highest Kubernetes priority
export const numbers = defineResource({ ...names, versions: { v9: old, v10: current } });
// @error add version: 'beta' to the definition, because the first version does not have the highest Kubernetes priority
export const words = defineResource({ ...names, versions: { beta: old, alpha: current } });
// @error Type '"Everywhere"' is not assignable to type '"Cluster" | "Namespaced"'
// @error another part of this definition is wrong
export const other = defineResource({ ...names, scope: "Everywhere", versions: { v1: current, v1alpha1: old } });
// @error Property 'spec' is missing in type '{ status: z.ZodObject<{}, z.core.$strip>; }' but required in type
export const noSpec = defineResource({ ...names, versions: { v1: current, v1alpha1: { status: z.object({}) } } });
// @error another part of this definition is wrong
export const noSuch = defineResource({ ...names, version: "v3", versions: { v1: current, v1alpha1: old } });
// @error Property 'spec' is missing
export const single = defineResource({ ...names, version: "v1" });
// @error status.conditions is kept by the engine: remove it, it is added to every status
export const reserved = defineResource({ ...names, version: "v1", spec: z.object({}), status: z.object({ conditions: z.string() }) });
const bare = { ...names, version: "v1", spec: z.object({ a: z.string() }) } as const;
// @error Type '"spec.b"' is not assignable to type
export const path = defineResource({ ...bare, printerColumns: [{ name: "B", path: "spec.b" }] });

type Known = typeof known;
export const version: Known["version"] = "v1";
// @error Type '"v2"' is not assignable to type '"v1"'
export const wrong: Known["version"] = "v2";
