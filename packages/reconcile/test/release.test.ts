/** The release of a step: what runs when our finalizer is removed without the cleanups. The steps are of an extension of this test. */
import { kind } from "@treadle/apimachinery";
import { type AnyHandler, conditions, handler, type ReqClient, type Step, step } from "@treadle/reconcile";
import { defineStep, defineExtension, type DrainRule } from "@treadle/reconcile/unstable/engine";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { boom, FINALIZER, Widget, widget } from "./fixtures.ts";
import { type Harness, type Operator, startHarness } from "./harness.ts";

const ConfigMap = kind({ group: "", version: "v1", kind: "ConfigMap", plural: "configmaps" });
const LOCK = "test.treadle.dev/lock";
const REF = { name: "a", namespace: "default" };

const locks = defineExtension<{ readonly name: string }, { tries: number }>({ name: "locks", memory: () => ({ tries: 0 }) });

/** The members of a req that these steps use. */
interface LockReq {
  readonly client: ReqClient;
  readonly state: { locked?: boolean };
  wait(reason: string): unknown;
}

let trace: string[];
let harness: Harness;
let failure: (() => unknown) | undefined;

beforeEach(async () => {
  trace = [];
  failure = undefined;
  harness = await startHarness([Widget]);
});

/** Locks a ConfigMap by a finalizer, so that it must be unlocked before the operator is removed. */
function lock(name: string): Step<Widget> {
  return defineStep(Widget, {
    name,
    owns: [ConfigMap],
    refersFrom: [],
    permissions: [{ kind: ConfigMap, verbs: ["get", "patch"] }],
    state: z.object({ locked: z.boolean().optional() }),
    uses: [locks.use({ name })],
    async do(req) {
      const { client, state } = req as LockReq;
      await client.apply(ConfigMap, { metadata: { name, namespace: "default", finalizers: [LOCK] } }, { existing: undefined });
      state.locked = true;
    },
    cleanup: () => void trace.push(`cleanup ${name}`),
    async release(req) {
      const { client, state } = req as LockReq;
      const memory = locks.of(req).memory;
      trace.push(`release ${name}, ${state.locked === true ? "locked" : "not locked"}, ${memory.tries++} times before`);
      const ended = failure?.();
      if (ended !== undefined) return ended;
      await client.patch(ConfigMap, { name, namespace: "default" }, { type: "merge", body: { metadata: { finalizers: null } } });
      return undefined;
    },
  }) as Step<Widget>;
}

const locking = (...names: readonly string[]): AnyHandler =>
  names.reduce((list, name) => list.step(lock(name)), handler(Widget).step(conditions())).build();

const finalizers = async (name: string): Promise<readonly string[]> =>
  (await harness.user.get(ConfigMap, { name, namespace: "default" }))?.metadata.finalizers ?? [];
const ours = async (): Promise<readonly string[]> => (await harness.user.get(Widget, REF))?.metadata.finalizers ?? [];

/** An object that the handler has worked on, and the operator that drains it. */
async function drained(built: AnyHandler, drain: DrainRule = "release"): Promise<Operator> {
  await harness.user.create(Widget, widget());
  await harness.operator(built).pass("default/a");
  expect(await ours()).toEqual([FINALIZER]);
  return harness.operator(built, { drain });
}

test("a drain that releases runs the releases before it removes the finalizer, the last step first", async () => {
  const operator = await drained(locking("one", "two"));
  expect(await operator.pass("default/a")).toMatchObject({ outcome: { type: "done" }, requeue: { type: "none" } });
  expect(trace).toEqual(["release two, locked, 0 times before", "release one, locked, 1 times before"]);
  expect([await finalizers("one"), await finalizers("two"), await ours()]).toEqual([[], [], []]);
});

test("a release writes as its step, and the pass reports it as the cleanup of the step", async () => {
  const operator = await drained(locking("one"));
  harness.requests.length = 0;
  const { phases } = await operator.pass("default/a");
  expect(harness.requests).toEqual(["PATCH configmaps/one", "PATCH widgets/a"]);
  expect(phases).toMatchObject([{ step: "one", phase: "cleanup", result: "done" }]);
});

test("a drain that cleans runs the cleanups, and no release", async () => {
  const operator = await drained(locking("one"), "clean");
  await operator.pass("default/a");
  expect([trace, await ours()]).toEqual([["cleanup one"], []]);
});

test.for<{ readonly name: string; readonly fails: () => unknown; readonly outcome: object; readonly requeue: object }>([
  {
    name: "fails",
    fails: () => {
      throw boom;
    },
    outcome: { type: "failed", step: "two" },
    requeue: { type: "failure" },
  },
  { name: "rejects", fails: () => Promise.reject(boom), outcome: { type: "failed", step: "two" }, requeue: { type: "failure" } },
  {
    name: "returns something that is not a result",
    fails: () => 3,
    outcome: { type: "failed", step: "two", error: expect.objectContaining({ code: "ERR_NOT_A_RESULT" }) },
    requeue: { type: "failure" },
  },
])("a release that $name keeps the finalizer, and is retried with backoff", async ({ fails, outcome, requeue }) => {
  const operator = await drained(locking("one", "two"));
  failure = () => {
    failure = undefined;
    return fails();
  };
  harness.requests.length = 0;
  expect(await operator.pass("default/a")).toMatchObject({ outcome, requeue });
  expect(harness.requests, "the other step releases its object, and nothing else is written").toEqual(["PATCH configmaps/one"]);
  expect(await ours()).toEqual([FINALIZER]);
  expect(await operator.pass("default/a")).toMatchObject({ outcome: { type: "done" } });
  expect([await finalizers("two"), await ours()]).toEqual([[], []]);
});

test("a release that waits keeps the finalizer", async () => {
  const waiting = step(Widget, { name: "waits", cleanup: () => undefined });
  const built = handler(Widget)
    .step(conditions())
    .step(waiting)
    .step(
      defineStep(Widget, { name: "late", cleanup: () => undefined, release: (req) => (req as LockReq).wait("not yet") }) as Step<Widget>,
    )
    .build();
  const operator = await drained(built);
  expect(await operator.pass("default/a")).toMatchObject({ outcome: { type: "wait", step: "late", reason: "not yet" } });
  expect(await ours()).toEqual([FINALIZER]);
  expect(harness.logs.some(({ text }) => text.startsWith("the object is released"))).toBe(false);
});

test("a shutdown during a release keeps the finalizer", async () => {
  const operator = await drained(locking("one", "two"));
  const stop = new AbortController();
  failure = () => stop.abort(new Error("shutdown"));
  expect(await operator.pass("default/a", { signal: stop.signal })).toMatchObject({ outcome: { type: "stop" }, requeue: { type: "none" } });
  expect(await ours()).toEqual([FINALIZER]);
});

test("a kind that is not served, and a refused watch, do not keep a release from running", async () => {
  const built = locking("one");
  await harness.user.create(Widget, widget());
  await harness.operator(built).pass("default/a");
  const env = {
    drain: "release",
    isServed: (of: { readonly kind: string }) => of.kind !== "ConfigMap",
    refusalOf: () => "no right",
  } as const;
  expect(await harness.operator(built, env).pass("default/a")).toMatchObject({ outcome: { type: "done" } });
  expect(trace).toHaveLength(1);
});

const skipping = { annotations: { "treadle.dev/skip-cleanup": "widgets.test.treadle.dev" } };

test("a skipped cleanup runs the release", async () => {
  const operator = await skipped();
  await operator.pass("default/a");
  expect(trace).toEqual(["release one, locked, 0 times before"]);
  expect([await finalizers("one"), await harness.user.get(Widget, REF)]).toEqual([[], undefined]);
});

test("a skipped cleanup removes the finalizer also after a failed release, and the log says what is left", async () => {
  const operator = await skipped();
  failure = () => {
    throw boom;
  };
  expect(await operator.pass("default/a")).toMatchObject({ requeue: { type: "none" } });
  expect([await finalizers("one"), await harness.user.get(Widget, REF)]).toEqual([[LOCK], undefined]);
  expect(harness.logs.filter(({ level }) => level === "warn").map(({ text }) => text)).toContainEqual(
    expect.stringContaining('step "one" could not release its objects, and the cleanup is skipped: boom'),
  );
});

test("a conflict in the release of a skipped cleanup is retried", async () => {
  const operator = await skipped();
  let isFirst = true;
  harness.intercept = async (request, send) => {
    const isConflict = isFirst && request.path.includes("configmaps");
    isFirst &&= !isConflict;
    const body = JSON.stringify({ kind: "Status", status: "Failure", reason: "Conflict", code: 409, message: "conflict" });
    return isConflict ? ({ ...(await send()), status: 409, body } as Awaited<ReturnType<typeof send>>) : await send();
  };
  expect(await operator.pass("default/a")).toMatchObject({ outcome: { type: "wait" }, requeue: { type: "after" } });
  expect((await harness.user.get(Widget, REF))?.metadata.finalizers).toEqual([FINALIZER]);
  await operator.pass("default/a");
  expect(await harness.user.get(Widget, REF)).toBeUndefined();
});

/** A deleted object whose cleanups are skipped. */
async function skipped(): Promise<Operator> {
  const operator = harness.operator(locking("one"));
  await harness.user.create(Widget, widget(skipping));
  await operator.pass("default/a");
  await harness.user.delete(Widget, REF);
  return operator;
}

test("a release without a cleanup is refused, because nothing would add the finalizer", () => {
  expect(() => defineStep(Widget, { name: "one", release: () => undefined })).toThrow(
    'step "one": release runs in place of cleanup, and there is no cleanup: add one',
  );
});
