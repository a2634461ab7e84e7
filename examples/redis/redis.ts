/** The resource, and its handler: a set of what the chart renders for a Redis. */
import { conditions, defineResource, dependentSet, handler, type ObjectOf, one, setStatus } from "treadle";
import { helm } from "treadle/generators";
import { ConfigMap, Job, Secret, Service, StatefulSet } from "treadle/kinds";
import { z } from "zod";

const spec = z.object({ replicas: z.int32().min(1).max(9).default(1), maxMemory: z.string().default("64mb"), passwordSecret: z.string() });
const names = { group: "examples.treadle.dev", version: "v1", kind: "Redis", plural: "redises", scope: "Namespaced" } as const;
export const Redis = defineResource({ ...names, dependents: true, stepState: true, spec, status: z.object({ ...setStatus }) });
export interface Redis extends ObjectOf<typeof Redis> {}

const set = dependentSet(Redis, {
  name: "redis",
  condition: "RedisReady",
  kinds: [ConfigMap, Job, Secret, Service, StatefulSet],
  reads: { secret: one(Secret, (redis: Redis) => redis.spec.passwordSecret) },
  objects: helm(new URL("./chart", import.meta.url), {
    values: ({ spec: { replicas, maxMemory } }, { reads }) => ({ replicas, maxMemory, password: reads.secret?.data?.["password"] ?? "" }),
  }),
});
export const redis = handler(Redis).step(conditions()).step(set).build();
