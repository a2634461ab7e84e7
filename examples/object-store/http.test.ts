/** The operator and the store, connected by HTTP. */
import { startTestCluster } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { expect, onTestFinished, test } from "vitest";
import { buckets, configs, users } from "./controller.ts";
import { Bucket, StoreConfig, User } from "./kinds.ts";
import { startStore } from "./store-server.ts";

test("a Bucket and a User are created and deleted in a store behind HTTP", async () => {
  const server = await startStore({ createMs: 20 });
  onTestFinished(() => server.close());
  await using cluster = await startTestCluster({ time: "real" });
  await cluster.start([buckets, users, configs]);
  await cluster.create(Secret, { metadata: { name: "store" }, data: { token: btoa("secret") } });
  await cluster.create(StoreConfig, { metadata: { name: "default" }, spec: { url: server.url, secret: "store" } });
  await cluster.create(Bucket, { metadata: { name: "films" }, spec: { region: "north" } });
  await cluster.create(User, { metadata: { name: "player" }, spec: { bucket: "films" } });
  const isReady = async (): Promise<boolean> =>
    (await cluster.get(User, "player"))?.status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True") === true;
  await expect.poll(isReady).toBe(true);
  expect([...server.store.users.values()]).toMatchObject([{ bucket: "default-films" }]);
  await cluster.delete(User, "player");
  await cluster.delete(Bucket, "films");
  // The objects follow later: within 30 s after a create, the operator does not trust an answer that nothing exists.
  await expect.poll(() => [server.store.users.size, server.store.buckets.size]).toEqual([0, 0]);
});
