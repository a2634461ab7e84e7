/** each and gives on a server that other clients use, too; also run on a real control plane. */
import "@treadle/testing/matchers";
import { defineResource } from "@treadle/apimachinery";
import { ConfigMap, Secret, Service } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { z } from "zod";
import { dependentApply, dependentApplyAll } from "../src/index.ts";

const Store = defineResource({
  group: "values.example.dev",
  version: "v1",
  kind: "Store",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ credentials: z.string(), shards: z.array(z.string()) }),
});

const credentials = dependentApply(Store, {
  name: "credentials",
  kind: Secret,
  objectName: (store) => store.spec.credentials,
  created: false,
  gives: { user: (secret) => secret.data?.["user"] },
});
const shards = dependentApply(Store, {
  name: "shards",
  kind: Service,
  each: (store) => store.spec.shards.map((key) => ({ key })),
  desired: (_store, _inputs, { key }) => ({ spec: { selector: { shard: key }, ports: [{ port: 80 }] } }),
  gives: { ip: (service) => service.spec?.clusterIP },
});
const index = dependentApply(Store, {
  name: "index",
  kind: ConfigMap,
  needs: [credentials, shards],
  desired: (_store, { vars }) => ({ data: { ...vars.ip, user: vars.user } }),
});

test("a ConfigMap has the addresses of all Services and a value of a Secret, and follows both", async () => {
  await using cluster = await startTestCluster({ kinds: [Store] });
  const op = await cluster.start(
    handler(Store)
      .step(conditions())
      .step(dependentApplyAll("parts", [index, shards, credentials]))
      .build(),
  );
  await cluster.create(Store, { metadata: { name: "a" }, spec: { credentials: "creds", shards: ["x", "y"] } });
  await op.settled();
  expect(await cluster.get(ConfigMap, "a")).toBeUndefined();
  expect(await cluster.get(Service, "a-y")).toBeDefined();
  await cluster.create(Secret, { metadata: { name: "creds" }, data: { user: "YWRtaW4=" } });
  await op.settled();
  const ipOf = async (name: string): Promise<string | undefined> => (await cluster.get(Service, name))?.spec?.clusterIP;
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ x: await ipOf("a-x"), y: await ipOf("a-y"), user: "YWRtaW4=" });
  await cluster.update(Store, "a", ({ spec }) => void (spec.shards = ["y", "z"]));
  await op.settled();
  expect(await cluster.get(Service, "a-x")).toBeUndefined();
  expect((await cluster.get(ConfigMap, "a"))?.data).toEqual({ y: await ipOf("a-y"), z: await ipOf("a-z"), user: "YWRtaW4=" });
  await cluster.delete(Store, "a");
  await op.settled();
  expect(await cluster.get(Service, "a-z")).toBeUndefined();
  expect(await cluster.get(Secret, "creds")).toBeDefined();
});
