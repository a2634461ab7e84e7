/**
 * A whole program as an author writes it: what compiles must compile without an annotation, and every misuse must be
 * refused with the sentence in the comment above it.
 */
import { defineResource, type ObjectOf, ownership } from "@treadle/apimachinery";
import { ConfigMap, Job, Node, Secret } from "@treadle/apimachinery/kinds";
import { all, anyKind, conditions, handler, many, one, optional, owned, step } from "@treadle/reconcile";
import { z } from "zod";

export const RW = defineResource({
  group: "examples.treadle.dev",
  version: "v1beta1",
  kind: "RWExternal",
  scope: "Namespaced",
  stepState: true,
  spec: z.object({ inputSecret: z.string() }),
  status: z.object({ outputSecret: z.string() }),
});
export interface RW extends ObjectOf<typeof RW> {}

const int = (secret: Secret, key: string): number => Number(atob(secret.data?.[key] ?? ""));

export const readInput = step(RW, {
  name: "read-input",
  conditions: ["InputReady"],
  reads: { input: one(Secret, (o) => o.spec.inputSecret) },
  do(req) {
    const secret = req.reads.input;
    if (!secret) return req.conditions.false("InputReady", "NotFound", `Secret ${req.object.spec.inputSecret} does not exist`).wait();
    req.conditions.true("InputReady");
    return req.next({ input: { dividend: int(secret, "dividend"), divisor: int(secret, "divisor") } });
  },
});

export const store = step(RW, {
  name: "store",
  needs: [readInput],
  owns: [Secret],
  conditions: ["OutputReady"],
  reads: { output: one(Secret, (o) => o.metadata.name), peers: many(Secret, () => ({ matchLabels: { app: "x" } })) },
  async do(req) {
    const { dividend, divisor } = req.vars.input;
    const output = req.reads.output;
    const peers: readonly string[] = req.reads.peers.map(({ metadata }) => metadata.name);
    void peers;
    // @error Property 'data' does not exist
    void req.reads.peers[0]?.data;
    const whose = output ? ownership(output, req.object, "rwexternals.examples.treadle.dev") : { type: "free" as const };
    if (whose.type === "foreign")
      return req.conditions.false("OutputReady", "Foreign", `Secret ${req.object.metadata.name} belongs to ${whose.owner}`).wait();
    await req.client.apply(
      Secret,
      { metadata: { name: req.object.metadata.name }, data: { quotient: btoa(String(Math.trunc(dividend / divisor))) } },
      { existing: output },
    );
    req.status.outputSecret = req.object.metadata.name;
    req.revisit(60_000, "refresh");
    req.conditions.true("OutputReady");
    // @error add InputReady to the conditions of the step
    req.conditions.true("InputReady");
    // @error Property 'input' does not exist
    void req.reads.input;
    // @error Cannot assign to 'inputSecret' because it is a read-only property
    req.object.spec.inputSecret = "";
    // @error Property 'conditions' does not exist
    void req.status.conditions;
    // @error Property 'attempt' does not exist
    void req.state.attempt;
    // @error Property 'labels' does not exist
    void req.labels;
    return;
  },
  async cleanup(req) {
    const output = req.reads.output;
    if (!output) return;
    await req.client.delete(Secret, output.metadata, { preconditions: { uid: output.metadata.uid ?? "" } });
    // @error Property 'vars' does not exist
    void req.vars;
    // @error Property 'stop' does not exist
    req.stop("x");
    // @error Property 'stop' does not exist
    req.conditions.false("OutputReady", "Deleting", "x").stop();
    // @error Property 'holdFinalizer' does not exist
    void req.holdFinalizer();
    return req.wait("the output Secret is being deleted");
  },
  events: ["Failed"],
  post(req) {
    if (req.outcome.type === "failed" && req.phase === "do") req.event("Warning", "Failed", String(req.outcome.error));
    const dividend: number | undefined = req.vars.input?.dividend;
    void dividend;
  },
});

export const rwExternal = handler(RW)
  .step(conditions())
  .step(readInput)
  .step(store)
  .watch(Node, { map: (node, cache) => (node.spec?.unschedulable ? cache.list(RW).map((o) => o.metadata) : []) })
  .build();

// @error needs vars.input: place the step that provides it before this one
export const wrongOrder = handler(RW).step(conditions()).step(store).step(readInput).build();

const again = step(RW, { name: "again", do: (req) => req.next({ input: "x" }) });
// @error vars.input is already provided by an earlier step
export const clash = handler(RW).step(readInput).step(again).build();

export const create = step(RW, {
  name: "create",
  finalizer: "on-demand",
  needs: [readInput],
  conditions: ["Ready", { type: "Synced", ready: "ignored" }],
  state: z.object({ attempt: z.object({ id: z.string(), startedMs: z.number() }).optional(), passed: z.array(z.string()).default([]) }),
  writes: ["annotations"],
  async do(req) {
    if (req.state.attempt) return req.conditions.unknown("Synced", "Interrupted", `create ${req.state.attempt.id} was interrupted`).stop();
    await req.holdFinalizer();
    req.state.attempt = { id: String(req.vars.input.dividend), startedMs: req.now().getTime() };
    await req.checkpoint();
    req.annotations["example.dev/external-name"] = req.state.attempt.id;
    req.state.passed.push("created");
    delete req.state.attempt;
    req.conditions.true("Synced");
    // @error Type 'number' is not assignable to type 'string'
    req.state.attempt = { id: 1, startedMs: 1 };
    // @error Property 'spec' does not exist
    void req.spec;
    // @error add OutputReady to the conditions of the step
    req.conditions.true("OutputReady");
    return req.next({ external: { id: "x" } });
  },
  async cleanup(req) {
    if (req.state.passed.length > 0) return req.wait("going");
    return;
  },
  post(req) {
    if (req.outcome.type === "done") req.state.passed = [];
  },
});

export const defaults = step(RW, {
  name: "defaults",
  writes: ["spec", "labels"],
  do(req) {
    req.spec.inputSecret ||= "in";
    req.labels["a"] = "b";
    const input: string = req.spec.inputSecret;
    void input;
  },
});
export const external = handler(RW).step(conditions()).step(defaults).step(readInput).step(create).build();

export const badState = step(RW, {
  name: "bad-state",
  // @error every key of state needs .default() or .optional(): the first pass starts from {}
  state: z.object({ n: z.number() }),
  do() {},
});

// @error Property '[made]' is missing
export const forged = step(RW, { name: "forged", do: () => ({ type: "wait", reason: "x" }) });

export const bare = handler(RW)
  // @error steps are made by step(): wrap the definition in step(Kind, { ... })
  .step({ name: "bare", do: () => ({ type: "continue", vars: { k: 1 } }) })
  .build();

const noteInput = (bus: { publish(text: string): Promise<void> }) =>
  step(anyKind<{ spec: { inputSecret: string } }>(), {
    name: "note-input",
    async do(req) {
      await bus.publish(req.object.spec.inputSecret);
    },
  });
export const withDeps = (bus: { publish(text: string): Promise<void> }) => handler(RW).step(noteInput(bus)).build();

const Other = defineResource({
  group: "g.dev",
  version: "v1",
  kind: "Other",
  scope: "Cluster",
  spec: z.object({ n: z.int32().default(1) }),
});
export const lacks = handler(Other)
  // @error this step is for another kind, or the kind lacks a field that the step reads
  .step(noteInput({ async publish() {} }))
  .build();

export const statusless = handler(ConfigMap)
  // @error the kind has no status, which the step uses: leave the step out
  .step(conditions())
  .build();
export const statuslessStep = handler(ConfigMap)
  // @error the kind has no status, which the step uses: leave the step out
  .step(step(anyKind<{ readonly status?: { readonly n?: number } }>(), { name: "n", do() {} }))
  .build();

export const counted = step(RW, {
  name: "counted",
  memory: () => ({ passes: 0, seen: new Map<string, number>() }),
  reads: { jobs: owned(Job) },
  do(req) {
    req.memory.passes++;
    req.memory.seen.set("a", req.reads.jobs.length);
    // @error Property 'other' does not exist
    void req.memory.other;
    // @error Property 'lastHandledReconcileAt' does not exist
    req.status.lastHandledReconcileAt = "x";
  },
});

export const hole = step(Other, {
  name: "hole",
  // @error Type 'undefined' is not assignable
  do(req) {
    if (req.object.spec.n) return req.next({ k: 1 });
  },
});

export const pause = step(anyKind<{}>(), {
  name: "pause",
  conditions: [{ type: "Paused", ready: "ignored" }],
  gate(req) {
    if (req.object.metadata.deletionTimestamp !== undefined) return;
    if (req.object.metadata.annotations?.["x/paused"] === "true") return req.stop("paused");
    // @error Property 'client' does not exist
    void req.client;
    return;
  },
});
export const paused = handler(RW).step(pause).step(conditions()).step(readInput).step(store).build();

export const inline = handler(Other)
  .step(step(Other, { name: "i", do: (req) => req.next({ k: 1 }) }))
  .step(
    all("parts", [
      step(Other, { name: "a", do() {} }),
      step(Other, {
        name: "b",
        do(req) {
          void req.object.status?.conditions;
        },
      }),
    ]),
  )
  .build();
export const together = handler(RW)
  .step(conditions())
  .step(readInput)
  .step(all("parts", [store, noteInput({ async publish() {} })]))
  .build();

export const early = handler(RW)
  // @error needs vars.input: place the step that provides it before this one
  .step(all("parts", [store, pause]))
  .step(readInput)
  .build();
export const inAGroup = handler(RW)
  .step(conditions())
  .step(all("parts", [store, readInput]))
  .step(noteInput({ async publish() {} }))
  .build();
const inputToo = step(RW, { name: "input-too", do: (req) => req.next({ input: 1 }) });
export const twoInputs = handler(RW)
  // @error two steps provide vars.input: rename it in one of them
  .step(all("parts", [readInput, inputToo]))
  .build();
export const twoNeeds = step(RW, {
  name: "two-needs",
  // @error two steps provide vars.input: rename it in one of them
  needs: [readInput, inputToo],
  do() {},
});
export const maybe = step(RW, {
  name: "maybe",
  needs: [optional(readInput)],
  do(req) {
    // @error 'req.vars.input' is possibly 'undefined'
    void req.vars.input.dividend;
    void req.vars.input?.dividend;
  },
});
export const stillBefore = handler(RW)
  // @error needs vars.input: place the step that provides it before this one
  .step(maybe)
  .build();
export const notAStep = handler(RW)
  // @error optional() is for needs: place the step itself
  .step(optional(readInput))
  .build();
// @error optional() is for needs: give the group the step itself
export const notAPart = all("parts", [optional(readInput)]);
