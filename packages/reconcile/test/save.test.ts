/**
 * Save with several writers. Invariants, for any interleaving of our passes with writes of others:
 * 1. No finalizer, condition, status field, label or annotation that another writer set is lost or changed.
 * 2. What our steps wrote is there after the last pass.
 * 3. When others are quiet, a pass makes no request (fixed point).
 * 4. The status never holds a condition type twice.
 */
import type { Condition } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

const counting = (name: string, ready = true): AnyHandler =>
  handler(Widget, { name })
    .step(conditions({ ready }))
    .step(
      step(Widget, {
        name: `count-${name}`,
        conditions: [{ type: `Counted${name.toUpperCase()}`, ready: "counts" }],
        writes: ["labels", "annotations"],
        do(req) {
          req.status.parts = { ...req.status.parts, [name]: String(req.object.spec.size) };
          req.labels[`${name}-size`] = String(req.object.spec.size);
          req.annotations[`test/${name}`] = "yes";
          req.conditions.true(`Counted${name.toUpperCase()}`, "Counted", `size ${req.object.spec.size}`);
        },
        cleanup() {},
      }),
    )
    .build();

describe("save", () => {
  let harness: Harness;
  let operator: Operator;
  beforeEach(async () => {
    harness = await startHarness([Widget]);
    await harness.user.create(Widget, widget());
    operator = harness.operator(counting("x"));
  });
  const live = async (): Promise<Widget> => (await harness.user.get(Widget, REF)) as Widget;

  test("needs a finalizer, a metadata and a status request the first time, none after that", async () => {
    await operator.pass(KEY);
    expect(harness.requests).toEqual(["PATCH widgets/a", "PATCH widgets/a", "PATCH widgets/a/status"]);
    await operator.pass(KEY);
    await operator.pass(KEY);
    expect(harness.requests).toHaveLength(3);
  });

  test("after a conflict asks for one more pass", async () => {
    harness.intercept = async (request, send) => {
      if (request.path.includes("/status") && harness.requests.length === 3) {
        await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 9 } } });
      }
      return await send();
    };
    const result = await operator.pass(KEY);
    expect(result.requeue).toEqual({ type: "after", afterMs: 0, reason: "another writer changed the object during the pass" });
    expect((await live()).status?.observedGeneration, "what was decided on generation 1 says so").toBe(1);
    await operator.pass(KEY);
    expect((await live()).status).toMatchObject({ observedGeneration: 2, parts: { x: "9" } });
  });

  test("takes the finalizer of the object that it loaded, or starts over", async () => {
    harness.intercept = async (_request, send) => {
      if (harness.requests.length === 1) await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 9 } } });
      return await send();
    };
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after", afterMs: 50 } });
    expect((await live()).status).toBeUndefined();
    await operator.pass(KEY);
    expect((await live()).status).toMatchObject({ observedGeneration: 2, parts: { x: "9" } });
  });

  test("takes it all the same when others only keep their own things there", async () => {
    harness.intercept = async (_request, send) => {
      if (harness.requests.length === 1)
        await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { finalizers: ["theirs.example.com/f"] } } });
      return await send();
    };
    expect((await operator.pass(KEY)).outcome).toEqual({ type: "done" });
    expect((await live()).metadata.finalizers).toEqual(["theirs.example.com/f", "test.treadle.dev/x"]);
  });

  test("gives up after five re-reads, quietly", async () => {
    let version = 0;
    harness.intercept = async (request, send) => {
      if (request.path.includes("/status"))
        await harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { labels: { v: String(version++) } } } });
      return await send();
    };
    const result = await operator.pass(KEY);
    expect(result.error).toBeUndefined();
    expect(result.requeue).toMatchObject({ type: "after" });
    expect(harness.requests.filter((request) => request.startsWith("GET"))).toHaveLength(5);
  });

  test("ends quietly when the object was deleted and made again", async () => {
    harness.intercept = async (request, send) => {
      if (harness.requests.length === 1) {
        await harness.user.delete(Widget, REF);
        await harness.user.create(Widget, widget({ spec: { size: 5 } }));
      }
      return await send();
    };
    const result = await operator.pass(KEY);
    expect(result.error).toBeUndefined();
    expect((await live()).metadata.finalizers, "nothing of the old pass reaches the new object").toBeUndefined();
    expect((await live()).status).toBeUndefined();
  });

  test("two handlers keep their conditions, fields and finalizers side by side, and only one says Ready", async () => {
    const other = harness.operator(counting("y", false));
    for (let i = 0; i < 3; i++) {
      await operator.pass(KEY);
      await other.pass(KEY);
    }
    const { status, metadata } = await live();
    expect(status?.conditions?.map(({ type }) => type).sort()).toEqual(["CountedX", "CountedY", "Ready"]);
    expect(status?.parts).toEqual({ x: "1", y: "1" });
    expect(metadata.finalizers).toEqual(["test.treadle.dev/x", "test.treadle.dev/y"]);
    const before = harness.requests.length;
    await operator.pass(KEY);
    await other.pass(KEY);
    expect(harness.requests).toHaveLength(before);
  });

  test("a condition that an older version of the handler wrote is dropped, another writer's is not", async () => {
    const older = handler(Widget, { name: "x" })
      .step(conditions())
      .step(step(Widget, { name: "old", conditions: ["Old"], do: (req) => req.conditions.true("Old") }))
      .build();
    await harness.operator(older).pass(KEY);
    const theirs: Condition = { type: "Theirs", status: "True", reason: "Theirs", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
    const conditionsNow = (await live()).status?.conditions ?? [];
    await harness.user.patch(
      Widget,
      REF,
      { type: "merge", body: { status: { conditions: [...conditionsNow, theirs] } } },
      { subresource: "status" },
    );
    await operator.pass(KEY);
    expect((await live()).status?.conditions?.map(({ type }) => type).sort()).toEqual(["CountedX", "Ready", "Theirs"]);
  });
});

test("Ready of an older version of the handler that computed it is dropped by one that does not, another handler's is not", async () => {
  const harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
  const types = async (): Promise<string[]> =>
    ((await harness.user.get(Widget, REF)) as Widget).status?.conditions?.map(({ type }) => type).sort() ?? [];
  await harness.operator(counting("x")).pass(KEY);
  expect(await types()).toEqual(["CountedX", "Ready"]);
  const silent = harness.operator(counting("x", false));
  await silent.pass(KEY);
  expect(await types()).toEqual(["CountedX"]);
  await harness.operator(counting("y")).pass(KEY);
  await silent.pass(KEY);
  expect(await types()).toEqual(["CountedX", "CountedY", "Ready"]);
});

/** One thing that can happen between or during passes. */
type Move =
  | { readonly type: "x" | "y" | "stale-x" | "stale-y" }
  | { readonly type: "label" | "finalizer" | "condition" | "field" | "resize"; readonly value: number };

const move: fc.Arbitrary<Move> = fc.oneof(
  fc.record({ type: fc.constantFrom("x" as const, "y" as const, "stale-x" as const, "stale-y" as const) }),
  fc.record({
    type: fc.constantFrom("label" as const, "finalizer" as const, "condition" as const, "field" as const, "resize" as const),
    value: fc.integer({ min: 1, max: 4 }),
  }),
);

describe("three writers in any interleaving", () => {
  test("lose nothing of each other", { tags: ["part"] }, async ({ part }) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(move, { minLength: 1, maxLength: 12 }),
        fc.array(fc.nat({ max: 3 }), { maxLength: 30 }),
        async (moves, interleave) => {
          const harness = await startHarness([Widget]);
          const { user } = harness;
          await user.create(Widget, widget());
          const operators = { x: harness.operator(counting("x")), y: harness.operator(counting("y", false)) };
          const theirs = {
            labels: new Map<string, string>(),
            finalizers: new Set<string>(),
            conditions: new Map<string, string>(),
            other: "",
          };
          const pending: Move[] = moves.filter(({ type }) => !/^(stale-)?[xy]$/.test(type));

          /** Writes of a careful third party: with resourceVersion, so that it loses nothing itself. */
          const foreignWrite = async (given: Move): Promise<void> => {
            if (!("value" in given)) return;
            const object = (await user.get(Widget, REF)) as Widget;
            const { resourceVersion, finalizers = [] } = object.metadata;
            const value = String(given.value);
            if (given.type === "label") {
              theirs.labels.set(`theirs-${value}`, value);
              await user.patch(Widget, REF, { type: "merge", body: { metadata: { labels: { [`theirs-${value}`]: value } } } });
            } else if (given.type === "finalizer") {
              theirs.finalizers.add(`theirs.example.com/f${value}`);
              await user.patch(Widget, REF, {
                type: "merge",
                body: { metadata: { resourceVersion, finalizers: [...new Set([...finalizers, `theirs.example.com/f${value}`])] } },
              });
            } else if (given.type === "condition") {
              theirs.conditions.set(`Theirs${value}`, value);
              const others = (object.status?.conditions ?? []).filter(({ type }) => type !== `Theirs${value}`);
              const mine = {
                type: `Theirs${value}`,
                status: "True",
                reason: "Theirs",
                message: value,
                lastTransitionTime: "2026-01-01T00:00:00Z",
              };
              await user.patch(
                Widget,
                REF,
                { type: "merge", body: { metadata: { resourceVersion }, status: { conditions: [...others, mine] } } },
                { subresource: "status" },
              );
            } else if (given.type === "field") {
              theirs.other = value;
              await user.patch(
                Widget,
                REF,
                { type: "merge", body: { status: { other: value, parts: { theirs: value } } } },
                { subresource: "status" },
              );
            } else {
              await user.patch(Widget, REF, { type: "merge", body: { spec: { size: given.value } } });
            }
          };
          let request = 0;
          harness.intercept = async (given, send) => {
            for (let i = interleave[request++] ?? 0; i > 0; i--) {
              const next = pending.shift();
              if (next !== undefined) await foreignWrite(next);
            }
            return await send();
          };

          for (const { type } of moves) {
            if (type === "x" || type === "y") await operators[type].pass(KEY);
            else if (type === "stale-x" || type === "stale-y") await operators[type === "stale-x" ? "x" : "y"].stalePass(KEY);
            else {
              const next = pending.shift();
              if (next !== undefined) await foreignWrite(next);
            }
          }
          for (const rest of pending.splice(0)) await foreignWrite(rest);
          for (let i = 0; i < 3; i++) for (const operator of Object.values(operators)) await operator.pass(KEY);

          const { metadata, status, spec } = (await user.get(Widget, REF)) as Widget;
          for (const [label, value] of theirs.labels) expect(metadata.labels?.[label], "1").toBe(value);
          for (const finalizer of [...theirs.finalizers, "test.treadle.dev/x", "test.treadle.dev/y"])
            expect(metadata.finalizers, "1").toContain(finalizer);
          for (const [type, message] of theirs.conditions)
            expect(status?.conditions, "1").toContainEqual(expect.objectContaining({ type, message, reason: "Theirs" }));
          if (theirs.other !== "") expect(status, "1").toMatchObject({ other: theirs.other, parts: { theirs: theirs.other } });
          expect(status?.parts, "2").toMatchObject({ x: String(spec.size), y: String(spec.size) });
          expect(status?.observedGeneration, "2").toBe(metadata.generation);
          const types = status?.conditions?.map(({ type }) => type) ?? [];
          expect(new Set(types).size, "4").toBe(types.length);
          const quiet = harness.requests.length;
          for (const operator of Object.values(operators)) await operator.pass(KEY);
          expect(harness.requests.slice(quiet), "3").toEqual([]);
        },
      ),
      part.runs(150),
    );
  });
});
