/**
 * Finalizer and deletion. Invariants, for a crash before or after any request, deletion at any moment, and restarts:
 * 1. Nothing is made outside while the stored object lacks our finalizer.
 * 2. When the object is gone, nothing that was made for it is left outside.
 * 3. A cleanup that fails or waits keeps the object; it goes when every cleanup is done.
 * 4. Two handlers on one object never wait for each other for ever.
 */
import { type AnyHandler, conditions, finalizer, handler, SKIP_CLEANUP_ANNOTATION, step } from "@treadle/reconcile";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { type Crash, type Mortal, mortal } from "./crash.ts";
import { FINALIZER, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

/** Things outside the cluster, by the uid of the object for which they were made. */
type Outside = Map<string, Set<string>>;

function maker(given: {
  readonly outside: Outside;
  readonly harness: Harness;
  readonly process: Mortal;
  readonly mode: "before-do" | "on-demand";
  readonly name?: string;
}): AnyHandler {
  const { outside, harness, process, mode, name = "widgets.test.treadle.dev" } = given;
  const part = (partName: string) =>
    step(Widget, {
      name: partName,
      finalizer: mode,
      async do(req) {
        if (mode === "on-demand") await req.holdFinalizer();
        process.act();
        const uid = req.object.metadata.uid ?? "";
        const stored = await harness.user.get(Widget, REF);
        if (stored?.metadata.uid === uid) expect(stored.metadata.finalizers, "1").toContain(`test.treadle.dev/${name}`);
        outside.set(uid, (outside.get(uid) ?? new Set()).add(`${name}/${partName}`));
        req.status.parts = { ...req.status.parts, [`${name}-${partName}`]: "made" };
      },
      cleanup(req) {
        process.act();
        outside.get(req.object.metadata.uid ?? "")?.delete(`${name}/${partName}`);
      },
    });
  return handler(Widget, { name })
    .step(conditions({ ready: name === "widgets.test.treadle.dev" }))
    .step(part("first"))
    .step(part("second"))
    .build();
}

describe("crash between any two requests", () => {
  type Move = "pass" | "stale" | "other" | "delete" | "recreate" | "restart" | "touch";
  const moves = fc.array(fc.constantFrom<Move>("pass", "pass", "stale", "other", "delete", "recreate", "restart", "touch"), {
    minLength: 2,
    maxLength: 14,
  });
  const crashes = fc.array(fc.record({ at: fc.nat({ max: 14 }), when: fc.constantFrom("before" as const, "after" as const) }), {
    maxLength: 3,
  });

  test.for(["before-do", "on-demand"] as const)(
    "nothing leaks, no cleanup is skipped, the object goes (finalizer %s)",
    { tags: ["part"] },
    async (mode, { part }) => {
      await fc.assert(
        fc.asyncProperty(moves, crashes, async (script, plan: readonly Crash[]) => {
          const harness = await startHarness([Widget]);
          const process = mortal(harness, plan);
          const outside: Outside = new Map();
          const start = () => ({
            mine: harness.operator(maker({ outside, harness, process, mode })),
            other: harness.operator(maker({ outside, harness, process, mode, name: "other" })),
          });
          let operators = start();
          const restart = (): void => {
            process.restart();
            operators = start();
          };
          await harness.user.create(Widget, widget());
          for (const move of script) {
            if (move === "delete") await harness.user.delete(Widget, REF);
            else if (move === "recreate") await harness.user.create(Widget, widget()).catch(() => undefined);
            else if (move === "touch")
              await harness.user.patch(Widget, REF, { type: "merge", body: { spec: { size: 7 } } }).catch(() => undefined);
            else if (move === "restart") restart();
            else if (move === "other") await operators.other.pass(KEY);
            else await (move === "pass" ? operators.mine.pass(KEY) : operators.mine.stalePass(KEY));
            if (process.isDead) restart();
          }
          harness.intercept = undefined;
          await harness.user.delete(Widget, REF);
          for (let i = 0; i < 4; i++) {
            await operators.mine.pass(KEY);
            await operators.other.pass(KEY);
          }
          expect(await harness.user.get(Widget, REF), "3, 4").toBeUndefined();
          expect(
            [...outside.values()].flatMap((things) => [...things]),
            "2",
          ).toEqual([]);
        }),
        part.runs(150),
      );
    },
  );
});

describe("deletion", () => {
  let harness: Harness;
  beforeEach(async () => {
    harness = await startHarness([Widget]);
  });
  const live = async (): Promise<Widget | undefined> => (await harness.user.get(Widget, REF)) as Widget | undefined;
  const trace: string[] = [];
  const traced = (name: string, cleanup?: () => void) =>
    step(Widget, {
      name,
      do: () => void trace.push(`do ${name}`),
      cleanup: () => {
        trace.push(`cleanup ${name}`);
        cleanup?.();
      },
      post: () => void trace.push(`post ${name}`),
    });

  test("runs cleanups in reverse order, then posts in list order, and sends only the removal", async () => {
    const operator = harness.operator(handler(Widget).step(conditions()).step(traced("one")).step(traced("two")).build());
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await harness.user.delete(Widget, REF);
    trace.length = 0;
    const before = harness.requests.length;
    await operator.pass(KEY);
    expect(trace).toEqual(["cleanup two", "cleanup one", "post one", "post two"]);
    expect(harness.requests.slice(before)).toEqual(["PATCH widgets/a"]);
    expect(await live()).toBeUndefined();
    expect((await operator.stalePass(KEY)).outcome.type, "the removal is seen at once").toBe("gone");
  });

  test("leaves an object alone that is deleted without our finalizer: no phase, no write", async () => {
    const operator = harness.operator(handler(Widget).step(conditions()).step(traced("one")).build());
    await harness.user.create(Widget, widget({ finalizers: ["theirs.example.com/f"] }));
    await harness.user.delete(Widget, REF);
    trace.length = 0;
    expect(await operator.pass(KEY)).toMatchObject({ outcome: { type: "left" }, requeue: { type: "none" }, phases: [] });
    expect([trace, harness.requests]).toEqual([[], []]);
  });

  test("lets an object go that an earlier version of the handler took the finalizer for, although no step has a cleanup any more", async () => {
    await harness.user.create(Widget, widget());
    await harness.operator(handler(Widget).step(traced("one")).build()).pass(KEY);
    const newer = harness.operator(
      handler(Widget)
        .step(conditions())
        .step(step(Widget, { name: "two", do: () => void trace.push("do two") }))
        .build(),
    );
    trace.length = 0;
    const before = harness.requests.length;
    await newer.pass(KEY);
    expect((await live())?.metadata.finalizers, "while the object lives it does no harm").toEqual([FINALIZER]);
    await harness.user.delete(Widget, REF);
    await newer.pass(KEY);
    expect(await live()).toBeUndefined();
    expect(trace).toEqual(["do two"]);
    expect(harness.requests.slice(before)).toEqual(["PATCH widgets/a/status", "PATCH widgets/a"]);
  });

  test("a removal of the finalizer without the right to patch names the missing right", async () => {
    await harness.user.create(Widget, widget());
    await harness.operator(handler(Widget).step(traced("one")).build()).pass(KEY);
    await harness.user.delete(Widget, REF);
    harness.intercept = async (request, send) =>
      request.body?.includes("finalizers")
        ? { status: 403, headers: {}, body: JSON.stringify({ kind: "Status", code: 403, reason: "Forbidden", message: "no" }) }
        : await send();
    const none = step(Widget, { name: "two", do: () => undefined });
    const result = await harness.operator(handler(Widget).step(conditions()).step(none).build()).pass(KEY);
    expect(result).toMatchObject({
      requeue: { type: "failure" },
      error: { code: "ERR_SAVE_FAILED", message: expect.stringMatching(/^cannot save Widget default\/a: /) as string },
    });
    const ready = (await live())?.status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready).toMatchObject({ status: "False", reason: "Deleting" });
    expect(ready?.message).toMatch(
      /^cannot remove the finalizer: .* no step has a cleanup: add permissions: \[\{ kind: Widget, verbs: \["patch"\] \}\] to a step/,
    );
  });

  test("a failing cleanup keeps the finalizer and names its step in Ready; a failing post does not keep it", async () => {
    let fails = true;
    const failing = handler(Widget)
      .step(conditions())
      .step(
        step(Widget, {
          name: "disk",
          cleanup() {
            if (fails) throw new Error("still attached");
          },
          post() {
            if (!fails) throw new Error("post fails");
          },
        }),
      )
      .build();
    const operator = harness.operator(failing);
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await harness.user.delete(Widget, REF);
    const result = await operator.pass(KEY);
    expect(result.requeue).toEqual({ type: "failure" });
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "Deleting", message: 'step "disk": still attached' }),
    );
    fails = false;
    expect((await operator.pass(KEY)).error).toMatchObject({ message: "post fails" });
    expect(await live()).toBeUndefined();
  });

  test("a finalizer that cannot be removed shows in Ready and fails the pass", async () => {
    const operator = harness.operator(handler(Widget).step(conditions()).step(traced("one")).build());
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await harness.user.delete(Widget, REF);
    harness.intercept = async (request, send) => {
      if (request.body?.includes("finalizers")) throw new Error("the right to patch was taken away");
      return await send();
    };
    const result = await operator.pass(KEY);
    expect(result).toMatchObject({ requeue: { type: "failure" }, error: { code: "ERR_SAVE_FAILED" } });
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({
        type: "Ready",
        status: "False",
        reason: "Deleting",
        message: expect.stringMatching(/^cannot remove the finalizer: .*taken away/) as string,
      }),
    );
    const before = harness.requests.length;
    await operator.pass(KEY);
    expect(harness.requests.slice(before), "said once").toEqual(["PATCH widgets/a"]);
    harness.intercept = undefined;
    await operator.pass(KEY);
    expect(await live()).toBeUndefined();
  });

  test("a cleanup that times out keeps the finalizer", async () => {
    const operator = harness.operator(
      handler(Widget)
        .step(step(Widget, { name: "slow", timeoutMs: 100, cleanup: () => new Promise<void>(() => undefined) }))
        .build(),
    );
    await harness.user.create(Widget, widget());
    await operator.pass(KEY);
    await harness.user.delete(Widget, REF);
    const running = operator.pass(KEY);
    await harness.clock.advance(130_000);
    expect((await running).error).toMatchObject({ code: "ERR_STEP_TIMEOUT" });
    expect((await live())?.metadata.finalizers).toEqual([FINALIZER]);
  });

  test.for(["widgets.test.treadle.dev", "other, widgets.test.treadle.dev"])(
    "the documented annotation lets an object go without its cleanups: %s",
    async (names) => {
      const operator = harness.operator(
        handler(Widget)
          .step(
            step(Widget, {
              name: "stuck",
              cleanup() {
                throw new Error("never works");
              },
            }),
          )
          .build(),
      );
      await harness.user.create(Widget, widget());
      await operator.pass(KEY);
      await harness.user.delete(Widget, REF);
      await operator.pass(KEY);
      expect(await live()).toBeDefined();
      await harness.user.patch(Widget, REF, {
        type: "merge",
        body: { metadata: { annotations: { [SKIP_CLEANUP_ANNOTATION]: names } } },
      });
      await operator.pass(KEY);
      expect(await live()).toBeUndefined();
    },
  );

  test("foreign finalizers of other domains are waited for a bounded time, then named; our own domain's never", async () => {
    const cleaned: string[] = [];
    const waiting = (name: string): AnyHandler =>
      handler(Widget, { name })
        .step(conditions({ ready: name === "one" }))
        .step(
          finalizer({
            name: `wait-${name}`,
            ...(name === "one" ? { waitForForeignMs: 60_000 } : {}),
            cleanup: () => void cleaned.push(name),
          }),
        )
        .build();
    const one = harness.operator(waiting("one"));
    const two = harness.operator(waiting("two"));
    await harness.user.create(Widget, widget({ finalizers: ["theirs.example.com/f"] }));
    await one.pass(KEY);
    await two.pass(KEY);
    await harness.user.delete(Widget, REF);
    const result = await one.pass(KEY);
    expect(result.requeue).toMatchObject({ type: "after", reason: "waiting for theirs.example.com/f" });
    await two.pass(KEY);
    expect(cleaned).toEqual(["two"]);
    await harness.clock.advance(60_000);
    expect(await one.pass(KEY), "first it says so").toMatchObject({ requeue: { type: "after", afterMs: 0 } });
    expect((await live())?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "ForeignFinalizers", reason: "WaitedLongEnough" }),
    );
    await one.pass(KEY);
    expect(cleaned).toEqual(["two", "one"]);
    expect((await live())?.metadata.finalizers).toEqual(["theirs.example.com/f"]);
  });

  test("holdFinalizer throws for an object that began to be deleted, and nothing is stored even if the step goes on", async () => {
    const made: string[] = [];
    const operator = harness.operator(
      handler(Widget)
        .step(
          step(Widget, {
            name: "make",
            finalizer: "on-demand",
            async do(req) {
              await harness.user.delete(Widget, REF);
              await req.holdFinalizer().then(
                () => made.push("made"),
                () => undefined,
              );
            },
            cleanup() {},
          }),
        )
        .build(),
    );
    await harness.user.create(Widget, widget({ finalizers: ["theirs.example.com/f"] }));
    const result = await operator.pass(KEY);
    expect(result).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after", afterMs: 50 } });
    expect(made).toEqual([]);
    expect((await live())?.metadata.finalizers).toEqual(["theirs.example.com/f"]);
    expect((await operator.pass(KEY)).outcome.type).toBe("left");
  });
});
