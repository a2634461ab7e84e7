import { defineResource, type KubernetesObject } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import type { OneRead } from "@treadle/reconcile/unstable/engine";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { definitionOfProvider, provider, type ProviderDefinition, readsOf } from "./provider.ts";

const spec = z.object({ url: z.string(), secret: z.string().optional() });
const names = { group: "store.example.com", version: "v1", status: z.object({}) } as const;
const StoreConfig = defineResource({ ...names, kind: "StoreConfig", scope: "Namespaced", spec });
const ClusterConfig = defineResource({ ...names, kind: "ClusterConfig", scope: "Cluster", spec });

const object = (given: object = {}): KubernetesObject => ({
  apiVersion: "store.example.com/v1",
  kind: "Bucket",
  metadata: { name: "b", namespace: "shop" },
  ...given,
});

const connect = (): number => 1;

function definitionOf(value: unknown): ProviderDefinition {
  const definition = definitionOfProvider(value);
  if (definition === undefined) throw new Error("not a provider");
  return definition;
}

test("a provider is found by its brand, with its options and their defaults", () => {
  const store = provider(StoreConfig, { connect: ({ config }) => ({ url: config.spec.url }), rate: { perSecond: 4 } });
  const definition = definitionOf(store);
  expect(definition.config).toBe(StoreConfig);
  expect(definition.options.rate).toEqual({ perSecond: 4, burst: 4 });
  expect(Object.isFrozen(definition)).toBe(true);
  expect([undefined, null, "x", {}, { ...definition }].map(definitionOfProvider)).toEqual(Array.from({ length: 5 }));
});

test.for([
  { name: "the reference of the spec", given: object({ spec: { providerConfigRef: { name: "prod" } } }), want: "prod" },
  { name: "no spec", given: object(), want: undefined },
  { name: "no name", given: object({ spec: { providerConfigRef: {} } }), want: undefined },
  { name: "an empty name", given: object({ spec: { providerConfigRef: { name: "" } } }), want: undefined },
  { name: "garbage", given: object({ spec: { providerConfigRef: { name: 1 } } }), want: undefined },
])("configOf reads by default: $name", ({ given, want }) => {
  expect(definitionOf(provider(StoreConfig, { connect: () => 1 })).configOf(given)).toBe(want);
});

test("configOf of the author replaces the reference", () => {
  const store = provider(StoreConfig, { connect: () => 1, configOf: ({ metadata }) => ({ name: metadata.name, namespace: "system" }) });
  expect(definitionOf(store).configOf(object())).toEqual({ name: "b", namespace: "system" });
});

describe("reads", () => {
  test("a provider without a Secret reads the config alone", () => {
    const reads = readsOf(definitionOf(provider(StoreConfig, { connect: () => 1 })));
    expect(Object.keys(reads)).toEqual(["config"]);
    expect(reads.config).toMatchObject({ type: "one", kind: StoreConfig });
  });

  test("the Secret is read through the config", () => {
    const reads = readsOf(definitionOf(provider(StoreConfig, { connect: () => 1, secret: (config) => config.spec.secret })));
    const secret = reads.secret as unknown as OneRead;
    expect(secret).toMatchObject({ type: "one", kind: Secret, through: reads.config });
    expect(secret.ref(object({ spec: { secret: "s" } }))).toBe("s");
    expect(secret.ref(object({ spec: { secret: "" } })), "an empty name is no Secret").toBeUndefined();
    expect(secret.ref(object({ spec: {} }))).toBeUndefined();
  });

  test("a cluster-scoped config must name the namespace of its Secret", () => {
    const config = object({ metadata: { name: "default" }, spec: { secret: "s" } });
    const refOf = (
      secret: (given: {
        readonly spec: { readonly secret?: string | undefined };
      }) => string | { name: string; namespace?: string } | undefined,
    ): OneRead["ref"] => (readsOf(definitionOf(provider(ClusterConfig, { connect: () => 1, secret }))).secret as unknown as OneRead).ref;
    const message =
      "secret of ClusterConfig default: a cluster-scoped config must name the namespace of its Secret: return { namespace, name }";
    expect(() => refOf(({ spec: { secret } }) => secret)(config)).toThrow(new TypeError(message));
    expect(() => refOf(() => ({ name: "s" }))(config)).toThrow(new TypeError(message));
    expect(refOf(() => ({ name: "s", namespace: "system" }))(config)).toEqual({ name: "s", namespace: "system" });
    expect(refOf(() => undefined)(config)).toBeUndefined();
  });
});

test.for([
  {
    name: "no kind",
    config: undefined,
    options: {},
    message: "provider(): the first argument must be the kind of the configs, as defineResource() returns it",
  },
  {
    name: "no options",
    config: StoreConfig,
    options: undefined,
    message: "provider(StoreConfig): the second argument must be an object with connect: ({ config, secret }) => api",
  },
  {
    name: "no connect",
    config: StoreConfig,
    options: {},
    message: "provider(StoreConfig): connect must be a function that returns the API: ({ config, secret }) => api",
  },
  {
    name: "a Secret's name",
    config: StoreConfig,
    options: { connect, secret: "s" },
    message: "provider(StoreConfig): secret must be a function that names the Secret: (config) => config.spec.secret",
  },
  {
    name: "a config's name",
    config: StoreConfig,
    options: { connect, configOf: "c" },
    message: "provider(StoreConfig): configOf must be a function that names the config: (object) => name",
  },
  {
    name: "a rate of zero",
    config: StoreConfig,
    options: { connect, rate: { perSecond: 0 } },
    message: "provider(StoreConfig): rate.perSecond must be a positive number of calls per second, such as 10, not 0",
  },
])("provider() refuses $name with the fix", ({ config, options, message }) => {
  expect(() => provider(config as never, options as never)).toThrow(new TypeError(message));
});
