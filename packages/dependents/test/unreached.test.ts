/** A dependent that a pass does not reach: its entry and its condition follow the object in the cache. */
import "@treadle/testing/matchers";
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { checkStatus, type FakeWorld, fakeWorld } from "@treadle/testing";
import { configMap, entries, merge, type Options, page, said, Site, site, writes } from "./sites.ts";

const earlier = step(Site, {
  name: "earlier",
  do(req) {
    const { where } = req.object.spec;
    if (where === "wait") return req.wait("held", 60_000);
    if (where === "stop") return req.stop("held");
    if (where === "fail") throw new Error("boom");
    return undefined;
  },
});

const worldWith = (options: Partial<Options>, ...objects: object[]): FakeWorld =>
  fakeWorld(
    handler(Site)
      .step(conditions())
      .step(earlier)
      .step(page({ desired: ({ spec }) => ({ data: { text: spec.text } }), conditions: ["PageReady"], ...options }))
      .build(),
    { objects: [site(), ...objects] },
  );

async function held(options: Partial<Options>, where = "wait"): Promise<FakeWorld> {
  const world = worldWith(options);
  await world.settled();
  expect(await said(world)).toEqual(["page Ready"]);
  await world.update(Site, "a", ({ spec }) => void ((spec.where = where), (spec.text = "new")));
  await world.settled();
  return world;
}

const pageReady = async (world: FakeWorld) => await world.get(Site, "a");

describe("a dependent that the pass does not reach", () => {
  test.for(["wait", "stop", "fail"])("is not written, and stays Ready with its object (%s)", async (where) => {
    const world = worldWith({});
    await world.settled();
    await world.update(Site, "a", ({ spec }) => void ((spec.where = where), (spec.text = "new")));
    await world.pass("a");
    expect(await said(world)).toEqual(["page Ready"]);
    expect(await pageReady(world)).toHaveCondition("PageReady", { status: "True", reason: "Ready" });
    expect(await world.get(Site, "a")).not.toHaveCondition("Ready", { status: "True" });
    expect((await world.get(ConfigMap, "a-page"))?.data).toEqual({ text: "hello" });
  });

  test("is judged by a readyWhen that takes the object and its owner alone", async () => {
    const readyWhen: Options["readyWhen"] = (live, { spec }) => live.data?.["text"] === spec.text || "it shows another text";
    const world = await held({ readyWhen });
    expect(await entries(world)).toMatchObject([{ type: "Pending", reason: "NotReady", message: "it shows another text" }]);
    expect(await pageReady(world)).toHaveCondition("PageReady", { status: "False", reason: "NotReady", message: "it shows another text" });
  });

  test("is judged by its health when readyWhen takes inputs, which only a step that runs has", async () => {
    const readyWhen: Options["readyWhen"] = (live, { spec }, { vars }) => (live.data?.["text"] === spec.text && vars !== undefined) || "no";
    expect(await said(await held({ readyWhen }))).toEqual(["page Ready"]);
  });

  test("keeps what its status adds to the entry", async () => {
    const world = await held({
      status: (entry, live) => ({ ...entry, attributes: [{ name: "text", value: String(live?.data?.["text"]) }] }),
    });
    expect(await entries(world)).toMatchObject([{ type: "Ready", attributes: [{ name: "text", value: "hello" }] }]);
  });

  test("is NotReached when its object is deleted, also in its condition", async () => {
    const world = await held({});
    await world.delete(ConfigMap, "a-page");
    await world.settled();
    expect(await said(world)).toEqual(["page Unknown/NotReached"]);
    expect(await pageReady(world)).toHaveCondition("PageReady", { status: "Unknown", reason: "NotReached" });
  });

  test("is NotReached when another writer has put its own object in the place", async () => {
    const world = await held({});
    await world.delete(ConfigMap, "a-page");
    await world.create(ConfigMap, configMap("a-page") as never);
    await world.settled();
    expect(await said(world)).toEqual(["page Unknown/NotReached"]);
  });

  test("is NotReached without a watch, because no cache has its object", async () => {
    expect(await said(await held({ watched: false }))).toEqual(["page Unknown/NotReached"]);
  });

  test("is judged by its health when its readyWhen throws", async () => {
    let isBroken = false;
    const readyWhen: Options["readyWhen"] = () => {
      if (isBroken) throw new Error("boom");
      return true;
    };
    const world = worldWith({ readyWhen });
    await world.settled();
    isBroken = true;
    await world.update(Site, "a", ({ spec }) => void (spec.where = "wait"));
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("has no entry before it was reached for the first time", async () => {
    const world = fakeWorld(
      handler(Site)
        .step(conditions())
        .step(earlier)
        .step(page({ conditions: ["PageReady"] }))
        .build(),
      {
        objects: [site("a", { where: "wait" })],
      },
    );
    await world.settled();
    expect(await said(world)).toEqual([]);
    expect(await pageReady(world)).toHaveCondition("PageReady", { status: "Unknown", reason: "NotReached" });
  });

  test("follows a change of its object without a request for it", async () => {
    const readyWhen: Options["readyWhen"] = (live) => live.data?.["broken"] === undefined || "it is broken";
    const world = await held({ readyWhen });
    world.requests.clear();
    await world.update(ConfigMap, "a-page", (object) => merge(object, { data: { broken: "1" } }));
    await world.settled();
    expect(await entries(world)).toMatchObject([{ type: "Pending", message: "it is broken" }]);
    expect(writes(world).filter((each) => each.includes("configmaps"))).toEqual([]);
  });
});

test.for([
  { name: "with conditions", options: { conditions: ["PageReady"] } },
  { name: "without conditions", options: {} },
] as const)("a hidden transient failure keeps the entries of a later dependent $name, and shows them after it", async ({ options }) => {
  let isDown = false;
  const sync = step(Site, {
    name: "sync",
    conditions: ["Synced"],
    do(req) {
      if (!isDown) return void req.conditions.true("Synced");
      req.conditions.keep("Synced");
      throw new ApiError({ message: "down", status: 503 });
    },
  });
  const desired: Options["desired"] = ({ spec }) => ({ data: { text: spec.text } });
  const built = handler(Site)
    .step(conditions())
    .step(sync)
    .step(page({ desired, ...options }))
    .build();
  const world = fakeWorld(built, { objects: [site()] });
  await world.settled();
  const before = (await world.get(Site, "a"))?.status;
  isDown = true;
  await world.delete(ConfigMap, "a-page");
  await world.pass("a");
  const hidden = await world.get(Site, "a");
  expect(hidden?.status).toEqual(before);
  checkStatus(hidden as Site, { handler: built });
  await world.advance(60_000);
  await world.settled();
  const shown = await world.get(Site, "a");
  expect(await entries(world)).toMatchObject([{ type: "Unknown", reason: "NotReached" }]);
  expect(shown).toHaveCondition("Ready", { status: "False" });
  checkStatus(shown as Site, { handler: built });
});
