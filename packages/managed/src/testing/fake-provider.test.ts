import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { type FakeProvider, fakeProvider, type FakeProviderOptions } from "./fake-provider.ts";
import type { FakeFailure, FakeVerb } from "./fake-errors.ts";

interface Disk {
  readonly sizeGb: number;
  readonly zone: string;
}

const DEFAULTS: Disk = { sizeGb: 1, zone: "a" };

const ITEM = { name: "item-1", token: "t-1", state: "Available", isVisible: true, values: { sizeGb: 5, zone: "a" } };

function start(options: Partial<FakeProviderOptions<Disk>> = {}): { fake: FakeProvider<Disk>; clock: ReturnType<typeof fakeClock> } {
  const clock = fakeClock();
  return { fake: fakeProvider<Disk>({ defaults: DEFAULTS, clock, ...options }), clock };
}

const create = (fake: FakeProvider<Disk>, name = "ignored", token = "t-1"): Promise<{ readonly name: string }> =>
  fake.create({ name, token, want: { sizeGb: 5 } });

describe("names", () => {
  test("each create makes another resource where the provider assigns names", async () => {
    const { fake } = start();
    expect([(await create(fake)).name, (await create(fake)).name]).toEqual(["item-1", "item-2"]);
    expect(fake.items).toEqual([1, 2].map((number) => ({ ...ITEM, name: `item-${number}` })));
  });

  test("a create with the token of an existing resource returns it where tokens are idempotent", async () => {
    const { fake } = start({ isIdempotentByToken: true });
    expect([(await create(fake)).name, (await create(fake)).name]).toEqual(["item-1", "item-1"]);
    expect((await create(fake, "ignored", "t-2")).name).toBe("item-2");
  });

  test("a create of an existing name changes nothing where the caller chooses names", async () => {
    const { fake } = start({ names: "chosen" });
    await create(fake, "mine");
    await fake.create({ name: "mine", token: "t-2", want: { sizeGb: 9 } });
    expect(fake.items).toEqual([{ ...ITEM, name: "mine" }]);
  });

  test("an assigned name can be made of the token", async () => {
    const { fake } = start({ assign: (number, token) => `${token}/${number}` });
    expect((await create(fake)).name).toBe("t-1/1");
  });

  test("a value named as a part of the observation is refused", async () => {
    const fake = fakeProvider({ defaults: { state: "on" } });
    await expect(fake.create({ name: "a", token: "t", want: {} })).rejects.toThrow(TypeError);
    expect(() => fake.add("a")).toThrow(TypeError);
  });
});

describe("times", () => {
  test("a created resource is Creating for createMs", async () => {
    const { fake, clock } = start({ createMs: 1_000 });
    await create(fake);
    expect(await fake.observe({ name: "item-1" })).toEqual({ name: "item-1", token: "t-1", state: "Creating", sizeGb: 5, zone: "a" });
    await clock.advance(1_000);
    expect((await fake.observe({ name: "item-1" }))?.state).toBe("Available");
  });

  test("a created resource costs money before observe and recoverCreate find it", async () => {
    const { fake, clock } = start({ visibleAfterMs: 1_000 });
    await create(fake);
    const found = async (): Promise<unknown[]> => [await fake.observe({ name: "item-1" }), await fake.recoverCreate({ token: "t-1" })];
    expect(await found()).toEqual([undefined, undefined]);
    expect(fake.items).toEqual([{ ...ITEM, isVisible: false }]);
    await clock.advance(1_000);
    expect(await found()).toEqual([expect.objectContaining({ name: "item-1" }), { name: "item-1" }]);
  });

  test.for([
    { name: "deletes a resource that is not visible", isEventualForWrites: false, left: 0 },
    { name: "does not find a resource that is not visible where writes are eventual, too", isEventualForWrites: true, left: 1 },
  ])("delete $name", async ({ isEventualForWrites, left }) => {
    const { fake } = start({ visibleAfterMs: 1_000, isEventualForWrites });
    await create(fake);
    await fake.delete({ name: "item-1" });
    expect(fake.items).toHaveLength(left);
  });

  test("an update is visible after updateMs, and a second one meanwhile is a conflict", async () => {
    const { fake, clock } = start({ updateMs: 1_000 });
    await create(fake);
    await fake.update({ name: "item-1", changes: { sizeGb: 7 } });
    expect(fake.items).toEqual([{ ...ITEM, state: "Updating" }]);
    await expect(fake.update({ name: "item-1", changes: { sizeGb: 8 } })).rejects.toMatchObject({ status: 409 });
    await clock.advance(1_000);
    expect(fake.items).toEqual([{ ...ITEM, values: { sizeGb: 7, zone: "a" } }]);
  });

  test("a deleted resource is Deleting for deleteMs, and a second delete does not prolong it", async () => {
    const { fake, clock } = start({ deleteMs: 1_000 });
    await create(fake);
    await fake.delete({ name: "item-1" });
    await clock.advance(600);
    await fake.delete({ name: "item-1" });
    expect((await fake.observe({ name: "item-1" }))?.state).toBe("Deleting");
    await clock.advance(400);
    expect(fake.items).toEqual([]);
    await fake.delete({ name: "item-1" });
  });

  test("a caller that gives up ends the wait for the answer, and not the call", async () => {
    const { fake, clock } = start({ latencyMs: 1_000 });
    const controller = new AbortController();
    const failed = expect(fake.create({ name: "a", token: "t-1", want: {}, signal: controller.signal })).rejects.toThrow("gave up");
    controller.abort(new Error("gave up"));
    await failed;
    expect(fake.items).toEqual([]);
    await clock.advance(1_000);
    expect(fake.items).toHaveLength(1);
  });
});

describe("failures", () => {
  test.for<{ name: string; failure: FakeFailure; happens: boolean; error: object }>([
    { name: "lost", failure: "lost", happens: true, error: { status: undefined, code: "ECONNRESET" } },
    { name: "unreachable", failure: "unreachable", happens: false, error: { status: undefined, code: "ECONNREFUSED" } },
    { name: "429", failure: { status: 429, retryAfterMs: 5_000 }, happens: false, error: { status: 429, retryAfterMs: 5_000 } },
    { name: "500", failure: 500, happens: false, error: { status: 500, retryAfterMs: undefined } },
    { name: "401", failure: 401, happens: false, error: { status: 401 } },
    { name: "an error of the test", failure: new RangeError("boom"), happens: false, error: { message: "boom" } },
  ])("$name fails one create, which happens: $happens", async ({ failure, happens, error }) => {
    const { fake } = start();
    fake.fail("create", failure);
    await expect(create(fake)).rejects.toMatchObject(error);
    expect(fake.items).toHaveLength(happens ? 1 : 0);
    await create(fake);
  });

  test("a call that hangs ends with the signal of the caller", async () => {
    const { fake } = start();
    fake.fail("observe", "hang");
    await expect(fake.observe({ name: "a", signal: AbortSignal.abort(new Error("too late")) })).rejects.toThrow("too late");
    const controller = new AbortController();
    const failed = expect(fake.observe({ name: "a", signal: controller.signal })).rejects.toThrow("deadline");
    controller.abort(new Error("deadline"));
    await failed;
  });

  test("a failure is for its verb and its number of times, and heal() takes the rest back", async () => {
    const { fake } = start();
    fake.fail("observe", 500, 2);
    fake.fail("*", 429, Number.POSITIVE_INFINITY);
    const status = (verb: FakeVerb): Promise<unknown> =>
      (verb === "observe" ? fake.observe({ name: "a" }) : fake.delete({ name: "a" })).then(
        () => "done",
        (error: { status: number }) => error.status,
      );
    expect([await status("delete"), await status("observe"), await status("observe"), await status("observe")]).toEqual([
      429, 500, 500, 429,
    ]);
    fake.heal();
    expect(await status("observe")).toBe("done");
    expect(() => fake.fail("observe", 500, 0)).toThrow(RangeError);
  });

  test("an update of an absent resource is 404", async () => {
    await expect(start().fake.update({ name: "a", changes: {} })).rejects.toMatchObject({ status: 404 });
  });
});

describe("a test sees and changes everything", () => {
  test("calls are logged with their subjects and times", async () => {
    const { fake, clock } = start();
    await create(fake);
    await clock.advance(100);
    await fake.observe({ name: "item-1" });
    expect(fake.calls).toEqual([
      { verb: "create", subject: "t-1", atMs: clock.now() - 100 },
      { verb: "observe", subject: "item-1", atMs: clock.now() },
    ]);
    expect([fake.count(), fake.count("create"), fake.count("delete")]).toEqual([2, 1, 0]);
    fake.clearCalls();
    expect(fake.count()).toBe(0);
  });

  test("the hook runs before a call happens, and after it happened", async () => {
    const { fake } = start();
    const seen: string[] = [];
    fake.hook = async ({ verb, subject }, when) => void seen.push(`${when} ${verb} ${subject}: ${fake.items.length}`);
    await create(fake);
    expect(seen).toEqual(["before create t-1: 0", "after create t-1: 1"]);
    fake.hook = (_call, when) => {
      if (when === "after") throw new Error("connection reset");
    };
    await expect(create(fake)).rejects.toThrow("connection reset");
    expect(fake.items).toHaveLength(2);
  });

  test("changes by hand are seen by observe", async () => {
    const { fake } = start({ names: "chosen" });
    fake.add("old", { zone: "b" }, "t-0");
    fake.change("old", { sizeGb: 3, zone: undefined });
    fake.setState("old", "Failed");
    const seen = await fake.observe({ name: "old" });
    expect(seen).toEqual({ name: "old", token: "t-0", state: "Failed", sizeGb: 3, zone: "b" });
    expect(fake.state(seen ?? expect.fail())).toMatchObject({ type: "Failed" });
    fake.setState("old", undefined);
    expect((await fake.observe({ name: "old" }))?.state).toBe("Available");
    fake.remove("old");
    expect(await fake.observe({ name: "old" })).toBeUndefined();
    expect(() => fake.change("old", {})).toThrow("404");
  });

  test("a change is recorded where it happens, and does not happen if the record throws", async () => {
    const seen: string[] = [];
    const { fake } = start({ record: (what) => void seen.push(what) });
    await create(fake);
    await fake.update({ name: "item-1", changes: { sizeGb: 6 } });
    await fake.delete({ name: "item-1" });
    await fake.delete({ name: "item-1" });
    expect(seen).toEqual(["create item-1", "update item-1", "delete item-1"]);
    const dead = start({
      record: () => {
        throw new Error("the process was killed");
      },
    }).fake;
    await expect(create(dead)).rejects.toThrow("killed");
    expect(dead.items).toEqual([]);
  });

  test("a password is returned by the create that made the resource, and by no other", async () => {
    const { fake } = start({ names: "chosen", connection: ({ name }) => ({ password: `of ${name}` }) });
    expect(await fake.create({ name: "a", token: "t-1", want: {} })).toEqual({ name: "a", connection: { password: "of a" } });
    expect(await fake.create({ name: "a", token: "t-2", want: {} })).toEqual({ name: "a", connection: {} });
  });

  test("a change of a returned object does not change the resource", async () => {
    const fake = fakeProvider<{ tags: string[] }>({ defaults: { tags: [] }, names: "chosen" });
    fake.add("a");
    (await fake.observe({ name: "a" }))?.tags.push("x");
    fake.items[0]?.values.tags.push("y");
    expect(fake.items[0]?.values.tags).toEqual([]);
  });
});
