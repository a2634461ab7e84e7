import "@treadle/testing/matchers";
import { type FakeWorld, fakeReq, fakeWorld } from "@treadle/testing";
import { dependentsOf, worstDependent } from "treadle";
import { ConfigMap, Deployment, Service } from "treadle/kinds";
import { expect, test } from "vitest";
import { App } from "./app.ts";
import { config } from "./config.ts";
import { app } from "./controller.ts";
import { web } from "./web.ts";

const greeter = (spec: object = {}): object => ({
  apiVersion: "examples.treadle.dev/v1beta1",
  kind: "App",
  metadata: { name: "greeter" },
  spec: { greeting: "good morning", replicas: 2, ...spec },
});

/** A world in which all objects are ready; the requests so far are cleared. */
async function ready(): Promise<FakeWorld> {
  const world = fakeWorld(app, { objects: [greeter()] });
  await world.settled();
  await world.makeReady(Deployment, "greeter-web");
  await world.settled();
  expect(await world.get(App, "greeter")).toBeReady();
  world.requests.clear();
  return world;
}

const entries = async (world: FakeWorld): Promise<Record<string, string>> =>
  Object.fromEntries(
    dependentsOf((await world.get(App, "greeter")) ?? {}).map(({ step, type, message }) => [
      step,
      message === "" ? type : `${type}: ${message}`,
    ]),
  );

test("the step of the ConfigMap continues as soon as the object exists", async () => {
  const req = fakeReq(App, greeter());
  expect(await req.run(config, { vars: { style: undefined } })).toContinue();
});

test("the step of the Deployment waits until it is rolled out", async () => {
  const req = fakeReq(App, greeter());
  expect(await req.run(web, { vars: { pageFile: {} } })).toWait(/its controller has not seen it yet/);
});

test("an App whose Deployment is at 0/1 is not Ready, and its entry counts the replicas", async () => {
  const world = fakeWorld(app, { objects: [greeter({ replicas: 1 })] });
  await world.settled();
  await world.updateStatus(Deployment, "greeter-web", (live) => {
    live.status = { observedGeneration: live.metadata.generation ?? 0, replicas: 1, updatedReplicas: 1, unavailableReplicas: 1 };
  });
  await world.settled();
  expect(await entries(world)).toMatchObject({ web: "Pending: 0 of 1 replicas are available" });
  expect(await world.get(App, "greeter")).toHaveCondition("Ready", { status: "False", reason: "NotAvailable" });
  expect(await world.get(App, "greeter")).toHaveCondition("WebReady", { status: "False", message: "0 of 1 replicas are available" });
});

test("the App gets three objects, and is Ready when its Deployment is", async () => {
  const world = fakeWorld(app, { objects: [greeter()] });
  await world.settled();
  expect((await world.get(ConfigMap, "greeter"))?.data).toEqual({ "index.html": "<h1>good morning</h1>\n" });
  expect((await world.get(Service, "greeter"))?.spec?.ports).toMatchObject([{ port: 80, targetPort: 80 }]);
  expect((await world.get(Deployment, "greeter-web"))?.spec?.replicas).toBe(2);
  expect(await entries(world)).toMatchObject({ config: "Ready", service: "Ready", web: expect.stringMatching(/^Pending/) });

  await world.makeReady(Deployment, "greeter-web");
  await world.settled();
  expect(await world.get(App, "greeter")).toBeReady();
  expect(await entries(world)).toEqual({ config: "Ready", service: "Ready", web: "Ready" });
  expect(worstDependent(dependentsOf((await world.get(App, "greeter")) ?? {}))?.type).toBe("Ready");
});

test("a settled App costs no request", async () => {
  const world = await ready();
  expect(await world.pass("greeter")).toContinue();
  expect(world.requests.length).toBe(0);
});

test("a new greeting updates the ConfigMap, then the Deployment that uses it", async () => {
  const world = await ready();
  await world.update(App, "greeter", (object) => {
    object.spec.greeting = "good evening";
  });
  await world.settled();
  expect((await world.get(ConfigMap, "greeter"))?.data).toEqual({ "index.html": "<h1>good evening</h1>\n" });
  expect((await world.get(Deployment, "greeter-web"))?.spec?.template.metadata?.annotations).toEqual({
    "examples.treadle.dev/greeting": "<h1>good evening</h1>\n",
  });
  expect(world.requests.filter({ kind: Service })).toEqual([]);
});

test("spec.paused deletes the Deployment and nothing else", async () => {
  const world = await ready();
  await world.update(App, "greeter", (object) => {
    object.spec.paused = true;
  });
  await world.settled();
  expect(await world.get(Deployment, "greeter-web")).toBeUndefined();
  expect(await entries(world)).toEqual({ config: "Ready", service: "Ready" });
  expect(await world.get(App, "greeter")).toBeReady();
});

test("a manual change of a field of ours is reverted, a foreign field is not modified", async () => {
  const world = await ready();
  await world.update(ConfigMap, "greeter", (object) => {
    object.data = { "index.html": "hacked", "robots.txt": "Disallow: /" };
    object.metadata.labels = { ...object.metadata.labels, team: "web" };
  });
  await world.settled();
  expect((await world.get(ConfigMap, "greeter"))?.data).toEqual({ "index.html": "<h1>good morning</h1>\n", "robots.txt": "Disallow: /" });
  expect((await world.get(ConfigMap, "greeter"))?.metadata.labels).toMatchObject({ team: "web" });
});
