/** Types of the code that an author of a plugin writes; compiled by tsconfig.check.json, never run. */
import { ConfigMap, Secret, Service } from "@treadle/apimachinery/kinds";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { capability, dependent, planOf, type PlannedObjects } from "./index.ts";

const common = { name: "databases", category: "database" } as const;

export const two = capability({
  ...common,
  types: [
    { name: "postgresql", versions: ["16", "17"], parameters: z.object({ storageGb: z.int32().default(1) }) },
    { name: "redis", parameters: z.object({ persistent: z.boolean().optional() }) },
    { name: "sqlite" },
  ],
  kinds: [Secret, Service],
  plan({ type, version, parameters, live, owner }) {
    expectTypeOf(type).toEqualTypeOf<"postgresql" | "redis" | "sqlite">();
    if (type === "postgresql") {
      expectTypeOf(parameters.storageGb).toEqualTypeOf<number>();
      expectTypeOf(version).toEqualTypeOf<"16" | "17" | undefined>();
      // @ts-expect-error it is a parameter of redis
      void parameters.persistent;
    } else if (type === "redis") {
      expectTypeOf(parameters.persistent).toEqualTypeOf<boolean | undefined>();
      expectTypeOf(version).toEqualTypeOf<undefined>();
    }
    expectTypeOf(live["address"]?.spec.clusterIP).toEqualTypeOf<string | undefined>();
    expectTypeOf(live["credentials"]?.data?.["password"]).toEqualTypeOf<string | undefined>();
    expectTypeOf(owner.metadata.name).toEqualTypeOf<string>();
    // @ts-expect-error neither a Secret nor a Service has it
    void live["address"]?.rules;
    return [dependent("credentials", Secret, { stringData: { a: "b" } }, { updated: false })];
  },
});
expectTypeOf(planOf(two, {})).toEqualTypeOf<PlannedObjects>();

export const byId = capability({
  ...common,
  types: [{ name: "postgresql" }],
  kinds: { credentials: Secret, address: Service },
  async plan({ live }) {
    expectTypeOf(live.address?.spec.clusterIP).toEqualTypeOf<string | undefined>();
    // @ts-expect-error a Secret has no spec
    void live.credentials?.spec;
    // @ts-expect-error no object has this id
    void live.server;
    return await Promise.resolve([dependent("address", Service, { spec: { ports: [{ port: 1 }] } })]);
  },
});
expectTypeOf(planOf(byId, {})).toEqualTypeOf<Promise<PlannedObjects>>();

capability({
  ...common,
  types: [{ name: "postgresql" }],
  kinds: { credentials: Secret },
  // @ts-expect-error no object has the id "secret"
  plan: () => [dependent("secret", Secret, {})],
});
capability({
  ...common,
  types: [{ name: "postgresql" }],
  kinds: [Secret],
  plan: () => ({ problems: [{ path: "spec.version", message: "is too old" }] }),
});

// @ts-expect-error the namespace is that of the owner
dependent("a", ConfigMap, { metadata: { namespace: "b" } });
// @ts-expect-error the host refuses finalizers
dependent("a", ConfigMap, { metadata: { finalizers: ["a.dev/b"] } });
// @ts-expect-error a ConfigMap has no such field
dependent("a", ConfigMap, { date: {} });
dependent("a", ConfigMap, { metadata: { name: "b", labels: { c: "d" } }, data: {} }, { ready: "no", owned: false });
