/** The operator's rights are sufficient, and each of them is needed. */
import { checkRights, startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { CloudBucket, CloudRole } from "./cloud-kinds.ts";
import { myApp } from "./controller.ts";
import { MyApp } from "./my-app.ts";

test("the operator needs each of its rights and no others", async () => {
  await using cluster = await startTestCluster({ time: "real", kinds: [MyApp, CloudRole, CloudBucket] });
  const runs = await checkRights(cluster, myApp, {
    async run({ namespaces: [namespace], until }) {
      await cluster.create(MyApp, { metadata: { name: "a", namespace }, spec: {} });
      await until("the role is made", async () => (await cluster.get(CloudRole, `${namespace}/a`)) !== undefined);
      await cluster.updateStatus(CloudRole, `${namespace}/a`, (role) => void (role.status = { arn: "arn:cloud:role/a" }));
      await until("the bucket is made", async () => (await cluster.get(CloudBucket, `${namespace}/a`)) !== undefined);
      // The second event of a kind is a patch of the first one.
      for (const region of ["eu-2", "eu-3"]) {
        await cluster.update(MyApp, `${namespace}/a`, (app) => void (app.spec.region = region));
        await until("the bucket moves", async () => regionOf(await cluster.get(CloudBucket, `${namespace}/a`)) === region);
      }
      await cluster.delete(MyApp, `${namespace}/a`);
      await until("the app is deleted", async () => (await cluster.get(MyApp, `${namespace}/a`)) === undefined);
      await until("its role is deleted", async () => (await cluster.get(CloudRole, `${namespace}/a`)) === undefined);
    },
  });
  expect(runs).toHaveLength(19);
  expect(runs.filter(({ without, failure }) => (without === undefined) !== (failure === undefined))).toEqual([]);
});

function regionOf(bucket: Readonly<Record<string, unknown>> | undefined): unknown {
  return (bucket?.["spec"] as { readonly region?: unknown } | undefined)?.region;
}
