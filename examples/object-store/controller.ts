/** The handlers: buckets, whose names we choose, and users with a generated password, whose names the store assigns. */
import { conditions, handler, one } from "treadle";
import { Secret } from "treadle/kinds";
import {
  connectionSecret,
  generatedSecret,
  generatedSecretName,
  managed,
  provider,
  providerConfigs,
  reference,
  secretText,
} from "treadle/managed";
import { Bucket, StoreConfig, User } from "./kinds.ts";
import type { Fetch } from "./store.ts";
import { StoreApi } from "./store-api.ts";

/** @param fetch for tests: answers without a socket */
export function storeOperator({ fetch }: { readonly fetch?: Fetch } = {}) {
  const store = provider(StoreConfig, {
    secret: ({ spec }) => spec.secret,
    connect: ({ config, secret }) => new StoreApi(config.spec.url, secretText(secret, "token"), fetch),
    rate: { perSecond: 10, burst: 20 },
  });

  const bucket = managed(Bucket, {
    name: "bucket",
    provider: store,
    externalName: ({ metadata }) => `${metadata.namespace}-${metadata.name}`,
    observe: ({ api, name, signal }) => api.getBucket(name, signal),
    desired: ({ spec }) => ({ versioning: spec.versioning, quotaGb: spec.quotaGb }),
    create: ({ api, name, spec, want, signal }) => api.putBucket(name, { region: spec.region, ...want }, signal),
    update: ({ api, name, changes, signal }) => api.patchBucket(name, changes, signal),
    delete: ({ api, name, signal }) => api.deleteBucket(name, signal),
    state: ({ state }) => (state === "creating" ? "Creating" : "Available"),
    status: ({ endpoint }) => ({ endpoint }),
    connection: ({ endpoint }) => ({ endpoint }),
  });

  const password = generatedSecret(User, { keys: ["password"] });
  const user = managed(User, {
    name: "user",
    provider: store,
    reads: { secret: one(Secret, generatedSecretName) },
    references: { bucket: reference(Bucket, ({ spec }) => spec.bucket) },
    observe: ({ api, name, signal }) => api.getUser(name, signal),
    desired: ({ spec, references }) => ({ bucket: references.bucket, readOnly: spec.readOnly }),
    create: async ({ api, want, token, reads, signal }) => {
      const { id } = await api.addUser({ ...want, tag: token, password: secretText(reads.secret, "password") }, signal);
      return { name: id };
    },
    recoverCreate: async ({ api, token, signal }) => (await api.findUser(token, signal))?.id,
    update: ({ api, name, changes, signal }) => api.patchUser(name, changes, signal),
    delete: ({ api, name, signal }) => api.deleteUser(name, signal),
    state: ({ state }) => (state === "creating" ? "Creating" : "Available"),
    connection: ({ id, bucket: name }, { reads }) => ({ user: id, bucket: name, password: secretText(reads.secret, "password") }),
  });

  return {
    buckets: handler(Bucket).step(conditions()).step(bucket).step(connectionSecret(bucket)).build(),
    users: handler(User).step(conditions()).step(password).step(user).step(connectionSecret(user)).build(),
    configs: providerConfigs(store, [Bucket, User]),
    steps: { bucket, user },
  };
}

export const { buckets, users, configs } = storeOperator();
