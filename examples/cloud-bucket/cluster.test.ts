/** A user's story against a running operator. The tests play the controller of the cloud provider. */
import "@treadle/testing/matchers";
import { startTestCluster } from "@treadle/testing";
import { expect, test } from "vitest";
import { CloudBucket, CloudRole } from "./cloud-kinds.ts";
import { myApp } from "./controller.ts";
import { MyApp } from "./my-app.ts";

const ARN = "arn:cloud:role/photos";

test("a user creates, changes, suspends and deletes an app, and the bucket follows its role", async () => {
  await using cluster = await startTestCluster();
  await cluster.start(myApp);
  await cluster.create(MyApp, { metadata: { name: "photos" }, spec: {} });
  await cluster.settled();
  expect(await cluster.get(MyApp, "photos")).toHaveCondition("CloudReady", {
    status: "False",
    reason: "Blocked",
    message: "bucket: waiting for roleArn of CloudRole photos",
  });
  expect(await cluster.list(CloudBucket)).toEqual([]);

  await cluster.updateStatus(CloudRole, "photos", (role) => void (role.status = { arn: ARN }));
  await cluster.settled();
  expect(await cluster.get(CloudBucket, "photos")).toMatchObject({ spec: { region: "eu-1", roleARN: ARN } });
  expect(await cluster.get(MyApp, "photos")).toBeReady();

  await cluster.update(MyApp, "photos", (app) => void (app.spec.region = "eu-2"));
  await cluster.settled();
  expect(await cluster.get(CloudBucket, "photos")).toMatchObject({ spec: { region: "eu-2", roleARN: ARN } });

  await cluster.update(MyApp, "photos", (app) => void (app.spec.suspended = true));
  await cluster.settled();
  expect(await cluster.get(MyApp, "photos")).toHaveCondition("CloudReady", { status: "True", reason: "Suspended" });
  expect(await cluster.get(CloudBucket, "photos")).toBeDefined();

  cluster.requests.clear();
  await cluster.delete(MyApp, "photos");
  await cluster.settled();
  const deleted = cluster.requests.filter({ verb: "delete" }).map(({ resource }) => resource);
  expect(deleted).toEqual(["cloudbuckets", "cloudroles"]);
  for (const kind of [MyApp, CloudBucket, CloudRole]) expect(await cluster.get(kind, "photos")).toBeUndefined();
});

test("no bucket is ever without an ARN", async () => {
  await using cluster = await startTestCluster();
  const arns: unknown[] = [];
  cluster.onRequest(({ verb, resource, body }) => {
    if (verb === "apply" && resource === "cloudbuckets") arns.push((body as { spec?: { roleARN?: unknown } }).spec?.roleARN);
  });
  await cluster.start(myApp);
  for (const name of ["photos", "music"]) await cluster.create(MyApp, { metadata: { name }, spec: {} });
  await cluster.settled();
  await cluster.update(MyApp, "photos", (app) => void (app.spec.region = "eu-2"));
  await cluster.settled();
  expect(arns).toEqual([]);

  for (const name of ["photos", "music"]) await cluster.updateStatus(CloudRole, name, (role) => void (role.status = { arn: ARN }));
  await cluster.settled();
  expect(arns).toEqual([ARN, ARN]);
});
