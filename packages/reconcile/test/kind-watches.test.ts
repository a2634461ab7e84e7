/** `req.watch`: which watches a reconciler holds for an object, and when it releases them. */
import { fakeClock, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Lease } from "@treadle/apimachinery/kinds";
import { type AnyHandler, handler, RECONCILE_REQUESTED_ANNOTATION, step } from "@treadle/reconcile";
import { createReconciler, type KindWatches, type ReconcilerEnv, watchIdOf } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { boom, Widget } from "./fixtures.ts";

/** What the two steps of a pass do. */
interface Script {
  readonly first?: "wait" | "fail";
  /** What the second step asks for before it returns, and what it asks for before it fails. */
  readonly asks?: readonly Kind[];
  readonly fails?: boolean;
  readonly firstAsks?: readonly Kind[];
}

interface Given extends Script {
  readonly uid?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly isGone?: boolean;
}

/** Runs the passes, and returns the calls of each: `+` is a hold, `-` a release. */
async function callsOf(passes: readonly Given[]): Promise<readonly string[][]> {
  let script: Script = {};
  let object: KubernetesObject | undefined;
  const calls: string[] = [];
  const watches: KindWatches = {
    hold(kind, key) {
      calls.push(`+${kind.kind} ${key}`);
      return { type: "synced", kind: kind as Kind };
    },
    release: (id, key) => void calls.push(`-${id} ${key}`),
  };
  const first = step(Widget, {
    name: "first",
    do(req) {
      for (const kind of script.firstAsks ?? []) req.watch(kind);
      if (script.first === "fail") throw boom;
      return script.first === "wait" ? req.wait("not yet") : undefined;
    },
  });
  const second = step(Widget, {
    name: "second",
    do(req) {
      for (const kind of script.asks ?? []) req.watch(kind);
      if (script.fails === true) throw boom;
    },
  });
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const cache = { get: () => object, list: () => [] } as unknown as ReconcilerEnv["cache"]; // Of one object.
  // The steps write nothing, so nothing is sent.
  const env: ReconcilerEnv = { client: undefined as never, cache, clock: fakeClock(), log: silent, watches };
  const reconciler = createReconciler(handler(Widget).step(first).step(second).build() as AnyHandler, env);
  const all: string[][] = [];
  for (const { uid = "1", annotations = {}, isGone = false, ...rest } of passes) {
    script = rest;
    const metadata = { name: "a", namespace: "default", uid, generation: 1, resourceVersion: "1", annotations };
    object = isGone ? undefined : ({ apiVersion: "test.treadle.dev/v1", kind: "Widget", metadata, spec: { size: 1 } } as KubernetesObject);
    await reconciler.pass({ name: "a", namespace: "default" });
    all.push(calls.splice(0));
  }
  return all;
}

const CONFIG = "v1/ConfigMap default/a";
const LEASE = "coordination.k8s.io/v1/Lease default/a";
const HELD = "+ConfigMap default/a";

test.for<{ name: string; passes: readonly Given[]; want: readonly (readonly string[])[] }>([
  {
    name: "a pass that asks again keeps the watch, and one that does not ask releases it",
    passes: [{ asks: [ConfigMap, Lease] }, { asks: [ConfigMap] }, {}, {}],
    want: [[HELD, "+Lease default/a"], [HELD, `-${LEASE}`], [`-${CONFIG}`], []],
  },
  {
    name: "a step that the pass does not reach keeps its watches",
    passes: [{ asks: [ConfigMap] }, { first: "wait" }, { first: "fail" }, {}],
    want: [[HELD], [], [], [`-${CONFIG}`]],
  },
  {
    name: "a step that fails keeps its watches, and those that it asked for before",
    passes: [{ asks: [ConfigMap] }, { asks: [Lease], fails: true }, {}],
    want: [[HELD], ["+Lease default/a"], [`-${CONFIG}`, `-${LEASE}`]],
  },
  {
    name: "a kind that two steps ask for is released when neither asks",
    passes: [{ firstAsks: [ConfigMap], asks: [ConfigMap] }, { asks: [ConfigMap] }, {}],
    want: [[HELD, HELD], [HELD], [`-${CONFIG}`]],
  },
  {
    name: "a step that waits asks by its calls for what it needs",
    passes: [{ firstAsks: [ConfigMap] }, { first: "wait" }],
    want: [[HELD], [`-${CONFIG}`]],
  },
  { name: "a deleted object releases all", passes: [{ asks: [ConfigMap] }, { isGone: true }], want: [[HELD], [`-${CONFIG}`]] },
  {
    name: "another object of the same name begins without watches",
    passes: [{ asks: [ConfigMap] }, { uid: "2", asks: [Lease] }],
    want: [[HELD], [`-${CONFIG}`, "+Lease default/a"]],
  },
  {
    name: "a requested pass asks again for everything",
    passes: [{ asks: [ConfigMap] }, { annotations: { [RECONCILE_REQUESTED_ANNOTATION]: "1" }, asks: [ConfigMap] }],
    want: [[HELD], [`-${CONFIG}`, HELD]],
  },
])("$name", async ({ passes, want }) => {
  expect(await callsOf(passes)).toEqual(want);
});

test.for<{ name: string; kind: Parameters<typeof watchIdOf>[0]; want: string }>([
  { name: "a kind", kind: Lease, want: "coordination.k8s.io/v1/Lease" },
  { name: "the name of a kind", kind: { apiVersion: "coordination.k8s.io/v1", kind: "Lease" }, want: "coordination.k8s.io/v1/Lease" },
  { name: "a name without a version", kind: { group: "coordination.k8s.io", kind: "Lease" }, want: "coordination.k8s.io/*/Lease" },
])("$name has the id $want", ({ kind, want }) => {
  expect(watchIdOf(kind)).toBe(want);
});

test("an environment without watches reports it, and a gate cannot watch", async () => {
  const errors: unknown[] = [];
  const ask = (req: object): void => {
    try {
      (req as { watch(kind: Kind): void }).watch(ConfigMap);
    } catch (error) {
      errors.push((error as Error).message);
    }
  };
  const watching = step(Widget, { name: "watching", gate: ask, do: ask });
  const metadata = { name: "a", namespace: "default", uid: "1", generation: 1, resourceVersion: "1" };
  const object = { apiVersion: "test.treadle.dev/v1", kind: "Widget", metadata, spec: { size: 1 } } as KubernetesObject;
  const cache = { get: () => object, list: () => [] } as unknown as ReconcilerEnv["cache"];
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const env: ReconcilerEnv = { client: undefined as never, cache, clock: fakeClock(), log: silent };
  await createReconciler(handler(Widget).step(watching).build() as AnyHandler, env).pass({ name: "a", namespace: "default" });
  expect(errors).toEqual([
    'step "watching": a gate can only look; use req.watch in do, cleanup or post',
    "req.watch: this environment cannot watch kinds at run time",
  ]);
});
