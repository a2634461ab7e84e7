/** The functions of the operator keep the contract of `managed()` with the store, over HTTP and in memory. */
import { managedContract } from "@treadle/managed/testing";
import { secret } from "@treadle/testing";
import { describe, onTestFinished, test } from "vitest";
import { storeOperator } from "./controller.ts";
import type { Bucket, User } from "./kinds.ts";
import { StoreApi } from "./store-api.ts";
import { startStore } from "./store-server.ts";
import { Store, type StoreOptions } from "./store.ts";

const SPEC = {
  providerConfigRef: { name: "default" },
  managementPolicies: ["*" as const],
  deletionPolicy: "Delete" as const,
};
const API_VERSION = "store.examples.treadle.dev/v1";

function bucket(name: string): Bucket {
  const metadata = { name, namespace: "default", uid: `uid-${name}` };
  return { apiVersion: API_VERSION, kind: "Bucket", metadata, spec: { ...SPEC, region: "north", versioning: true, quotaGb: 5 } };
}

function user(name: string): User {
  const metadata = { name, namespace: "default", uid: `uid-${name}` };
  return { apiVersion: API_VERSION, kind: "User", metadata, spec: { ...SPEC, bucket: "films", readOnly: false } };
}

interface Front {
  readonly name: string;
  readonly start: (options: StoreOptions) => Promise<{ readonly store: Store; readonly api: (token: string) => StoreApi }>;
}

const FRONTS: readonly Front[] = [
  {
    name: "over HTTP",
    async start(options) {
      const server = await startStore(options);
      onTestFinished(() => server.close());
      return { store: server.store, api: (token) => new StoreApi(server.url, token) };
    },
  },
  {
    name: "in memory",
    async start(options) {
      const store = new Store(options);
      return { store, api: (token) => new StoreApi("http://store", token, store.fetch) };
    },
  },
];

describe.for(FRONTS)("$name", ({ start }) => {
  const { steps } = storeOperator();
  async function world() {
    let now = 0;
    const { store, api } = await start({ now: () => now, createMs: 2_000, visibleAfterMs: 1_000 });
    await api("secret").putBucket("films", { region: "north" });
    return {
      api: api("secret"),
      refusedApi: api("wrong"),
      snapshot: () => [[...store.buckets], [...store.users]],
      advance: () => void (now += 1_000),
    };
  }

  test("the functions of Bucket keep the contract", async () => {
    const changed = (object: Bucket): Bucket => ({ ...object, spec: { ...object.spec, quotaGb: 9 } });
    await managedContract(steps.bucket, { world: { ...(await world()), objects: [bucket("a"), bucket("b")], changed } });
  });

  test("the functions of User keep the contract", async () => {
    const changed = (object: User): User => ({ ...object, spec: { ...object.spec, readOnly: true } });
    const reads = () => ({ secret: secret("generated", { password: "correct horse battery" }) });
    const references = () => ({ bucket: "films" });
    await managedContract(steps.user, { world: { ...(await world()), objects: [user("a"), user("b")], changed, reads, references } });
  });
});
