/** The code of a user who manages two kinds of a REST API, and the sentences that the compiler shows for mistakes in it. */
import { defineResource } from "@treadle/apimachinery";
import { conditions, handler, step } from "@treadle/reconcile";
import {
  connectionSecret,
  managed,
  managedSpec,
  managedStatus,
  managedTraits,
  provider,
  providerConfigs,
  reference,
  secretText,
} from "@treadle/managed";
import { z } from "zod";

interface RemoteBucket {
  readonly versioning: boolean;
  readonly quotaGb: number | undefined;
  readonly endpoint: string;
}
interface RemoteDatabase {
  readonly phase: "creating" | "ready" | "broken";
  readonly sizeGb: number;
  readonly backup: string;
  readonly host: string;
}
declare class StoreApi {
  constructor(url: string, token: string);
  getBucket(name: string, signal: AbortSignal): Promise<RemoteBucket | undefined>;
  putBucket(name: string, bucket: { region: string; versioning: boolean; quotaGb?: number | undefined }): Promise<void>;
  patchBucket(name: string, changes: { readonly versioning?: boolean; readonly quotaGb?: number | undefined }): Promise<void>;
  deleteBucket(name: string): Promise<void>;
  getDatabase(name: string): Promise<RemoteDatabase | undefined>;
  createDatabase(given: { sizeGb: number; backup: string; tag: string }): Promise<{ id: string; password: string }>;
  resizeDatabase(name: string, sizeGb: number | undefined): Promise<{ operation: string }>;
  deleteDatabase(name: string): Promise<void>;
  findByTag(tag: string): Promise<{ name: string } | undefined>;
}

const common = { group: "store.example.com", version: "v1", scope: "Namespaced" } as const;

export const StoreConfig = defineResource({
  ...common,
  kind: "StoreConfig",
  spec: z.object({ url: z.string(), secret: z.string() }),
  status: z.object({}),
});

export const Bucket = defineResource({
  ...managedTraits,
  ...common,
  kind: "Bucket",
  spec: z.object({
    ...managedSpec,
    region: z.string().meta({ immutable: true }),
    versioning: z.boolean().default(false),
    quotaGb: z.int32().optional(),
  }),
  status: z.object({ ...managedStatus, endpoint: z.string() }),
});

export const store = provider(StoreConfig, {
  secret: (config) => config.spec.secret,
  connect: ({ config, secret }) => new StoreApi(config.spec.url, secretText(secret, "token")),
  rate: { perSecond: 10, burst: 20 },
});

export const bucket = managed(Bucket, {
  name: "bucket",
  provider: store,
  externalName: ({ metadata }) => `${metadata.namespace}-${metadata.name}`,
  observe: ({ api, name, signal }) => api.getBucket(name, signal),
  desired: ({ spec }) => ({ versioning: spec.versioning, quotaGb: spec.quotaGb }),
  create: ({ api, name, spec, want }) => api.putBucket(name, { region: spec.region, ...want }),
  update: ({ api, name, changes }) => api.patchBucket(name, changes),
  delete: ({ api, name }) => api.deleteBucket(name),
  status: ({ endpoint }) => ({ endpoint }),
  connection: ({ endpoint }) => ({ endpoint }),
});

export const Database = defineResource({
  ...managedTraits,
  ...common,
  kind: "Database",
  spec: z.object({ ...managedSpec, sizeGb: z.int32(), backupBucket: z.string() }),
  status: z.object({ ...managedStatus, host: z.string() }),
});

export const database = managed(Database, {
  name: "database",
  provider: store,
  references: { bucket: reference(Bucket, (db) => db.spec.backupBucket) },
  observe: ({ api, name }) => api.getDatabase(name),
  desired: ({ spec, references }) => ({ sizeGb: spec.sizeGb, backup: references.bucket }),
  async create({ api, token, want }) {
    const { id, password } = await api.createDatabase({ ...want, tag: token });
    return { name: id, connection: { password } };
  },
  recoverCreate: ({ api, token }) => api.findByTag(token),
  update: ({ api, name, changes }) => api.resizeDatabase(name, changes.sizeGb),
  delete: ({ api, name }) => api.deleteDatabase(name),
  state: ({ phase }) => (phase === "ready" ? "Available" : phase === "creating" ? "Creating" : { type: "Failed", message: "broken" }),
  status: ({ host }) => ({ host }),
  connection: ({ host }) => ({ host }),
  redact: ["backup"],
});

export const buckets = handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(bucket)).build();
export const databases = handler(Database).step(conditions()).step(database).step(connectionSecret(database)).build();
export const configs = providerConfigs(store, [Bucket, Database]);

/** What every mistake below has in common. */
const parts = { name: "bucket", provider: store, observe: (): RemoteBucket | undefined => undefined } as const;

export const unknownKey = managed(Bucket, {
  ...parts,
  // @error observe() does not return 'size': return it there, or leave it out of desired
  desired: () => ({ size: 3 }),
});
export const unknownKeyBesideCorrect = managed(Bucket, {
  ...parts,
  // @error observe() does not return 'quota': return it there, or leave it out of desired
  desired: ({ spec }) => ({ versioning: spec.versioning, quota: spec.quotaGb }),
});
export const unknownConstantKey = managed(Bucket, {
  name: "bucket",
  provider: store,
  observe: ({ api, name, signal }) => api.getBucket(name, signal),
  // @error observe() does not return 'quota': return it there, or leave it out of desired
  desired: () => ({ versioning: true, quota: 3 }),
});
export const otherType = managed(Bucket, {
  ...parts,
  // @error observe() returns another type for 'quotaGb', so it always differs: convert one of them
  desired: ({ spec }) => ({ quotaGb: String(spec.quotaGb) }),
});
export const wrongField = managed(Bucket, {
  ...parts,
  // @error Property 'size' does not exist on type
  desired: ({ spec }) => ({ quotaGb: spec.size }),
});
export const wrongChange = managed(Bucket, {
  ...parts,
  desired: ({ spec }) => ({ quotaGb: spec.quotaGb }),
  // @error Property 'versioning' does not exist on type 'Partial<NoInfer<{ quotaGb: number | undefined; }>>'
  update: ({ api, name, changes }) => api.patchBucket(name, { versioning: changes.versioning }),
});
export const wrongApi = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error Property 'removeBucket' does not exist on type 'StoreApi'
  delete: ({ api, name }) => api.removeBucket(name),
});
export const wrongStatus = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error the status has no 'host': declare it in the status of the kind, or leave it out
  status: ({ endpoint }) => ({ endpoint, host: endpoint }),
});
export const wrongStatusValue = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error Type 'number' is not assignable to type 'string'
  status: () => ({ endpoint: 7 }),
});
export const wrongState = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error Type '"Sleeping"' is not assignable to type 'ExternalState'
  state: () => "Sleeping",
});
export const failedWithoutMessage = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error Type '"Failed"' is not assignable to type 'ExternalState'
  state: () => "Failed",
});
export const wrongRedact = managed(Bucket, {
  ...parts,
  desired: () => ({ versioning: true }),
  // @error Type '"quotaGb"' is not assignable to type '"versioning"'
  redact: ["quotaGb"],
});
export const wrongReference = managed(Database, {
  name: "database",
  provider: store,
  references: {
    // @error Property 'bucket' does not exist on type
    bucket: reference(Bucket, (db) => db.spec.bucket),
  },
  observe: ({ api, name }) => api.getDatabase(name),
  desired: () => ({}),
});
export const lateInitialized = managed(Bucket, {
  ...parts,
  desired: () => ({}),
  // @error has no properties in common with type
  lateInitialize: ({ quotaGb }) => ({ zone: quotaGb }),
});
// @error Property 'desired' is missing in type
export const withoutDesired = managed(Bucket, parts);
export const withoutObserve = managed(
  Bucket,
  // @error Property 'observe' is missing in type
  { name: "bucket", provider: store, desired: () => ({}) },
);
// @error needs vars.bucket: place the step that provides it before this one
export const tooEarly = handler(Bucket).step(conditions()).step(connectionSecret(bucket));
export const wrongVars = step(Bucket, {
  name: "later",
  needs: [bucket],
  // @error Property 'host' does not exist on type
  do: (req) => void req.vars.bucket.seen?.host,
});
