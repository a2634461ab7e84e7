/** Errors of the resources of a component: which keep the condition for a time, and which it reports at once. */
import "@treadle/testing/matchers";
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { type FakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { component } from "../src/component.ts";
import { App, change, configMap, entries, login, main, mainOf, page, pages, secret, settled, told, web } from "./stage.ts";

const READY = "True Healthy: Component is ready.";
const other = component(App, { name: "other", condition: "OtherReady", resources: [page("two")] });

/** Answers the writes of ConfigMap `one` with this error, until the returned function is called. */
function failing(
  world: FakeWorld,
  error: () => Error,
  verbs: readonly string[] = ["apply", "patch", "create", "update", "delete"],
): () => void {
  return world.onRequest(({ verb, resource, name }) => {
    if (resource === "configmaps" && name === "one" && verbs.includes(verb)) throw error();
  });
}
const api = (status: number, reason: string, message: string = "the server says no"): (() => Error) => {
  return () => new ApiError({ status, reason, message });
};
async function retry(world: FakeWorld): Promise<void> {
  await world.advance(world.dueIn("a") ?? 0);
  await world.settled();
}
/** Retries until this time has passed. */
async function retryFor(world: FakeWorld, ms: number): Promise<void> {
  const endMs = world.clock.now() + ms;
  while (world.clock.now() < endMs) {
    await world.advance(Math.min(world.dueIn("a") ?? ms, endMs - world.clock.now()));
    await world.settled();
  }
}

const TRANSIENT = [
  { name: "409", error: api(409, "Conflict") },
  { name: "429", error: api(429, "TooManyRequests") },
  { name: "500", error: api(500, "InternalError") },
  { name: "503", error: api(503, "ServiceUnavailable") },
  { name: "504", error: api(504, "Timeout") },
  { name: "a lost connection", error: () => new Error("the connection is lost") },
];

describe.for(TRANSIENT)("a write that fails with $name", ({ error }) => {
  test("keeps the condition for 60 s, then it is Error with the text", async () => {
    const world = await settled([main([page("one")]), other]);
    const ready = (await told(world))["Ready"];
    const stop = failing(world, error);
    await world.update(ConfigMap, "one", (object) => void (object.data = {}));
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
    expect((await told(world))["Ready"]).toBe(ready);
    await retryFor(world, 59_000);
    expect(await mainOf(world)).toBe(READY);
    await retryFor(world, 12_000);
    expect(await mainOf(world)).toMatch(/^False Error: one: /);
    expect(await told(world)).toMatchObject({ Ready: expect.stringMatching(/^False/), OtherReady: READY });
    stop();
    await retryFor(world, 600_000);
    expect(await told(world)).toMatchObject({ MainReady: READY, Ready: ready });
  });

  test("is not Error again at once after a success", async () => {
    const world = await settled(main([page("one")]));
    const stop = failing(world, error);
    await world.update(ConfigMap, "one", (object) => void (object.data = {}));
    await world.settled();
    await retryFor(world, 50_000);
    stop();
    await retryFor(world, 600_000);
    failing(world, error);
    await world.update(ConfigMap, "one", (object) => void (object.data = {}));
    await world.settled();
    await retryFor(world, 50_000);
    expect(await mainOf(world)).toBe(READY);
  });
});

describe("a transient error", () => {
  test("of the first pass of a generation keeps the condition, but not Ready", async () => {
    const world = await settled([main([page("one"), page("three")]), other], { spec: { on: false } });
    failing(world, api(503, "ServiceUnavailable"));
    await change(world, { on: true });
    expect(await told(world)).toMatchObject({
      MainReady: "True Disabled: Component is disabled.",
      OtherReady: READY,
      Ready: expect.stringMatching(/^False .*the server says no/),
    });
    expect(await pages(world)).toEqual(["three", "two"]);
  });

  test("of a removal keeps Disabling for 60 s", async () => {
    const world = await settled([main([page("one")]), other]);
    const stop = failing(world, api(503, "ServiceUnavailable"), ["delete"]);
    await change(world, { on: false });
    await retryFor(world, 50_000);
    expect(await mainOf(world)).toBe("False Disabling: waiting for the deletion of ConfigMap one");
    await retryFor(world, 60_000);
    expect(await mainOf(world)).toMatch(/^False Error: one: /);
    stop();
    await retryFor(world, 600_000);
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
  });

  test("does not hide a permanent one", async () => {
    const world = await settled(main([page("one"), page("three")]));
    world.onRequest(({ verb, resource, name }) => {
      if (verb !== "apply" || resource !== "configmaps") return;
      throw name === "one" ? api(503, "ServiceUnavailable")() : api(403, "Forbidden", "three is forbidden")();
    });
    await change(world, { text: "two" });
    expect(await mainOf(world)).toMatch(/^False Error: .*three: .*three is forbidden/);
  });
});

describe.for([
  { name: "403", error: api(403, "Forbidden") },
  { name: "422", error: api(422, "Invalid") },
])("a write that fails with $name", ({ error }) => {
  test("is Error at once, with the resource and the text, and is retried", async () => {
    const world = await settled([main([page("one"), page("three")]), other]);
    const stop = failing(world, error);
    await change(world, { text: "two" });
    expect(await told(world)).toMatchObject({
      MainReady: expect.stringMatching(/^False Error: one: .*the server says no/),
      OtherReady: READY,
      Ready: expect.stringMatching(/^False .*the server says no/),
    });
    expect(await entries(world)).toMatchObject({ one: "Failed Error", three: "Ready Healthy", two: "Ready Healthy" });
    expect((await world.get(ConfigMap, "three"))?.data).toEqual({ text: "two" });
    stop();
    await retryFor(world, 600_000);
    expect(await mainOf(world)).toBe(READY);
  });

  test("of a removal is Error at once", async () => {
    const world = await settled(main([page("one")]));
    const stop = failing(world, error, ["delete"]);
    await change(world, { on: false });
    expect(await mainOf(world)).toMatch(/^False Error: one: .*the server says no/);
    expect((await told(world))["Ready"]).toMatch(/^False/);
    stop();
    await retryFor(world, 600_000);
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
  });
});

describe("a function of the author that fails", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  test.for<{ name: string; options: object; says: string }>([
    { name: "desired throws", options: { desired: boom }, says: "boom" },
    { name: "desired returns a promise", options: { desired: async () => ({}) }, says: "promise" },
    { name: "desired is not JSON", options: { desired: () => ({ data: { text: 1n } }) }, says: "" },
    { name: "until throws", options: { until: boom }, says: "boom" },
    { name: "until returns a promise", options: { until: async () => true }, says: "until returned a promise" },
    { name: "readyWhen throws", options: { readyWhen: boom }, says: "boom" },
    { name: "when returns a text", options: { when: () => "yes" }, says: "when returned a string" },
    { name: "the name is invalid", options: { objectName: "No_Name" }, says: "No_Name" },
  ])("in which $name is Error with the resource, and the others go on", async ({ options, says }) => {
    const world = await settled([main([page("one", options), page("three")]), other]);
    const text = (await mainOf(world)) ?? "";
    expect(text).toMatch(/^False Error: one: /);
    expect(text).toContain(says);
    expect(await told(world)).toMatchObject({ OtherReady: READY, Ready: expect.stringMatching(/^False/) });
    expect(await pages(world)).toEqual(expect.arrayContaining(["three", "two"]));
    expect((await entries(world))["one"]).toBe("Failed Error");
  });

  test("several errors are joined, in list order", async () => {
    const world = await settled(main([page("one", { desired: boom }), page("three"), page("two", { desired: boom })]));
    expect(await mainOf(world)).toMatch(/^False Error: one: .*boom; two: .*boom$/);
  });

  test("the state of a custom record that throws is Error", async () => {
    const kinds = [{ kind: ConfigMap, category: "integration", state: boom }];
    const world = await settled(main([page("one"), page("three")], { kinds: kinds as never }));
    expect(await mainOf(world)).toMatch(/^False Error: one: .*boom; three: /);
    await retry(world);
    expect(await mainOf(world)).toMatch(/^False Error: /);
  });

  test("the grade of a custom record that throws is Error", async () => {
    const kinds = [{ kind: Deployment, category: "workload", grace: boom }];
    const world = await settled([main([web("one")], { kinds: kinds as never, graceMs: 1_000 }), other]);
    await world.advance(1_000);
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Error: .*boom/);
    expect((await told(world))["OtherReady"]).toBe(READY);
  });
});

describe("the messages of a component", () => {
  test("have no value of a Secret", async () => {
    const user = login();
    const leaky = page("one", {
      needs: [user],
      desired: (_owner: App, { vars }: { vars: { user: string } }) => {
        throw new Error(`cannot log in as ${vars.user}`);
      },
    });
    const held = page("three", {
      needs: [user],
      until: (_owner: App, { vars }: { vars: { user: string } }) => `waiting for ${vars.user}`,
    });
    const world = await settled(main([user, leaky, held]), { objects: [secret("login", "very-secret-name")] });
    const text = JSON.stringify([await world.get(App, "a"), world.events, world.logs]);
    expect(text).not.toContain("very-secret-name");
    expect(text).not.toContain(btoa("very-secret-name"));
  });
});

test("an object that another writer changes all the time is Error, and is not written without end", async () => {
  const world = await settled(main([page("one")]));
  for (let i = 0; i < 20; i++) {
    await world.update(ConfigMap, "one", (object) => void (object.data = { text: `other ${i}` }));
    await world.settled();
  }
  expect(await mainOf(world)).toMatch(/^False Error: one: ConfigMap one differs again after each write/);
  expect(configMap("one")).toBeDefined();
});

test("Ready reports why a deleted owner stays", async () => {
  const world = await settled(main([page("one")]));
  failing(world, api(403, "Forbidden"), ["delete"]);
  await world.delete(App, "a");
  await world.settled();
  expect((await told(world))["Ready"]).toMatch(/^False .*the server says no/);
});

test("an unwanted object that cannot be deleted is Error at once, and a transient failure after 60 s", async () => {
  for (const { error, isTransient } of [
    { error: api(403, "Forbidden"), isTransient: false },
    { error: api(503, "ServiceUnavailable"), isTransient: true },
  ]) {
    const world = await settled(main([page("one", { when: ({ spec }: App) => spec.text === "one" }), page("three")]));
    const stop = failing(world, error, ["delete"]);
    await change(world, { text: "two" });
    const conditions = await told(world);
    if (isTransient) expect(conditions).toMatchObject({ MainReady: READY, Ready: expect.stringMatching(/^True/) });
    await retryFor(world, 120_000);
    expect(await told(world)).toMatchObject({
      MainReady: expect.stringMatching(/^False Error: one: /),
      Ready: expect.stringMatching(/^False Error: MainReady: one: /),
    });
    stop();
    await retryFor(world, 600_000);
    expect(await mainOf(world)).toBe(READY);
    expect(await pages(world)).toEqual(["three"]);
  }
});
