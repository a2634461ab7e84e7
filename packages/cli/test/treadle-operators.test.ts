/** What real operators of Treadle write into a status is what the rules expect: managed resources, plugins, pauses. */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { secret as secretOf, startTestCluster } from "@treadle/testing";
import { conditions, defineResource, handler } from "treadle";
import { Secret, Service } from "treadle/kinds";
import { managed, managedSpec, managedStatus, managedTraits, provider, providerConfigs, secretText } from "treadle/managed";
import { folder, pluginHost } from "treadle/plugins";
import { expect, test } from "vitest";
import { z } from "zod";
import { explained } from "./explained.ts";

const memory = { tags: ["memory"] };

const StoreConfig = defineResource({
  group: "store.example.com",
  version: "v1",
  kind: "StoreConfig",
  scope: "Namespaced",
  spec: z.object({ secret: z.string() }),
  status: z.object({}),
});

const Bucket = defineResource({
  ...managedTraits,
  group: "store.example.com",
  version: "v1",
  kind: "Bucket",
  scope: "Namespaced",
  spec: z.object({ ...managedSpec }),
  status: z.object({ ...managedStatus }),
});

const store = provider(StoreConfig, {
  secret: (config) => config.spec.secret,
  connect: ({ secret }) => ({ token: secretText(secret, "token") }),
});

const bucket = managed(Bucket, {
  name: "bucket",
  provider: store,
  externalName: ({ metadata }) => metadata.name,
  observe: async ({ name }): Promise<{ readonly name: string } | undefined> => (name === "" ? { name } : undefined),
  desired: () => ({}),
  create: () => Promise.reject(new Error("402: the account has no credit")),
});
const buckets = [handler(Bucket).step(conditions()).step(bucket).build(), providerConfigs(store, [Bucket])];

test("a provider that refuses a create is named with its answer", memory, async () => {
  await using cluster = await startTestCluster({ checkStatus: false });
  await cluster.start(buckets);
  await cluster.create(Secret, secretOf("login", { token: "t" }));
  await cluster.create(StoreConfig, { metadata: { name: "default" }, spec: { secret: "login" } });
  await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
  await cluster.settled();
  const { summary, cause } = await explained(cluster, "bucket/photos");
  expect(cause?.code).toBe("ProviderError");
  expect(summary).toMatch(
    /^Bucket default\/photos is not ready: its provider reports an error \(Synced is ReconcileError\): .*402: the account has no credit/,
  );
});

test("a login that does not exist is named", memory, async () => {
  await using cluster = await startTestCluster({ checkStatus: false });
  await cluster.start(buckets);
  await cluster.create(StoreConfig, { metadata: { name: "default" }, spec: { secret: "login" } });
  await cluster.create(Bucket, { metadata: { name: "photos" }, spec: {} });
  await cluster.settled();
  const { summary, advice } = await explained(cluster, "bucket/photos");
  expect(summary).toMatch(
    /^Bucket default\/photos has no connection to its provider \(NotConnected\): Secret login of StoreConfig default\/default does not exist/,
  );
  expect(advice[0]).toBe("create what the message names");
});

const Capability = defineResource({
  group: "example.dev",
  version: "v1",
  kind: "Capability",
  plural: "capabilities",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ category: z.string(), type: z.string() }),
});

test("a capability that no plugin offers is named", memory, async () => {
  await using cluster = await startTestCluster({ time: "real", checkStatus: false });
  const plugins = pluginHost({ from: [folder(mkdtempSync(join(tmpdir(), "treadle-cli-plugins-")))], kinds: { none: [Service] } });
  const capabilities = handler(Capability).step(conditions()).step(plugins.step(Capability)).build();
  await cluster.start(capabilities, { runnables: [plugins], controller: { sources: [plugins.source] } });
  await cluster.create(Capability, { metadata: { name: "db" }, spec: { category: "database", type: "postgresql" } });
  await cluster.settled();
  await expect.poll(async () => (await explained(cluster, "capability/db")).cause?.code).toBe("NoPlugin");
  const { summary, advice } = await explained(cluster, "capability/db");
  expect(summary).toMatch(/^Capability default\/db is not ready: its plugin gives no plan \(NoPlugin\): /);
  expect(advice[0]).toMatch(/install the plugin/);
});
