/** dependentApply where two want the same object, or one does not know what it wants: nothing is written without end. */
import "../src/matchers.ts";
import { conditions, handler, type Handler } from "@treadle/reconcile";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { startTestCluster } from "../src/index.ts";
import { entries, page, said, settled, Site, worldOf } from "./sites.ts";

const handlerOf = (...[options, name]: [Parameters<typeof page>[0]?, string?]): Handler<Site> =>
  handler(Site, name === undefined ? {} : { name })
    .step(conditions({ ready: name === undefined }))
    .step(page(options))
    .build();

describe("an object that differs again each time it is written", () => {
  test("because desired never gives the same answer is written with growing delays, and the entry says at what", async () => {
    let calls = 0;
    const world = worldOf({ desired: () => ({ data: { text: String(calls++) } }) });
    await world.settle();
    expect(world.requests.filter({ verb: "apply" }).length).toBeLessThan(8);
    expect(said(world)).toEqual(["page Pending/Contested"]);
    expect(entries(world)[0]?.message).toContain("data.text");
    expect(world.logs.some(({ level, text }) => level === "warn" && text.includes("again and again"))).toBe(true);
    world.requests.clear();
    for (let i = 0; i < 60; i++) {
      await world.advance(1_000);
      await world.settle();
    }
    expect(world.requests.length).toBeLessThan(20);
  });

  test("is Ready again when it keeps what is written", async () => {
    let calls = 0;
    let isSteady = false;
    const world = worldOf({ desired: () => ({ data: { text: isSteady ? "x" : String(calls++) } }) });
    await world.settle();
    isSteady = true;
    for (let i = 0; i < 5; i++) {
      await world.advance(10_000);
      await world.settle();
    }
    expect(said(world)).toEqual(["page Ready"]);
    expect(world.dueIn("a")).toBeUndefined();
    world.requests.clear();
    await world.pass("a");
    expect(world.requests.length).toBe(0);
  });

  test("is put back at once as long as somebody only changes it now and then", async () => {
    const world = await settled();
    for (let i = 0; i < 12; i++) {
      await world.update(ConfigMap, "a-page", (object) => void (object.data = { text: `by hand ${i}` }));
      await world.settle();
      expect(world.get(ConfigMap, "a-page")?.data).toEqual({ text: "hello" });
      await world.update(Site, "a", ({ spec }) => void (spec.text = "hello"));
    }
    expect(said(world)).toEqual(["page Ready"]);
  });

  test("because another version of the operator wants something else", async () => {
    await using cluster = await startTestCluster({ kinds: [Site] });
    const one = await cluster.start(handlerOf({ desired: { data: { text: "one" } } }));
    await cluster.start(handlerOf({ desired: { data: { text: "two" } } }));
    await cluster.create(Site, { metadata: { name: "a" }, spec: {} });
    await one.settled();
    expect(cluster.requests({ verb: "apply" }).length).toBeLessThan(100);
  });
});
