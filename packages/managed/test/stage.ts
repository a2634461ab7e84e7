/** What the tests of managed steps share: two kinds, a config, and a provider in memory for each world. */
import { defineResource, type ObjectOf } from "@treadle/apimachinery";
import { type AnyHandler, type AnyStep, conditions, handler, type Step } from "@treadle/reconcile";
import { fakeWorld, type FakeWorld, type FakeWorldOptions } from "@treadle/testing";
import { z } from "zod";
import { managed, managedSpec, managedStatus, managedTraits, provider, type Provider, secretText } from "../src/index.ts";
import { fakeProvider, type FakeProvider, type FakeProviderOptions } from "../src/testing/index.ts";
import type { AnyManagedOptions } from "../src/types.ts";

export const StoreConfig = defineResource({
  group: "store.test",
  version: "v1",
  kind: "StoreConfig",
  scope: "Namespaced",
  spec: z.object({ secret: z.string() }),
  status: z.object({}),
});
export interface StoreConfig extends ObjectOf<typeof StoreConfig> {}

export const Bucket = defineResource({
  ...managedTraits,
  group: "store.test",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec, region: z.string().optional(), sizeGb: z.int32().default(1), versioning: z.boolean().optional() }),
  status: z.object({ ...managedStatus, region: z.string() }),
});
export interface Bucket extends ObjectOf<typeof Bucket> {}

export interface Values {
  readonly region: string;
  readonly sizeGb: number;
  readonly versioning: boolean;
}
export type Outside = FakeProvider<Values>;

export const DEFAULTS: Values = { region: "eu", sizeGb: 1, versioning: false };

/** A provider in memory that lets the caller choose the names. */
export function outside(options: Partial<FakeProviderOptions<Values>> = {}): Outside {
  return fakeProvider<Values>({ defaults: DEFAULTS, names: "chosen", ...options });
}

/** The provider of Treadle that connects to it. */
export function storeProvider(api: Outside, options: { readonly rate?: { perSecond: number; burst?: number } } = {}): Provider<Outside> {
  return provider(StoreConfig, {
    secret: (config) => config.spec.secret,
    connect: ({ secret }) => {
      secretText(secret, "token");
      return api;
    },
    ...options,
  });
}

/** The options of a bucket. Members of `options` that are `undefined` take a part away. */
export function bucketOptions(api: Outside, options: Partial<AnyManagedOptions> = {}): AnyManagedOptions {
  const all = {
    name: "bucket",
    provider: storeProvider(api),
    externalName: ({ metadata }: { readonly metadata: Bucket["metadata"] }) => `${metadata.namespace}-${metadata.name}`,
    ...api.functions,
    desired: ({ spec }: { readonly spec: Bucket["spec"] }) => ({ sizeGb: spec.sizeGb, versioning: spec.versioning }),
    status: ({ region }: Values) => ({ region }),
    ...options,
  };
  // The tests give functions of any type.
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as unknown as AnyManagedOptions;
}

/** A later step, or a function that makes it of the managed step that it needs. */
export type Later = AnyStep | ((bucket: AnyStep) => AnyStep);

export function bucketHandler(api: Outside, options: Partial<AnyManagedOptions> = {}, later: readonly Later[] = []): AnyHandler {
  const bucket = managed(Bucket, bucketOptions(api, options)) as Step<Bucket>;
  const steps = later.map((step) => (typeof step === "function" ? step(bucket) : step));
  const chain = handler(Bucket).step(conditions()).step(bucket);
  return steps.reduce((made, step) => made.step(step as Step<Bucket>) as typeof made, chain).build();
}

export const CONFIG = { apiVersion: "store.test/v1", kind: "StoreConfig", metadata: { name: "default" }, spec: { secret: "login" } };
export const LOGIN = { apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, data: { token: btoa("t0ken-of-the-store") } };

/** A world with a config and its Secret. */
export function world(made: AnyHandler, options: FakeWorldOptions = {}): FakeWorld {
  return fakeWorld(made as never, { ...options, objects: [CONFIG, LOGIN, ...(options.objects ?? [])] });
}

/** The conditions of a bucket as `Status/Reason`. */
export async function conditionsOf(given: Pick<FakeWorld, "get">, name = "a"): Promise<Readonly<Record<string, string>>> {
  const object = await given.get(Bucket, name);
  return Object.fromEntries((object?.status?.conditions ?? []).map(({ type, status, reason }) => [type, `${status}/${reason}`]));
}

export async function messageOf(given: Pick<FakeWorld, "get">, type: string, name = "a"): Promise<string | undefined> {
  const object = await given.get(Bucket, name);
  return object?.status?.conditions?.find((condition) => condition.type === type)?.message;
}
