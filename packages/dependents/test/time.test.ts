/** `until`, `now` and `revisit`: what a step does not write yet, and when its functions are called again. */
import "@treadle/testing/matchers";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { conditions, handler } from "@treadle/reconcile";
import { dependentApply, dependentApplyAll } from "../src/index.ts";
import { describe, expect, test } from "vitest";
import { type FakeWorld, fakeWorld } from "@treadle/testing";
import { entries, type Options, page, said, settled, Site, site, worldOf, writes } from "./sites.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const desired = ({ spec }: Site) => ({ data: { text: spec.text } });
const textOf = async (world: FakeWorld): Promise<string | undefined> => (await world.get(ConfigMap, "a-page"))?.data?.["text"];
const warnings = (world: FakeWorld): readonly string[] =>
  world.logs.filter(({ level, text }) => level === "warn" && text.includes("revisit")).map(({ text }) => text);

describe("until", () => {
  const until: Options["until"] = ({ spec }) => spec.wanted || "the backup is not done";

  test("does not hold: nothing is created, and the step waits with the reason", async () => {
    const world = await settled({ desired, until: () => "the backup is not done", conditions: ["PageReady"] });
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(await entries(world)).toMatchObject([{ type: "Pending", reason: "Precondition", message: "the backup is not done" }]);
    const object = await world.get(Site, "a");
    expect(object).toHaveCondition("PageReady", { status: "False", reason: "Precondition", message: "the backup is not done" });
    expect(object).not.toHaveCondition("Ready", { status: "True" });
  });

  test("does not hold: an existing object is neither changed nor deleted, also where desired returns nothing", async () => {
    const world = await settled({ desired: (owner) => (owner.spec.wanted ? desired(owner) : undefined), until });
    expect(await textOf(world)).toBe("hello");
    world.requests.clear();
    await world.update(Site, "a", ({ spec }) => void ((spec.text = "new"), (spec.wanted = false)));
    await world.settled();
    expect(await textOf(world)).toBe("hello");
    expect(await said(world)).toEqual(["page Pending/Precondition"]);
    expect(writes(world).filter((each) => each.includes("configmaps"))).toEqual([]);
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
    await world.settled();
    expect(await textOf(world)).toBe("new");
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("does not hold: the object under a former name stays", async () => {
    const world = await settled({ desired, until });
    await world.update(Site, "a", ({ spec }) => void ((spec.name = "renamed"), (spec.wanted = false)));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeDefined();
    expect(await world.get(ConfigMap, "renamed")).toBeUndefined();
  });

  test("is asked before desired is called", async () => {
    let calls = 0;
    await settled({ desired: () => (calls++, {}), until: () => "not now" });
    expect(calls).toBe(0);
  });

  test("does not keep an object that when does not want", async () => {
    const world = await settled({ desired, when: ({ spec }) => spec.wanted, until });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  });

  test("does not delay the deletion of the owner", async () => {
    const world = await settled({ desired, until });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = false));
    await world.delete(Site, "a");
    await world.settled();
    expect(await world.get(Site, "a")).toBeUndefined();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  });

  test("holds up no step with checkedForReadiness: false, and logs no warning", async () => {
    const world = await settled({ desired, until: () => "not now", checkedForReadiness: false });
    expect(await world.get(Site, "a")).toHaveCondition("Ready", { status: "True" });
    expect(world.logs.filter(({ level }) => level === "warn")).toEqual([]);
  });

  test("has an entry that status refines", async () => {
    const world = await settled({ desired, until: () => "not now", status: (entry) => ({ ...entry, message: `waits: ${entry.message}` }) });
    expect(await entries(world)).toMatchObject([{ type: "Pending", message: "waits: not now" }]);
  });

  test.for<{ name: string; until: unknown; says: string }>([
    {
      name: "false",
      until: () => false,
      says: 'step "page": until returned false, but must return true, or a text with the reason why not',
    },
    { name: "an empty text", until: () => "", says: "until returned an empty text" },
    { name: "nothing", until: () => undefined, says: "until returned nothing" },
    { name: "a promise that rejects", until: () => Promise.reject(new Error("boom")), says: "until returned a promise" },
    {
      name: "an error",
      until: () => {
        throw new Error("boom");
      },
      says: "boom",
    },
  ])("that answers with $name is Failed with the reason", async ({ until: given, says }) => {
    const world = await settled({ desired, until: given as never });
    expect(await entries(world)).toMatchObject([{ type: "Failed", message: expect.stringContaining(says) }]);
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
  });

  test("keeps the objects of all items back", async () => {
    const shards = dependentApply(Site, {
      name: "shards",
      kind: ConfigMap,
      each: () => [{ key: "one" }, { key: "two" }],
      until: ({ spec }) => spec.wanted || "not now",
      conditions: ["ShardsReady"],
      desired: (_site, _inputs, { key }) => ({ data: { key } }),
    });
    const world = fakeWorld(handler(Site).step(conditions()).step(shards).build(), { objects: [site("a", { wanted: false })] });
    await world.settled();
    expect(await said(world)).toEqual(["shards Pending/Precondition", "shards Pending/Precondition"]);
    expect(await world.get(Site, "a")).toHaveCondition("ShardsReady", { status: "False", message: "ConfigMap a-one: not now" });
    await world.update(Site, "a", ({ spec }) => void (spec.wanted = true));
    await world.settled();
    expect(await world.get(Site, "a")).toHaveCondition("ShardsReady", { status: "True", reason: "Ready" });
  });
});

describe("a function that called now", () => {
  test("is called again in each pass, and a function that did not call it is skipped", async () => {
    const calls = { when: 0, until: 0, desired: 0, readyWhen: 0 };
    const world = await settled({
      when: () => (calls.when++, true),
      until: (_site, { now, revisit }) => {
        calls.until++;
        revisit(Number.POSITIVE_INFINITY);
        return now() > 0 || "never";
      },
      desired: () => (calls.desired++, { data: { text: "hello" } }),
      readyWhen: () => (calls.readyWhen++, true),
    });
    await world.pass("a");
    const before = { ...calls };
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(calls).toEqual({ ...before, until: before.until + 3 });
  });

  test("gets the time of the pass: desired follows it, without a change of the inputs", async () => {
    const world = await settled({
      desired: (_site, { now, revisit }) => {
        const minute = Math.floor(now() / MINUTE);
        revisit((minute + 1) * MINUTE - now());
        return { data: { text: `minute ${minute}` } };
      },
    });
    for (let i = 0; i < 12; i++) {
      const minute = Math.floor(world.clock.now() / MINUTE);
      expect(await textOf(world)).toBe(`minute ${minute}`);
      const dueIn = world.dueIn("a") ?? 0;
      expect(dueIn).toBe((minute + 1) * MINUTE - world.clock.now());
      await world.advance(dueIn);
      await world.settled();
    }
    expect(await said(world), "a desired state that follows the time is not contested").toEqual(["page Ready"]);
  });

  test("waits until the time comes, and creates the object then", async () => {
    const until: Options["until"] = (site, { now, revisit }) => {
      const openAt = Date.parse(site.metadata.creationTimestamp ?? "") + MINUTE;
      if (now() >= openAt) return true;
      revisit(openAt - now());
      return "it opens a minute after its creation";
    };
    const world = await settled({ desired, until });
    expect(await said(world)).toEqual(["page Pending/Precondition"]);
    await world.advance(MINUTE);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
  });

  test("and no longer wants the object at a time: it is deleted then", async () => {
    const when: Options["when"] = (site, { now, revisit }) => {
      const endsAt = Date.parse(site.metadata.creationTimestamp ?? "") + MINUTE;
      revisit(now() < endsAt ? endsAt - now() : Number.POSITIVE_INFINITY);
      return now() < endsAt;
    };
    const world = await settled({ desired, when });
    await world.pass("a");
    expect(await said(world)).toEqual(["page Ready"]);
    await world.advance(MINUTE);
    await world.settled();
    expect(await world.get(ConfigMap, "a-page")).toBeUndefined();
    expect(world.dueIn("a")).toBeUndefined();
  });

  test("while its part of dependentApplyAll waits for another one, is asked when it wanted", async () => {
    const base = page({ name: "base", objectName: "base", desired: {}, readyWhen: () => "never" });
    let isWanted = true;
    const part = page({
      desired,
      dependsOn: [base],
      when: (_site, { revisit }) => {
        revisit(isWanted ? MINUTE : Number.POSITIVE_INFINITY);
        return isWanted;
      },
    });
    const world = fakeWorld(
      handler(Site)
        .step(conditions())
        .step(dependentApplyAll("parts", [base, part]))
        .build(),
      { objects: [site()] },
    );
    await world.settled();
    expect(await said(world)).toEqual(["base Pending/NotReady", "page Pending/WaitingForDependency"]);
    expect(world.dueIn("a")).toBe(MINUTE);
    isWanted = false;
    await world.advance(MINUTE);
    await world.settled();
    expect(await said(world)).toEqual(["base Pending/NotReady"]);
  });

  test("is asked again for its readiness without a new rendering", async () => {
    let rendered = 0;
    const world = await settled({
      desired: () => (rendered++, {}),
      readyWhen: (live, _site, { now, revisit }) => {
        const readyAt = Date.parse(live.metadata.creationTimestamp ?? "") + MINUTE;
        revisit(now() < readyAt ? readyAt - now() : Number.POSITIVE_INFINITY);
        return now() >= readyAt || "it warms up";
      },
    });
    await world.pass("a");
    const before = rendered;
    expect(await said(world)).toEqual(["page Pending/NotReady"]);
    await world.advance(MINUTE);
    await world.settled();
    expect(await said(world)).toEqual(["page Ready"]);
    expect(rendered).toBe(before);
  });

  test("without revisit is reported once in the log, with the fix", async () => {
    const world = await settled({ desired: (_site, { now }) => ({ data: { day: String(Math.floor(now() / 86_400_000)) } }) });
    for (let i = 0; i < 3; i++) await world.pass("a");
    expect(warnings(world)).toEqual([
      "desired asks for the time by now(), and does not say by revisit() when its answer changes: it is called in each pass, but no pass is scheduled for it. Call revisit(afterMs), or revisit(Infinity) if the answer stays",
    ]);
    expect(world.dueIn("a")).toBeUndefined();
  });
});

describe("revisit", () => {
  test("is remembered across passes that skip the function", async () => {
    const asked: number[] = [];
    const world = worldOf({
      desired: (_site, { revisit }) => {
        asked.push(1);
        revisit(MINUTE);
        return { data: {} };
      },
    });
    await world.settled();
    await world.pass("a");
    const calls = asked.length;
    const dueAt = world.clock.now() + (world.dueIn("a") ?? 0);
    for (let i = 0; i < 5; i++) {
      await world.advance(10 * SECOND);
      await world.pass("a");
      expect(asked.length, "the function is skipped").toBe(calls);
      expect(world.clock.now() + (world.dueIn("a") ?? 0)).toBe(dueAt);
    }
    await world.advance(dueAt - world.clock.now());
    await world.settled();
    expect(asked.length).toBe(calls + 1);
    expect(world.dueIn("a")).toBe(MINUTE);
  });

  test("of a readyWhen that did not call now is remembered too", async () => {
    let calls = 0;
    const world = await settled({
      desired: {},
      readyWhen: (_live, _site, { revisit }) => {
        calls++;
        revisit(MINUTE);
        return true;
      },
    });
    await world.pass("a");
    const before = calls;
    const dueIn = world.dueIn("a") ?? 0;
    await world.advance(20 * SECOND);
    await world.pass("a");
    expect(calls).toBe(before);
    expect(world.dueIn("a")).toBe(dueIn - 20 * SECOND);
    await world.advance(dueIn - 20 * SECOND);
    await world.settled();
    expect(calls).toBeGreaterThan(before);
  });

  test("of several functions the earliest counts", async () => {
    const world = await settled({
      desired: (_site, { revisit }) => (revisit(MINUTE), {}),
      when: (_site, { revisit }) => (revisit(30 * SECOND), true),
      readyWhen: (_live, _site, { revisit }) => (revisit(45 * SECOND), true),
    });
    expect(world.dueIn("a")).toBe(30 * SECOND);
  });

  test("of a desired state that is not desired is heard", async () => {
    const world = await settled({ desired: (_site, { revisit }) => void revisit(MINUTE) as undefined });
    expect(world.dueIn("a")).toBe(MINUTE);
  });

  test("of each item is heard, and the others are skipped", async () => {
    const calls: string[] = [];
    const shards = dependentApply(Site, {
      name: "shards",
      kind: ConfigMap,
      each: () => [{ key: "one" }, { key: "two" }],
      desired: (_site, { now, revisit }, { key }) => {
        calls.push(key);
        if (key === "one") revisit(MINUTE - (now() % MINUTE));
        return { data: { key } };
      },
    });
    const world = fakeWorld(handler(Site).step(conditions()).step(shards).build(), { objects: [site()] });
    await world.settled();
    await world.pass("a");
    calls.length = 0;
    await world.pass("a");
    expect(calls).toEqual(["one"]);
    expect(world.dueIn("a")).toBe(MINUTE - (world.clock.now() % MINUTE));
  });

  test.for([Number.NaN, -1, "60" as never, undefined as never])("with %j is Failed with the reason", async (afterMs) => {
    const world = await settled({ desired: (_site, { revisit }) => (revisit(afterMs), {}) });
    expect(await entries(world)).toMatchObject([
      {
        type: "Failed",
        message: expect.stringContaining(
          `step "page": revisit: afterMs must be a number of milliseconds from 0, or Infinity, not ${String(afterMs)}`,
        ),
      },
    ]);
  });
});
