/** What is around a managed step, with real managed steps: references, both Secrets, and configs in use. */
import { defineResource } from "@treadle/apimachinery";
import { Secret } from "@treadle/apimachinery/kinds";
import { conditions, handler, one } from "@treadle/reconcile";
import { secretText as textsOf, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import {
  connectionSecret,
  generatedSecret,
  generatedSecretName,
  managed,
  managedSpec,
  managedStatus,
  managedTraits,
  provider,
  providerConfigs,
  reference,
  secretText,
} from "../src/index.ts";

const common = { group: "store.example.com", version: "v1", scope: "Namespaced" } as const;
const status = z.object({ ...managedStatus });
const StoreConfig = defineResource({ ...common, kind: "StoreConfig", spec: z.object({ url: z.string() }), status: z.object({}) });
const Bucket = defineResource({ ...managedTraits, ...common, kind: "Bucket", spec: z.object({ ...managedSpec }), status });
const User = defineResource({ ...managedTraits, ...common, kind: "User", spec: z.object({ ...managedSpec, bucket: z.string() }), status });

interface Account {
  readonly bucket: string;
  readonly password: string;
}

/** A store in memory. `create` of an account returns an API key that no observation shows. */
class Store {
  readonly buckets = new Set<string>();
  readonly accounts = new Map<string, Account>();
  keys = 0;
}

function program(store: Store) {
  const api = provider(StoreConfig, { connect: () => store });
  const bucket = managed(Bucket, {
    name: "bucket",
    provider: api,
    graceMs: 0,
    externalName: ({ metadata }) => `bucket-${metadata.name}`,
    observe: ({ api: { buckets }, name }) => (buckets.has(name) ? { endpoint: `https://store/${name}` } : undefined),
    desired: () => ({}),
    create: ({ api: { buckets }, name }) => void buckets.add(name),
    delete: ({ api: { buckets }, name }) => void buckets.delete(name),
    connection: ({ endpoint }) => ({ endpoint }),
  });
  const user = managed(User, {
    name: "user",
    provider: api,
    reads: { generated: one(Secret, (object) => generatedSecretName(object)) },
    references: { bucket: reference(Bucket, (object) => object.spec.bucket) },
    graceMs: 0,
    externalName: ({ metadata }) => `user-${metadata.name}`,
    observe: ({ api: { accounts }, name }) => {
      const account = accounts.get(name);
      return account === undefined ? undefined : { bucket: account.bucket };
    },
    desired: ({ references }) => ({ bucket: references.bucket }),
    create({ api: { accounts }, name, want, reads }) {
      accounts.set(name, { ...want, password: secretText(reads.generated, "password") });
      store.keys += 1;
      return { connection: { apiKey: `key-${store.keys}` } };
    },
    delete: ({ api: { accounts }, name }) => void accounts.delete(name),
    connection: ({ bucket: name }) => ({ bucket: name }),
  });
  return {
    buckets: handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(bucket)).build(),
    users: handler(User)
      .step(conditions())
      .step(generatedSecret(User, { keys: ["password"] }))
      .step(user)
      .step(connectionSecret(user, { objectName: ({ metadata }) => `${metadata.name}-login` }))
      .build(),
    configs: providerConfigs(api, [Bucket, User]),
  };
}

const object = (kind: string, name: string, spec: object = {}): object => ({
  apiVersion: "store.example.com/v1",
  kind,
  metadata: { name },
  spec,
});

test("a user waits for its bucket, gets a generated password, and publishes the key that only its create returned", async () => {
  const store = new Store();
  const { buckets, users, configs } = program(store);
  const objects = [object("StoreConfig", "default", { url: "x" }), object("User", "u", { bucket: "b" })];
  await using cluster = await startTestCluster({ kinds: [StoreConfig, Bucket, User], objects });
  const op = await cluster.start([buckets, users, configs]);
  /** Virtual time moves, and real time passes. */
  const eventually = (read: () => unknown): ReturnType<typeof expect.poll> =>
    expect.poll(async () => {
      await op.settled({ horizonMs: 10_000 });
      return await read();
    });
  await op.settled();
  const synced = (await cluster.get(User, "u"))?.status?.conditions?.find(({ type }) => type === "Synced");
  expect(synced).toMatchObject({ reason: "WaitingForReference", message: `reference "bucket": Bucket default/b does not exist` });
  expect(store.accounts.size).toBe(0);

  await cluster.create(Bucket, object("Bucket", "b") as never);
  const login = { apiKey: "key-1", bucket: "bucket-b" };
  await eventually(async () => textsOf((await cluster.get(Secret, "u-login")) as never)).toEqual(login);
  const generated = textsOf((await cluster.get(Secret, "u-user-generated")) as never);
  expect(store.accounts.get("user-u")).toEqual({ bucket: "bucket-b", password: generated["password"] });
  expect(textsOf((await cluster.get(Secret, "b-bucket")) as never)).toEqual({ endpoint: "https://store/bucket-b" });
  await op.settled({ horizonMs: 300_000 });
  expect(textsOf((await cluster.get(Secret, "u-login")) as never)).toEqual(login);

  await cluster.delete(StoreConfig, "default");
  await op.settled();
  expect((await cluster.get(StoreConfig, "default"))?.metadata.deletionTimestamp).toBeDefined();
  await cluster.delete(User, "u");
  await cluster.delete(Bucket, "b");
  await eventually(() => cluster.get(StoreConfig, "default")).toBeUndefined();
  expect([store.accounts.size, store.buckets.size]).toEqual([0, 0]);
});
