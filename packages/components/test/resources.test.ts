/** The resources of a component: their order, what holds them up, and what the condition reports of it. */
import "@treadle/testing/matchers";
import { Deployment, Job, Secret } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { type FakeWorld } from "@treadle/testing";
import { describe, expect, test } from "vitest";
import { App, change, configMap, entries, jobSpec, login, main, mainOf, page, pages, secret, settled, told, web, writes } from "./stage.ts";

const READY = "True Healthy: Component is ready.";
const applied = (world: FakeWorld): readonly string[] => writes(world).filter((each) => each.startsWith("apply"));

describe("the order of resources", () => {
  test("is that of the list, and a resource that is not ready does not hold up later ones", async () => {
    const world = await settled(main([page("two"), web("server"), page("one")]));
    expect(applied(world)).toEqual(["apply configmaps two", "apply deployments server", "apply configmaps one"]);
    expect(await mainOf(world)).toMatch(/^False Creating: server: /);
    expect(await entries(world)).toEqual({ two: "Ready Healthy", server: "Pending Creating", one: "Ready Healthy" });
  });

  test("a resource comes after the one that it depends on", async () => {
    const first = page("one");
    const world = await settled(main([page("two", { dependsOn: [first] }), first]));
    expect(applied(world)).toEqual(["apply configmaps one", "apply configmaps two"]);
    expect(await mainOf(world)).toBe(READY);
  });
});

describe("dependsOn", () => {
  const server = web("server");
  const steps = main([server, page("after", { dependsOn: [server] }), page("beside")], { graceMs: 60_000 });

  test("skips the resource: the condition is that of the other one, and later resources go on", async () => {
    const world = await settled(steps);
    expect(await mainOf(world)).toMatch(/^False Creating: server: [^;]*$/);
    expect(await pages(world)).toEqual(["beside"]);
    expect(await entries(world)).toEqual({ server: "Pending Creating", after: "Pending OperationPending", beside: "Ready Healthy" });
    await world.makeReady(Deployment, "server");
    await world.settled();
    expect(await pages(world)).toEqual(["after", "beside"]);
    expect(await mainOf(world)).toBe(READY);
  });

  test("the grace clock runs while a resource is skipped", async () => {
    const world = await settled(steps);
    await world.advance(60_000);
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False Down: not ready within 60 s: server: /);
  });

  test("on a Job that is not complete keeps TaskRunning or TaskPending", async () => {
    const job = dependentApply(App, { name: "job", kind: Job, objectName: "job", desired: (owner) => ({ spec: jobSpec(owner) }) });
    const world = await settled(main([job, page("after", { dependsOn: [job] })]));
    expect(await mainOf(world)).toMatch(/^False TaskPending: job: /);
    await world.updateStatus(Job, "job", (object) => void (object.status = { active: 1 }));
    await world.settled();
    expect(await mainOf(world)).toMatch(/^False TaskRunning: job: /);
    await world.makeReady(Job, "job");
    await world.settled();
    expect(await mainOf(world)).toBe("True Completed: Component is ready.");
    expect(await pages(world)).toEqual(["after"]);
  });
});

test("a block stops the resources that run after it, also if it waited for a later resource of the list", async () => {
  const two = page("two");
  const world = await settled(main([page("one", { dependsOn: [two] }), two, page("three")]), { spec: { held: ["one"] } });
  expect(await pages(world)).toEqual(["two"]);
  expect(await mainOf(world)).toBe("False Blocked: one: one is held");
});

const user = login();
const ignored = login({ absent: "ignore" });

interface Block {
  readonly name: string;
  /** The resource `one`. */
  readonly blocked: object;
  /** The resources before it. */
  readonly before?: readonly object[];
  readonly objects?: readonly object[];
  readonly spec?: object;
  readonly says: string;
}

describe.for<Block>([
  {
    name: "a missing value of needs",
    before: [ignored],
    blocked: page("one", { needs: [ignored], desired: (_owner: App, { vars }: { vars: object }) => ({ data: vars }) }),
    says: "one: waiting for user of Secret login (it does not exist)",
  },
  { name: "until", blocked: page("one"), spec: { held: ["one"] }, says: "one: one is held" },
  {
    name: "an object that another writer must create",
    blocked: page("one", { created: false }),
    says: "one: ConfigMap one does not exist yet",
  },
  { name: "an object of another writer", blocked: page("one"), objects: [configMap("one")], says: "one: ConfigMap one is not ours" },
])("a resource that is blocked by $name", ({ before = [], blocked, objects = [], spec = {}, says }) => {
  const resources = [page("zero"), ...before, blocked, page("dependant", { dependsOn: [blocked] }), page("last")];
  const others = async (world: FakeWorld): Promise<readonly string[]> => (await pages(world)).filter((name) => name !== "one");

  test("stops all later ones", async () => {
    const world = await settled(main(resources), { objects, spec });
    expect(await mainOf(world)).toContain(`False Blocked: ${says}`);
    expect(await others(world)).toEqual(["zero"]);
    expect(await entries(world)).toMatchObject({ zero: "Ready Healthy", one: "Pending Blocked", last: "Pending Blocked" });
  });

  test("stops only its dependants with blocked: dependants", async () => {
    const world = await settled(main(resources, { blocked: "dependants" }), { objects, spec });
    expect(await mainOf(world)).toContain(`False Blocked: ${says}`);
    expect(await others(world)).toEqual(["last", "zero"]);
  });
});

describe("a resource that is not checked for readiness", () => {
  const unchecked = { checkedForReadiness: false };

  test("counts while it is blocked, and stops later ones", async () => {
    const world = await settled(main([page("one", unchecked), page("two")]), { spec: { held: ["one"] } });
    expect(await mainOf(world)).toBe("False Blocked: one: one is held");
    expect(await pages(world)).toEqual([]);
    await change(world, { held: [] });
    expect(await mainOf(world)).toBe(READY);
  });

  test("counts while values of its needs are missing", async () => {
    const giver = login({ absent: "ignore" });
    const needing = page("one", { ...unchecked, needs: [giver], desired: { data: {} } });
    const world = await settled(main([giver, needing, page("two")]));
    expect(await mainOf(world)).toMatch(/^False Blocked: one: /);
    expect(await pages(world)).toEqual([]);
    await world.apply(secret("login"));
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
  });

  test("that is blocked stops the resources that depend on it with blocked: dependants", async () => {
    const held = page("one", unchecked);
    const world = await settled(main([held, page("two", { dependsOn: [held] }), page("three")], { blocked: "dependants" }), {
      spec: { held: ["one"] },
    });
    expect(await mainOf(world)).toBe("False Blocked: one: one is held");
    expect(await pages(world)).toEqual(["three"]);
  });

  test("counts when it fails", async () => {
    const broken = page("one", {
      ...unchecked,
      desired: () => {
        throw new Error("boom");
      },
    });
    const world = await settled(main([broken, page("two")]));
    expect(await mainOf(world)).toMatch(/^False Error: one: .*boom/);
    expect((await told(world))["Ready"]).toMatch(/^False/);
    expect(await pages(world)).toEqual(["two"]);
  });

  test("does not count while it converges or fails to become ready", async () => {
    const world = await settled(main([web("server", unchecked), page("two")]));
    expect(await mainOf(world)).toBe(READY);
  });
});

describe("a list of resources that do not need each other", () => {
  test("runs five at once with blocked: dependants", async () => {
    let running = 0;
    let most = 0;
    const names = [1, 2, 3, 4, 5, 6, 7].map((number) => `page-${number}`);
    const world = await settled(
      main(
        names.map((name) => page(name)),
        { blocked: "dependants" },
      ),
      { spec: { on: false } },
    );
    world.onRequest(async ({ verb, resource }) => {
      if (verb !== "apply" || resource !== "configmaps") return;
      most = Math.max(most, ++running);
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      running--;
    });
    await change(world, { on: true });
    expect(await pages(world)).toEqual(names);
    expect(most).toBe(5);
  });
});

describe("a resource with each", () => {
  const many = page("many", {
    objectName: (_owner: App, { key }: { key: string }) => `many-${key}`,
    each: ({ spec }: App) => spec.names.map((key) => ({ key })),
    until: undefined,
  });

  test("keeps one object for each item, and removes the others", async () => {
    const world = await settled(main([many, page("last")]), { spec: { names: ["x", "y"] } });
    expect(await mainOf(world)).toBe(READY);
    expect(await pages(world)).toEqual(["last", "many-x", "many-y"]);
    await change(world, { names: ["y"] });
    expect(await mainOf(world)).toBe(READY);
    expect(await pages(world)).toEqual(["last", "many-y"]);
    await change(world, { names: [] });
    expect(await mainOf(world)).toBe(READY);
    expect(await pages(world)).toEqual(["last"]);
    expect(world.events.map(({ reason, note }) => `${reason} ${note.split(" ").at(-1)}`)).toEqual([
      "CreatedConfigMap default/many-x",
      "CreatedConfigMap default/many-y",
      "CreatedConfigMap default/last",
      "ResourceDeleted default/many-x",
      "ResourceDeleted default/many-y",
    ]);
  });

  test("one foreign object blocks later resources, and the others are kept", async () => {
    const world = await settled(main([many, page("last")]), { spec: { names: ["x", "y"] }, objects: [configMap("many-x")] });
    expect(await mainOf(world)).toMatch(/^False Blocked: many: ConfigMap many-x is not ours/);
    expect(await pages(world)).toEqual(["many-x", "many-y"]);
  });

  test("is told once for objects that say the same, and with five messages for others", async () => {
    const held = page("held", {
      objectName: undefined,
      each: ({ spec }: App) => spec.names.map((key) => ({ key })),
      until: () => "it is held",
    });
    const names = ["1", "2", "3", "4", "5", "6", "7"];
    const world = await settled(main([held]), { spec: { names } });
    expect(await mainOf(world)).toBe("False Blocked: held: it is held");
    const foreign = await settled(main([many]), { spec: { names }, objects: names.map((name) => configMap(`many-${name}`)) });
    const texts = (await mainOf(foreign))?.split("; many: ") ?? [];
    expect(texts).toHaveLength(6);
    expect(texts.at(-1)).toBe("and 2 more messages");
  });

  test("all objects are removed when the component is off", async () => {
    const world = await settled(main([many, page("last")]), { spec: { names: ["x", "y"] } });
    await change(world, { on: false });
    expect(await mainOf(world)).toBe("True Disabled: Component is disabled.");
    expect(await pages(world)).toEqual([]);
  });
});

describe("Blocked", () => {
  test("is not kept: in the pass after the cause ends, the next state shows", async () => {
    const world = await settled(main([page("one"), web("server")]), { spec: { held: ["one"] } });
    expect(await mainOf(world)).toBe("False Blocked: one: one is held");
    await change(world, { held: [] });
    expect(await mainOf(world)).toMatch(/^False Creating: server: /);
    await world.makeReady(Deployment, "server");
    await world.settled();
    expect(await mainOf(world)).toBe(READY);
    await change(world, { held: ["server"], text: "two" });
    expect(await mainOf(world)).toBe("False Blocked: server: server is held");
  });

  test("joins the resources that are blocked, and names each", async () => {
    const world = await settled(main([page("one"), page("two")], { blocked: "dependants" }), { spec: { held: ["one", "two"] } });
    expect(await mainOf(world)).toBe("False Blocked: one: one is held; two: two is held");
  });

  test("a resource that would fail is skipped behind a blocked one", async () => {
    const broken = page("two", {
      desired: () => {
        throw new Error("boom");
      },
    });
    const world = await settled(main([page("one"), broken]), { spec: { held: ["one"] } });
    expect(await mainOf(world)).toBe("False Blocked: one: one is held");
  });

  test.for<{ name: string; options: object }>([
    { name: "when does not hold", options: { when: ({ spec }: App) => spec.text === "one" } },
    { name: "nothing is desired", options: { desired: ({ spec }: App) => (spec.text === "one" ? {} : undefined) } },
    { name: "when does not hold and values are missing", options: { when: ({ spec }: App) => spec.text === "one", needs: [user] } },
  ])("an object for which $name is removed behind a blocked resource", async ({ options }) => {
    const world = await settled(main([user, page("one"), page("two", options)]), { objects: [secret("login")] });
    expect(await pages(world)).toEqual(["one", "two"]);
    await world.delete(Secret, "login");
    await change(world, { text: "two", held: ["one"] });
    expect(await mainOf(world)).toMatch(/^False Blocked: .*login/);
    expect(await pages(world)).toEqual(["one"]);
  });
});
