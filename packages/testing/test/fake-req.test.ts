import "../src/matchers.ts";
import { defineResource, isInvalid, kind as untypedKind } from "@treadle/apimachinery";
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import {
  all,
  anyKind,
  conditions,
  isReconcileError,
  many,
  pause,
  PAUSED_ANNOTATION,
  type Step,
  step,
  TerminalError,
} from "@treadle/reconcile";
import { defineStep, handOver, waitBecause } from "@treadle/reconcile/unstable/engine";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fakeReq, secret, secretText } from "../src/index.ts";
import { FINALIZER, NAME, readInput, RW, store } from "./rw.ts";

const input = secret("in", { value: "17" });
const given = { spec: { inputSecret: "in" } };

test("a waiting step has a reason in its result and in its condition", async () => {
  const req = fakeReq(RW, given);
  expect(await req.run(readInput)).toWait("Secret in does not exist");
  expect(req).toHaveCondition("InputReady", { status: "False", reason: "NotFound", message: "Secret in does not exist" });
});

test("a step that continues returns its vars", async () => {
  const req = fakeReq(RW, given, { objects: [input] });
  expect(await req.run(readInput)).toContinue({ input: { value: 17 } });
});

test("run() throws the same error as the step", async () => {
  const boom = new TerminalError("boom");
  const failing = step(RW, {
    name: "failing",
    do() {
      throw boom;
    },
  });
  await expect(fakeReq(RW, given).run(failing)).rejects.toBe(boom);
});

test("a status that was set before an error is saved, as in a pass", async () => {
  const failing = step(RW, {
    name: "failing",
    conditions: ["Made"],
    do(req) {
      req.status.outputSecret = "half";
      throw new Error("boom");
    },
  });
  const req = fakeReq(RW, given);
  await expect(req.run(failing)).rejects.toThrow("boom");
  expect(req.status.outputSecret).toBe("half");
  expect(req).toHaveCondition("Made", { status: "False", message: "boom" });
});

test("a step with needs runs with given vars and writes to the server", async () => {
  const req = fakeReq(RW, given);
  expect(await req.run(store, { vars: { input: { value: 5 } } })).toContinue();
  const output = await req.get(Secret, "rwexternal-out");
  expect(secretText(output)).toEqual({ result: "5" });
  expect(req.status.outputSecret).toBe("rwexternal-out");
  expect(req.status.steps).toEqual({ store: { written: 1 } });
  expect(req.events).toEqual([
    { type: "Normal", reason: "Stored", note: "stored rwexternal-out", action: "store", object: "default/rwexternal" },
  ]);
  expect(req.requests.filter({ kind: Secret, verb: "create" })).toHaveLength(1);
  expect(req.object.metadata.finalizers).toEqual([FINALIZER]);
});

test("a step sees the given state of earlier passes", async () => {
  const req = fakeReq(RW, given, { state: { store: { written: 41 } } });
  await req.run(store, { vars: { input: { value: 5 } } });
  expect(req.status.steps).toEqual({ store: { written: 42 } });
});

test("the state of a kind without step state is in the annotation of the handler", async () => {
  const counting = step(ConfigMap, {
    name: "counting",
    state: z.object({ n: z.int32().default(0) }),
    do: (req) => req.next({ n: ++req.state.n }),
  });
  const req = fakeReq(ConfigMap, {}, { state: { counting: { n: 6 } } });
  expect(await req.run(counting)).toContinue({ n: 7 });
  expect(Object.keys(req.object.metadata.annotations ?? {})).toEqual(["configmaps/step-state"]);
});

test("a state that breaks its schema fails the step, as in a pass", async () => {
  const req = fakeReq(RW, given, { state: { store: { written: "many" } } });
  const error: unknown = await req.run(store, { vars: { input: { value: 5 } } }).catch((thrown: unknown) => thrown);
  expect(isReconcileError(error) && error.code).toBe("ERR_STATE_INVALID");
});

test("a given state of a kind without step state is refused with the fix", async () => {
  const Plain = defineResource({ group: "a.example.com", version: "v1", kind: "Plain", scope: "Namespaced", spec: z.object({}) });
  const noop = step(anyKind<object>(), { name: "noop", do() {} });
  await expect(fakeReq(Plain, {}, { state: { x: {} } }).run(noop)).rejects.toThrow(/stepState: true/);
});

test("vars have types, and are required if the phase needs them", () => {
  const req = fakeReq(RW, given);
  const neverRun = async (): Promise<void> => {
    // @ts-expect-error store needs vars.input
    await req.run(store);
    // @ts-expect-error input.value is a number
    await req.run(store, { vars: { input: { value: "5" } } });
    // @ts-expect-error no vars in cleanup: no do runs in a deletion pass
    await req.run(store, { phase: "cleanup", vars: { input: { value: 5 } } });
    await req.run(store, { phase: "post" });
    await req.run(readInput, {});
    const result = await req.run(readInput);
    if (result.type === "continue") result.vars.input.value satisfies number;
    // @ts-expect-error the spec is typed
    fakeReq(RW, { spec: { inputSecret: 5 } });
    // @ts-expect-error a step of another kind
    await fakeReq(Secret, {}).run(readInput);
  };
  expect(neverRun).toBeTypeOf("function");
});

test("each run sees the result of earlier runs, and keeps the conditions of other steps", async () => {
  const req = fakeReq(RW, given, { objects: [input] });
  await req.run(readInput);
  await req.run(store, { vars: { input: { value: 5 } } });
  expect(req.conditions.map(({ type, status }) => [type, status])).toEqual([
    ["InputReady", "True"],
    ["OutputReady", "True"],
  ]);
  await req.run(store, { vars: { input: { value: 6 } } });
  expect(secretText(await req.get(Secret, "rwexternal-out"))).toEqual({ result: "6" });
});

test("a cleanup runs on an object that is being deleted, and its end removes the finalizer", async () => {
  const req = fakeReq(RW, given);
  await req.run(store, { vars: { input: { value: 5 } } });
  expect(await req.run(store, { phase: "cleanup" })).toWait("Secret rwexternal-out is being deleted");
  expect(req.object.metadata.deletionTimestamp).toBeDefined();
  expect(req.isGone).toBe(false);
  expect(await req.run(store, { phase: "cleanup" })).toContinue();
  expect(req.isGone).toBe(true);
  await expect(req.run(readInput)).rejects.toThrow(/RWExternal default\/rwexternal no longer exists/);
});

test("a do of an object that is being deleted is refused", async () => {
  const deleted = { ...given, metadata: { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["other.example.com/x"] } };
  await expect(fakeReq(RW, deleted).run(readInput)).rejects.toThrow(/phase: "cleanup"/);
});

test("a post sees the given outcome", async () => {
  const req = fakeReq(RW, given);
  const outcome = { type: "failed", step: "read-input", error: new Error("boom") } as const;
  expect(await req.run(store, { vars: { input: { value: 1 } }, phase: "post", outcome })).toContinue();
  expect(req.events).toMatchObject([{ type: "Warning", reason: "Failed", note: "Error: boom" }]);
});

test("a gate runs alone", async () => {
  const req = fakeReq(RW, { ...given, metadata: { annotations: { [PAUSED_ANNOTATION]: "true" } } });
  expect(await req.run(pause(), { phase: "gate" })).toStop("paused");
  expect(req).toHaveCondition("Paused", "True");
  expect(await fakeReq(RW, given).run(pause(), { phase: "gate" })).toContinue();
});

test("a phase that the step does not have is refused with the names of its phases", async () => {
  await expect(fakeReq(RW, given).run(readInput, { phase: "cleanup" })).rejects.toThrow(
    'step "read-input" has no cleanup: run it with { phase: "do" }',
  );
  const gated = step(RW, { name: "gated", gate: () => undefined });
  await expect(fakeReq(RW, given).run(gated)).rejects.toThrow('{ phase: "gate" }');
  expect(await fakeReq(RW, given).run(conditions())).toContinue();
});

test("all() runs every part and joins their results", async () => {
  const good = step(RW, { name: "good", conditions: ["Good"], do: (req) => void req.conditions.true("Good") });
  const bad = step(RW, { name: "bad", conditions: ["Bad"], do: (req) => req.conditions.false("Bad", "No", "not yet").wait() });
  const req = fakeReq(RW, given);
  expect(await req.run(all("parts", [bad, good]))).toWait("not yet");
  expect(req).toHaveCondition("Good", "True");
  expect(req).toHaveCondition("Bad", "False");
});

test("many() reads the given objects in the namespace of the primary", async () => {
  const counting = step(RW, {
    name: "counting",
    reads: { peers: many(ConfigMap, () => ({ matchLabels: { app: "x" } })) },
    do: (req) => req.next({ names: req.reads.peers.map(({ metadata }) => metadata.name) }),
  });
  const configMap = (name: string, namespace: string, app: string): object => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace, labels: { app } },
  });
  const objects = [configMap("a", "team", "x"), configMap("b", "team", "y"), configMap("c", "other", "x")];
  const req = fakeReq(RW, { ...given, metadata: { namespace: "team" } }, { objects });
  expect(await req.run(counting)).toContinue({ names: ["a"] });
});

test("an object without a name gets the kind in lower case with a number, in the namespace of the primary", async () => {
  const req = fakeReq(
    RW,
    { ...given, metadata: { namespace: "team" } },
    {
      objects: [
        { apiVersion: "v1", kind: "Secret" },
        { apiVersion: "v1", kind: "Secret" },
      ],
    },
  );
  expect(await req.get(Secret, "secret")).toMatchObject({ metadata: { namespace: "team" } });
  expect(await req.get(Secret, "team/secret-2")).toBeDefined();
});

test("a given status and uid are kept, versions are those of the server", async () => {
  const req = fakeReq(RW, {
    ...given,
    metadata: { name: "a", uid: "my-uid", resourceVersion: "77", generation: 9 },
    status: { outputSecret: "old" },
  });
  expect(req.object.metadata.name).toBe("a");
  await req.run(readInput);
  expect(req.object.metadata).toMatchObject({ uid: "my-uid", generation: 1 });
  expect(req.status.outputSecret).toBe("old");
});

test.for([
  { name: "no kind", objects: [{ metadata: { name: "a" } }], want: /objects\[0\] needs apiVersion and kind/ },
  { name: "no object", objects: ["Secret" as unknown as object], want: /objects\[0\] must be an object/ },
  { name: "one name twice", objects: [secret("a"), secret("a")], want: /objects\[1\]: Secret default\/a is in the list twice/ },
  {
    name: "deleted without a finalizer",
    objects: [{ apiVersion: "v1", kind: "Secret", metadata: { name: "a", deletionTimestamp: "2026-01-01T00:00:00Z" } }],
    want: /has a deletionTimestamp but no finalizer/,
  },
])("an invalid manifest is refused at once: $name", ({ objects, want }) => {
  expect(() => fakeReq(RW, given, { objects })).toThrow(want);
});

test("a primary that breaks its schema is refused by the server", async () => {
  const wrong = { spec: { inputSecret: 5 } } as unknown as typeof given;
  const error: unknown = await fakeReq(RW, wrong)
    .run(readInput)
    .catch((thrown: unknown) => thrown);
  expect(isInvalid(error)).toBe(true);
  expect(String(error)).toContain("spec.inputSecret");
});

test("defaults of the schema are set, and unknown kinds are served", async () => {
  const Widget = untypedKind({ group: "w.example.com", version: "v1", kind: "Widget" });
  const req = fakeReq(RW, given, {
    objects: [{ apiVersion: "w.example.com/v1", kind: "Widget", metadata: { name: "w" }, spec: { any: [1] } }],
  });
  await req.run(readInput);
  expect(req.object.spec.factor).toBe(1);
  expect(await req.get(Widget, "w")).toMatchObject({ spec: { any: [1] } });
});

test("a hanging step fails at its deadline", async () => {
  const hanging = step(RW, { name: "hanging", timeoutMs: 5_000, do: () => new Promise<void>(() => {}) });
  const req = fakeReq(RW, given);
  const run = req.run(hanging).catch((error: unknown) => error);
  await req.advance(1_000);
  await req.advance(5_000);
  const error = await run;
  expect(isReconcileError(error) && error.code).toBe("ERR_STEP_TIMEOUT");
});

test("a value that is not a result is refused", async () => {
  const forged = step(RW, { name: "forged", do: (() => ({ type: "wait", reason: "x" })) as unknown as () => void });
  const error: unknown = await fakeReq(RW, given)
    .run(forged)
    .catch((thrown: unknown) => thrown);
  expect(isReconcileError(error) && error.code).toBe("ERR_NOT_A_RESULT");
});

test("the name of the handler determines the finalizer and the field manager", async () => {
  const req = fakeReq(RW, given, { handlerName: "mine" });
  await req.run(store, { vars: { input: { value: 1 } } });
  expect(req.object.metadata.finalizers).toEqual(["examples.treadle.dev/mine"]);
  expect(NAME).not.toBe("mine");
});

test("a checkpoint, an on-demand finalizer and drafts reach the server as in a pass", async () => {
  const create = step(RW, {
    name: "create",
    finalizer: "on-demand",
    state: z.object({ attempt: z.string().optional() }),
    writes: ["annotations", "spec"],
    async do(req) {
      if (req.state.attempt !== undefined) return req.wait(`attempt ${req.state.attempt} was interrupted`);
      await req.holdFinalizer();
      req.state.attempt = "1";
      await req.checkpoint();
      req.annotations["example.dev/external-name"] = "x";
      req.spec.factor = 7;
      throw new Error("the provider is down");
    },
    cleanup() {},
  });
  const req = fakeReq(RW, given);
  await expect(req.run(create)).rejects.toThrow("the provider is down");
  expect(req.object.metadata).toMatchObject({ finalizers: [FINALIZER], annotations: { "example.dev/external-name": "x" }, generation: 2 });
  expect(req.object.spec.factor).toBe(7);
  expect(await req.run(create)).toWait("attempt 1 was interrupted");
  expect(await req.run(create, { phase: "cleanup" })).toContinue();
  expect(req.isGone).toBe(true);
});

test("a step keeps its memory from one run to the next", async () => {
  const polling = step(RW, {
    name: "polling",
    memory: () => ({ polls: 0 }),
    do: (req) => req.wait(`poll ${++req.memory.polls}`),
  });
  const req = fakeReq(RW, given);
  expect(await req.run(polling)).toWait("poll 1");
  expect(await req.run(polling)).toWait("poll 2");
  expect(await fakeReq(RW, given).run(polling)).toWait("poll 1");
});

test("overlapping runs of one fakeReq run one after another, as passes of one object do", async () => {
  const log: string[] = [];
  const leaving = (name: "A" | "B") =>
    step(RW, {
      name: `leaving-${name.toLowerCase()}`,
      conditions: [name],
      events: [`By${name}`],
      state: z.object({ by: z.string().optional() }),
      async do(req) {
        log.push(`begin ${name}`);
        await req.client.get(Secret, "in");
        req.state.by = name;
        req.event("Normal", `By${name}`, "was here");
        req.conditions.true(name);
        log.push(`end ${name}`);
        return req.next({ [name]: name });
      },
    });
  const req = fakeReq(RW, given, { objects: [input] });
  const [a, b] = await Promise.all([req.run(leaving("A")), req.run(leaving("B"))]);
  expect(a).toContinue({ A: "A" });
  expect(b).toContinue({ B: "B" });
  expect(log).toEqual(["begin A", "end A", "begin B", "end B"]);
  expect(req).toHaveCondition("A", "True");
  expect(req).toHaveCondition("B", "True");
  expect(req.object.status).toMatchObject({ steps: { "leaving-a": { by: "A" }, "leaving-b": { by: "B" } } });
  expect(req.events.map(({ reason }) => reason)).toEqual(["ByA", "ByB"]);
});

test("a failed run does not prevent the next overlapping run", async () => {
  const failing = step(RW, { name: "failing", do: () => Promise.reject(new Error("boom")) });
  const req = fakeReq(RW, given, { objects: [input] });
  const [first, second] = await Promise.allSettled([req.run(failing), req.run(readInput)]);
  expect(first).toMatchObject({ status: "rejected", reason: { message: "boom" } });
  expect(second).toMatchObject({ status: "fulfilled", value: { type: "continue" } });
});

describe("a step that gives values", () => {
  const role = defineStep(RW, {
    name: "role",
    gives: { names: ["arn", "id"], of: () => "Role app" },
    do(req) {
      handOver(req, { vars: { arn: "arn:1" } });
      return (req as { object: RW }).object.spec.factor === 2 ? waitBecause("not ready", {}) : undefined;
    },
  }) as Step<RW, {}, { readonly arn: string; readonly id: string }>;
  const policy = step(RW, { name: "policy", needs: [role], do: (req) => req.wait(`${req.vars.arn} ${req.vars.id}`) });

  test("continues with what it handed over", async () => {
    const req = fakeReq(RW, given);
    expect(await req.run(role)).toContinue({ arn: "arn:1" });
    expect(await req.run(all("group", [role]))).toContinue({ arn: "arn:1" });
  });

  test("shows what it handed over also if it waits", async () => {
    const req = fakeReq(RW, { spec: { ...given.spec, factor: 2 } });
    expect(await req.run(role)).toWait("not ready");
    expect(req.vars).toEqual({ arn: "arn:1" });
  });

  test("is replaced by vars in the test of a step that needs them; a missing one makes it wait", async () => {
    const req = fakeReq(RW, given);
    expect(await req.run(policy, { vars: { arn: "a", id: "b" } })).toWait("a b");
    expect(await req.run(policy, { vars: { arn: "a" } as never })).toWait("waiting for id of Role app");
  });

  test("is put in order with the parts of its group that need it", async () => {
    const req = fakeReq(RW, given);
    expect(await req.run(all("group", [policy, role]))).toWait("waiting for id of Role app");
  });
});
