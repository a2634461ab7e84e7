import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret, StatefulSet } from "@treadle/apimachinery/kinds";
import { handler } from "@treadle/reconcile";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { dependentApply } from "./dependent-apply.ts";

const Store = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Store",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ credentials: z.string(), shards: z.array(z.object({ name: z.string(), size: z.int32() })) }),
});

const credentials = dependentApply(Store, {
  name: "credentials",
  kind: Secret,
  objectName: (store) => store.spec.credentials,
  created: false,
  gives: {
    user: (secret) => secret.data?.["user"],
    version: (secret, store) => {
      expectTypeOf(secret).toEqualTypeOf<ObjectOf<typeof Secret>>();
      expectTypeOf(store).toEqualTypeOf<ObjectOf<typeof Store>>();
      return secret.data === undefined ? null : Object.keys(secret.data).length;
    },
  },
});

const shards = dependentApply(Store, {
  name: "shards",
  kind: StatefulSet,
  needs: [credentials],
  each: (store) => store.spec.shards.map((shard) => ({ key: shard.name, ...shard })),
  objectName: (store, item) => {
    expectTypeOf(item).toEqualTypeOf<{ name: string; size: number; key: string }>();
    return `${store.metadata.name}-${item.key}`;
  },
  desired: (_store, { vars }, item) => {
    expectTypeOf(vars.user).toEqualTypeOf<string>();
    expectTypeOf(vars.version).toEqualTypeOf<number>();
    return { spec: { replicas: item.size } };
  },
  readyWhen: (live, _store, _inputs, { size }) => live.status?.readyReplicas === size || "not all replicas are ready",
  status: (entry, _live, _error, item) => ({ ...entry, message: item.key }),
  gives: { url: (live, _store, { key }) => (live.status === undefined ? undefined : `http://${key}`) },
});

const index = dependentApply(Store, {
  name: "index",
  kind: ConfigMap,
  needs: [shards],
  dependsOn: [shards, credentials],
  desired: (_store, { vars, dependents }) => {
    expectTypeOf(vars.url).toEqualTypeOf<Readonly<Record<string, string>>>();
    expectTypeOf(dependents.shards).toEqualTypeOf<Readonly<Record<string, ObjectOf<typeof StatefulSet>>>>();
    expectTypeOf(dependents.credentials).toEqualTypeOf<ObjectOf<typeof Secret> | undefined>();
    return { data: vars.url };
  },
});

describe("gives", () => {
  test("the vars of a giver are those that later steps need", () => {
    handler(Store).step(credentials).step(shards).step(index);
    // @ts-expect-error shards needs vars.user and vars.version
    handler(Store).step(shards);
  });

  test("two givers of one name do not fit into one list", () => {
    const other = dependentApply(Store, { name: "other", kind: Secret, created: false, gives: { user: (secret) => secret.type } });
    // @ts-expect-error credentials gives vars.user as well
    handler(Store).step(credentials).step(other);
  });
});

describe("each", () => {
  test("an item without a key is a compile error", () => {
    dependentApply(Store, {
      name: "x",
      kind: ConfigMap,
      // @ts-expect-error the item has no key
      each: (store) => store.spec.shards,
      desired: {},
    });
  });

  test("each returns a list at once", () => {
    // @ts-expect-error a promise
    dependentApply(Store, { name: "x", kind: ConfigMap, each: async () => [{ key: "a" }], desired: {} });
    // @ts-expect-error a number is not a key
    dependentApply(Store, { name: "x", kind: ConfigMap, each: () => [{ key: 1 }], desired: {} });
  });

  test("without each there is no item", () => {
    dependentApply(Store, {
      name: "x",
      kind: ConfigMap,
      desired: (_store, _inputs, item) => {
        expectTypeOf(item).toEqualTypeOf<undefined>();
        return {};
      },
    });
  });

  test("it may be written after the functions that get no item", () => {
    dependentApply(Store, {
      name: "x",
      kind: ConfigMap,
      desired: (store) => ({ data: { a: store.spec.credentials } }),
      each: (store) => store.spec.shards.map(({ name }) => ({ key: name })),
    });
  });
});
