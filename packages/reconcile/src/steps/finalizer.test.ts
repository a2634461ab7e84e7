import { beforeEach, describe, expect, test } from "vitest";
import { boom, FINALIZER, Widget, widget } from "../../test/fixtures.ts";
import { type Harness, type Operator, startHarness } from "../../test/harness.ts";
import { handler } from "../handler.ts";
import { all, step } from "../step.ts";
import { conditions } from "./conditions.ts";
import { finalizer, type FinalizerOptions } from "./finalizer.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const THEIRS = "theirs.example.com/f";

let harness: Harness;
let cleaned: string[];
beforeEach(async () => {
  harness = await startHarness([Widget]);
  cleaned = [];
});

function operator(options: Partial<FinalizerOptions<Widget>> & { readonly handlerName?: string; readonly ready?: boolean } = {}): Operator {
  const { handlerName, ready = true, ...rest } = options;
  return harness.operator(
    handler(Widget, handlerName === undefined ? {} : { name: handlerName })
      .step(conditions({ ready }))
      .step(finalizer<Widget>({ cleanup: () => void cleaned.push(handlerName ?? "x"), ...rest }))
      .build(),
  );
}

const live = async () => await harness.user.get(Widget, REF);
const conditionOf = async (type: string): Promise<string> => {
  const found = (await live())?.status?.conditions?.find((condition) => condition.type === type);
  return found === undefined ? "absent" : `${found.status}/${found.reason}: ${found.message}`;
};
const dropForeign = async (): Promise<unknown> => {
  const finalizers = ((await live())?.metadata.finalizers ?? []).filter((name) => name !== THEIRS);
  return await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { finalizers } } });
};

describe("finalizer", () => {
  test("the finalizer is added in the first pass, and its cleanup runs once before the object is deleted", async () => {
    const running = operator();
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
    expect(await conditionOf("Ready")).toBe("True/Ready: ");
    expect(await conditionOf("ForeignFinalizers"), "no condition where there is nothing to wait for").toBe("absent");
    await harness.user.delete(Widget, REF);
    await running.pass(KEY);
    expect(cleaned).toEqual(["x"]);
    expect(await live()).toBeUndefined();
    expect(await running.pass(KEY)).toMatchObject({ outcome: { type: "gone" } });
  });

  test("a cleanup that waits or throws keeps it, and is asked again", async () => {
    const answers = [
      () => Promise.reject(boom),
      (req: Parameters<FinalizerOptions<Widget>["cleanup"]>[0]) => req.wait("the bucket is being emptied", 500),
      () => undefined,
    ];
    const running = operator({ cleanup: (req) => answers.shift()?.(req) });
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    await harness.user.delete(Widget, REF);
    expect(await running.pass(KEY)).toMatchObject({ error: boom, requeue: { type: "failure" } });
    expect(await conditionOf("Ready")).toBe('False/Deleting: step "finalizer": boom');
    expect(await running.pass(KEY)).toMatchObject({ requeue: { type: "after", afterMs: 500, reason: "the bucket is being emptied" } });
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
    await running.pass(KEY);
    expect(await live()).toBeUndefined();
  });

  test("has its own deadline", async () => {
    const running = operator({ timeoutMs: 700, cleanup: () => new Promise<void>(() => undefined) });
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    await harness.user.delete(Widget, REF);
    const pass = running.pass(KEY);
    await harness.clock.advance(700);
    await harness.clock.advance(120_000);
    expect((await pass).error).toMatchObject({ code: "ERR_STEP_TIMEOUT" });
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
  });

  test("two finalizer() steps with other names share the one finalizer of a handler", async () => {
    const twice = handler(Widget)
      .step(finalizer({ name: "first", cleanup: () => void cleaned.push("first") }))
      .step(finalizer({ name: "second", cleanup: () => void cleaned.push("second") }))
      .build();
    const running = harness.operator(twice);
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
    await harness.user.delete(Widget, REF);
    await running.pass(KEY);
    expect(cleaned).toEqual(["second", "first"]);
  });

  test("a finalizer() in all() runs its cleanup although another part's cleanup fails", async () => {
    const failing = step(Widget, { name: "failing", do() {}, cleanup: () => Promise.reject(boom) });
    const mine = finalizer<Widget>({ cleanup: () => void cleaned.push("x") });
    const running = harness.operator(
      handler(Widget)
        .step(all("parts", [mine, failing]))
        .build(),
    );
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    await harness.user.delete(Widget, REF);
    expect(await running.pass(KEY)).toMatchObject({ error: boom });
    expect(cleaned).toEqual(["x"]);
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
  });
});

describe("waitForForeignMs", () => {
  const deleted = async (running: Operator, finalizers: string[] = [THEIRS]): Promise<void> => {
    await harness.user.create(Widget, widget({ finalizers }));
    await running.pass(KEY);
    await harness.user.delete(Widget, REF);
  };

  test("finalizer() reports ForeignFinalizers=False while the object is not deleted", async () => {
    const running = operator({ waitForForeignMs: 60_000 });
    await harness.user.create(Widget, widget());
    await running.pass(KEY);
    expect(await conditionOf("ForeignFinalizers")).toBe("False/NotDeleting: ");
    expect(await conditionOf("Ready")).toBe("True/Ready: ");
  });

  test("finalizer() waits for foreign finalizers, names them, and continues when they are removed", async () => {
    const running = operator({ waitForForeignMs: 60_000 });
    await deleted(running);
    await harness.clock.advance(15_000);
    const wait = { type: "after", afterMs: 45_000, reason: `waiting for ${THEIRS}` };
    expect(await running.pass(KEY)).toMatchObject({ requeue: wait });
    expect(await conditionOf("ForeignFinalizers")).toBe(`True/Waiting: waiting for ${THEIRS}`);
    await dropForeign();
    await running.pass(KEY);
    expect(cleaned).toEqual(["x"]);
    expect(await live()).toBeUndefined();
  });

  test("finalizer() continues when the time is over, and names the remaining finalizers", async () => {
    let fails = true;
    const running = operator({
      waitForForeignMs: 60_000,
      cleanup: () => {
        if (fails) throw boom;
        cleaned.push("x");
      },
    });
    await deleted(running);
    await harness.clock.advance(60_000);
    await running.pass(KEY);
    expect(await conditionOf("ForeignFinalizers")).toBe(`True/WaitedLongEnough: cleaning up although these are still there: ${THEIRS}`);
    fails = false;
    await running.pass(KEY);
    expect(cleaned).toEqual(["x"]);
    expect((await live())?.metadata.finalizers).toEqual([THEIRS]);
    expect(await running.pass(KEY), "what is left is not ours").toMatchObject({ outcome: { type: "left" }, writes: 0 });
  });

  test.for([
    { name: "our own domain", other: "test.treadle.dev/another" },
    { name: "a part of our own domain", other: "sub.test.treadle.dev/another" },
  ])("does not wait for $name", async ({ other }) => {
    const running = operator({ waitForForeignMs: 60_000 });
    await deleted(running, [other]);
    await running.pass(KEY);
    expect(cleaned).toEqual(["x"]);
  });

  test.for(["nottest.treadle.dev/f", "treadle.dev/f", "test.treadle.dev.evil.com/f", "foregroundDeletion"])(
    "waits for %s",
    async (other) => {
      const running = operator({ waitForForeignMs: 60_000 });
      await deleted(running, [other]);
      await running.pass(KEY);
      expect(cleaned).toEqual([]);
    },
  );

  test("three handlers of one operator, two of which wait, do not wait for each other", async () => {
    const one = operator({ handlerName: "one", waitForForeignMs: 60_000, name: "one" });
    const two = harness.operator(
      handler(Widget, { name: "two" })
        .step(finalizer<Widget>({ name: "two", cleanup: () => void cleaned.push("two") }))
        .build(),
    );
    const three = operator({ handlerName: "three", ready: false, name: "three" });
    await harness.user.create(Widget, widget());
    for (const each of [one, two, three]) await each.pass(KEY);
    expect((await live())?.metadata.finalizers).toEqual(["test.treadle.dev/one", "test.treadle.dev/two", "test.treadle.dev/three"]);
    await harness.user.delete(Widget, REF);
    for (const each of [three, one, two]) await each.pass(KEY);
    expect(cleaned.toSorted()).toEqual(["one", "three", "two"]);
    expect(await live()).toBeUndefined();
  });

  test.for([-1, Number.NaN, Number.POSITIVE_INFINITY, "5"])(
    "of %s is refused: a foreign finalizer may stay forever",
    (waitForForeignMs) => {
      expect(() => finalizer({ cleanup() {}, waitForForeignMs: waitForForeignMs as number })).toThrow(TypeError);
    },
  );
});
