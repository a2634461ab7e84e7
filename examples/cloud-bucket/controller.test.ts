import "@treadle/testing/matchers";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { dependentsOf } from "treadle";
import { expect, test } from "vitest";
import { CloudBucket, CloudRole } from "./cloud-kinds.ts";
import { cloud } from "./cloud.ts";
import { myApp } from "./controller.ts";
import { MyApp } from "./my-app.ts";

const ARN = "arn:cloud:role/photos";

const photos = (spec: object = {}): object => ({
  apiVersion: "examples.treadle.dev/v1beta1",
  kind: "MyApp",
  metadata: { name: "photos" },
  spec,
});

/** A world in which the provider has made the role, and the bucket exists. */
async function ready(): Promise<FakeWorld> {
  const world = fakeWorld(myApp, { objects: [photos()] });
  await world.settled();
  await makeRole(world);
  await world.settled();
  world.requests.clear();
  return world;
}

/** What the controller of the provider does. */
async function makeRole(world: FakeWorld): Promise<void> {
  await world.updateStatus(CloudRole, "photos", (role) => void (role.status = { arn: ARN }));
}

const entries = async (world: FakeWorld): Promise<Record<string, string>> =>
  Object.fromEntries(dependentsOf((await world.get(MyApp, "photos")) ?? {}).map(({ step, type, reason }) => [step, `${type} ${reason}`]));

const written = (world: FakeWorld): readonly string[] =>
  world.requests.filter({ verb: ["create", "update", "patch", "apply", "delete"] }).map(({ verb, resource }) => `${verb} ${resource}`);

test("the component wants a role, and a bucket with the ARN of the role", () => {
  const app = { apiVersion: "v1", kind: "MyApp", metadata: { name: "photos", namespace: "default" }, spec: { region: "eu-1" } } as MyApp;
  expect(cloud.preview(app, { data: { roleArn: ARN } })).toMatchObject([
    { kind: "CloudRole", metadata: { name: "photos" }, spec: { service: "photos" } },
    { kind: "CloudBucket", metadata: { name: "photos" }, spec: { region: "eu-1", roleARN: ARN } },
  ]);
  expect(() => cloud.preview(app)).toThrow(/vars.roleArn/);
});

test("the bucket waits for the ARN, and the condition says so", async () => {
  const world = fakeWorld(myApp, { objects: [photos()] });
  await world.settled();
  expect(await world.get(CloudRole, "photos")).toMatchObject({ spec: { service: "photos" } });
  expect(await world.get(CloudBucket, "photos")).toBeUndefined();
  expect(await world.get(MyApp, "photos")).toHaveCondition("CloudReady", {
    status: "False",
    reason: "Blocked",
    message: "bucket: waiting for roleArn of CloudRole photos",
  });
  expect(await entries(world)).toEqual({ role: "Ready Operational", bucket: "Pending Blocked" });
});

test("the bucket is applied in the pass after the ARN appears", async () => {
  const world = fakeWorld(myApp, { objects: [photos()] });
  await world.settled();
  await makeRole(world);
  world.requests.clear();
  expect(await world.pass("photos")).toContinue();
  expect(await world.get(CloudBucket, "photos")).toMatchObject({ spec: { region: "eu-1", roleARN: ARN } });
  expect(await world.get(MyApp, "photos")).toHaveCondition("CloudReady", { status: "True", reason: "Operational" });
  expect(await world.get(MyApp, "photos")).toBeReady();
  expect(written(world)).toEqual(["apply cloudbuckets", "patch myapps"]);
});

test("a settled app costs no request", async () => {
  const world = await ready();
  expect(await world.pass("photos")).toContinue();
  expect(world.requests.length).toBe(0);
});

test("a new ARN updates the bucket, and an ARN that is lost leaves it as it is", async () => {
  const world = await ready();
  await world.updateStatus(CloudRole, "photos", (role) => void (role.status = { arn: `${ARN}-2` }));
  await world.settled();
  expect(await world.get(CloudBucket, "photos")).toMatchObject({ spec: { roleARN: `${ARN}-2` } });

  await world.updateStatus(CloudRole, "photos", (role) => void (role.status = {}));
  await world.settled();
  expect(await world.get(CloudBucket, "photos")).toMatchObject({ spec: { roleARN: `${ARN}-2` } });
  expect(await world.get(MyApp, "photos")).toHaveCondition("CloudReady", { status: "False", reason: "Blocked" });
});

test("a suspended app keeps its role and its bucket", async () => {
  const world = await ready();
  await world.update(MyApp, "photos", (app) => void (app.spec.suspended = true));
  await world.settled();
  expect(await world.get(MyApp, "photos")).toHaveCondition("CloudReady", {
    status: "True",
    reason: "Suspended",
    message: "Component is suspended.",
  });
  expect(written(world)).toEqual(["patch myapps"]);
  expect(await world.get(CloudBucket, "photos")).toBeDefined();
});

test("an app that is suspended before its role has an ARN gets no bucket until it is resumed", async () => {
  const world = fakeWorld(myApp, { objects: [photos({ suspended: true })] });
  await world.settled();
  await makeRole(world);
  await world.settled();
  expect(await world.get(MyApp, "photos")).toHaveCondition("CloudReady", { status: "True", reason: "Suspended" });
  await world.update(MyApp, "photos", (app) => void (app.spec.suspended = false));
  await world.settled();
  expect(await world.get(CloudBucket, "photos")).toMatchObject({ spec: { roleARN: ARN } });
});

test("the bucket is deleted before the role", async () => {
  const world = await ready();
  await world.update(CloudBucket, "photos", (bucket) => void (bucket.metadata.finalizers = ["cloud.example.com/data"]));
  await world.delete(MyApp, "photos");
  await world.settled();
  expect(written(world).filter((text) => text.startsWith("delete"))).toEqual(["delete cloudbuckets"]);
  expect(await world.get(CloudRole, "photos"), "the bucket still uses it").toBeDefined();

  await world.update(CloudBucket, "photos", (bucket) => void (bucket.metadata.finalizers = []));
  await world.settled();
  expect(written(world).filter((text) => text.startsWith("delete"))).toEqual(["delete cloudbuckets", "delete cloudroles"]);
  expect(await world.get(MyApp, "photos")).toBeUndefined();
});
