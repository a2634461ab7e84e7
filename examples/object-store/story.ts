/** What the tests share: a cluster with the operator, and a store in memory whose time is that of the cluster. */
import type { TestCluster, TestOperator } from "@treadle/testing";
import type { Kind } from "treadle";
import { Secret } from "treadle/kinds";
import { storeOperator } from "./controller.ts";
import { type Bucket, StoreConfig, type User } from "./kinds.ts";
import { Store, type StoreOptions } from "./store.ts";

/** A world of its own for one test. */
export interface World extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly operator: TestOperator;
  readonly store: Store;
  /** Returns `True Available: text` of a condition. */
  conditionOf(kind: Kind<Bucket | User>, name: string, type: string): Promise<string>;
  /** Requests a pass for an object now, and waits for its end. */
  look(kind: Kind<Bucket | User>, name: string): Promise<void>;
}

/** The objects that connect an operator to the store. */
export const CONNECTION: readonly object[] = [
  { apiVersion: "v1", kind: "Secret", metadata: { name: "store" }, data: { token: btoa("secret") } },
  {
    apiVersion: "store.examples.treadle.dev/v1",
    kind: "StoreConfig",
    metadata: { name: "default" },
    spec: { url: "http://store.example.com", secret: "store" },
  },
];

/** Starts a cluster with the operator, and a store. */
export async function begun(startCluster: () => Promise<TestCluster>, options: Omit<StoreOptions, "now"> = {}): Promise<World> {
  await using stack = new AsyncDisposableStack();
  const cluster = stack.use(await startCluster());
  const store = new Store({ ...options, now: () => cluster.clock.now() });
  const { buckets, users, configs } = storeOperator({ fetch: store.fetch });
  const operator = await cluster.start([buckets, users, configs]);
  await cluster.create(Secret, { metadata: { name: "store" }, data: { token: btoa("secret") } });
  await cluster.create(StoreConfig, { metadata: { name: "default" }, spec: { url: "http://store.example.com", secret: "store" } });
  let looks = 0;
  const owned = stack.move();
  return {
    cluster,
    operator,
    store,
    async conditionOf(kind, name, type) {
      const found = (await cluster.get(kind, name))?.status?.conditions?.find((each) => each.type === type);
      return found === undefined ? "none" : `${found.status} ${found.reason}: ${found.message ?? ""}`;
    },
    async look(kind, name) {
      await cluster.update(kind, name, ({ metadata }) => {
        metadata.annotations = { ...metadata.annotations, "treadle.dev/reconcile-requested-at": String(++looks) };
      });
      await cluster.settled();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
