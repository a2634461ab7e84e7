/**
 * Two processes and one object: a leader, and one that was deposed and has not noticed. Its cache is old. That its checkpoint is stored
 * must mean that it acts on the present object, or its side effect happens twice.
 */
import { type AnyHandler, conditions, handler, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import { Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };
const NAME = "test.treadle.dev/name";

let harness: Harness;
/** The results of the side effect, by name. */
let made: Set<string>;
let count: number;
let leader: Operator;
let deposed: Operator;

/** Makes one thing for an object, and names it in an annotation. */
function making(): AnyHandler {
  const makes = step(Widget, {
    name: "makes",
    state: z.object({ attempt: z.string().optional() }),
    writes: ["annotations"],
    finalizer: "on-demand",
    async do(req) {
      await req.holdFinalizer();
      if (made.has(req.annotations[NAME] ?? "")) return;
      delete req.annotations[NAME];
      const name = `made-${++count}`;
      req.state.attempt = name;
      await req.checkpoint();
      made.add(name);
      req.annotations[NAME] = name;
      delete req.state.attempt;
    },
    cleanup: (req) => void made.delete(req.object.metadata.annotations?.[NAME] ?? ""),
  });
  return handler(Widget).step(conditions()).step(makes).build();
}

/** Both processes know the object and its thing, which no longer exists. */
beforeEach(async () => {
  harness = await startHarness([Widget]);
  [made, count] = [new Set(), 0];
  [leader, deposed] = [harness.operator(making()), harness.operator(making())];
  await harness.user.create(Widget, widget());
  await leader.pass(KEY);
  await deposed.pass(KEY);
  made.clear();
});

const live = (): Promise<Widget | undefined> => harness.user.get(Widget, REF);
/** Runs `act` before or after the first request whose body has this word. */
function once(word: string, when: "before" | "after", act: () => unknown): void {
  let isFirst = true;
  harness.intercept = async (request, send) => {
    const isNow = isFirst && request.body?.includes(word) === true;
    if (isNow) isFirst = false;
    if (isNow && when === "before") await act();
    const answer = await send();
    if (isNow && when === "after") await act();
    return answer;
  };
}

describe("a checkpoint on an old object is not stored", () => {
  test("when another process did the same, and the step state is as before", async () => {
    await leader.pass(KEY);
    await deposed.stalePass(KEY);
    expect([...made]).toEqual(["made-2"]);
    expect((await live())?.metadata.annotations).toEqual({ [NAME]: "made-2" });
  });

  test("when the object is being deleted, and its cleanup found nothing", async () => {
    await harness.user.delete(Widget, REF);
    once("finalizers", "before", () => deposed.stalePass(KEY));
    for (let i = 0; i < 3; i++) await leader.pass(KEY);
    expect([[...made], await live()]).toEqual([[], undefined]);
  });
});

test("a checkpoint whose answer is lost does not let the save remove an annotation that another process wrote", async () => {
  await leader.pass(KEY);
  once("attempt", "after", () => {
    throw new Error("connection reset");
  });
  await deposed.stalePass(KEY);
  expect((await live())?.metadata.annotations).toEqual({ [NAME]: "made-2" });
});

test("a finalizer stays on an object that a user changed during the cleanup, until a cleanup saw the change", async () => {
  await harness.user.delete(Widget, REF);
  made.add("by-hand");
  once("finalizers", "before", () =>
    harness.user.patch(Widget, REF, { type: "merge", body: { metadata: { annotations: { [NAME]: "by-hand" } } } }),
  );
  for (let i = 0; i < 3; i++) await leader.pass(KEY);
  expect([[...made], await live()]).toEqual([[], undefined]);
});
