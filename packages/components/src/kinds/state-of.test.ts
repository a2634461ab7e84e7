import { kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ComponentReason, componentReasons, isReadyReason } from "../reasons.ts";
import type { AnyKindRecord, Category, StateFacts } from "./kind-record.ts";
import { recordOf } from "./record-of.ts";
import { type GivenState, gradeOf, isSuspended, resourceStateOf } from "./state-of.ts";
import { WORDS } from "./words.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const WIDGET: KubernetesObject = { apiVersion: "example.dev/v1", kind: "Widget", metadata: { name: "a" } };
const FACTS: StateFacts = { operation: "none", changed: [], previous: undefined };
const PENDING = { type: "Pending", reason: "NotReady", message: "0 of 1 replicas are ready" };
const given = (state: Partial<GivenState> = {}): GivenState => ({
  judged: PENDING,
  isReady: false,
  isJudgedByAuthor: false,
  facts: FACTS,
  ...state,
});
const record = (category: Category, more: object = {}): AnyKindRecord => ({ kind: Widget, category, ...more });
const widget = (status: object, generation: number = 2): KubernetesObject =>
  Object.assign({ ...WIDGET, metadata: { name: "a", generation } }, { status });

describe("a state by category", () => {
  test.for([
    { category: "workload", words: ["Healthy", "Failing", "Scaling", "Scaling"] },
    { category: "task", words: ["Completed", "TaskFailing", "TaskPending", "TaskPending"] },
    { category: "integration", words: ["Operational", "OperationFailing", "OperationPending", "OperationPending"] },
    { category: "static", words: ["Healthy", "OperationFailing", "OperationPending", "OperationPending"] },
  ] as const)("the category $category has a word for Ready, Failed, Pending and Unknown", ({ category, words }) => {
    const states = ["Ready", "Failed", "Pending", "Unknown"].map((type) => ({ type, reason: "Because", message: "why" }));
    expect(states.map((judged) => resourceStateOf(record(category), WIDGET, given({ judged })).reason)).toEqual(words);
  });

  test.for([
    { type: "Sleeping", isReady: true, want: "Operational" },
    { type: "Sleeping", isReady: false, want: "OperationPending" },
    { type: "Ready", isReady: false, want: "Operational" },
    { type: "Unknown", isReady: true, want: "OperationPending" },
    { type: "Failed", isReady: true, want: "OperationFailing" },
  ])("the type $type with isReady $isReady is $want", ({ type, isReady, want }) => {
    const judged = { type, reason: "Because", message: "why" };
    expect(resourceStateOf(record("integration"), WIDGET, given({ judged, isReady }))).toEqual({ reason: want, message: "why" });
  });

  test("a task that another kind defines is TaskRunning while its status counts active pods", () => {
    expect(resourceStateOf(record("task"), widget({ active: 2 }), given()).reason).toBe("TaskRunning");
    expect(resourceStateOf(record("task"), widget({ active: "2" }), given()).reason).toBe("TaskPending");
  });

  test("an object that does not exist gets the word of its judged state", () => {
    const state = (): never => expect.unreachable();
    const words = (["workload", "task", "integration", "static"] as const).map(
      (category) => resourceStateOf(record(category, { state }), undefined, given()).reason,
    );
    expect(words).toEqual(["Scaling", "TaskPending", "OperationPending", "OperationPending"]);
  });
});

describe("a workload on its way", () => {
  const word = (facts: Partial<StateFacts>, live: KubernetesObject | undefined = WIDGET): string =>
    resourceStateOf(record("workload"), live, given({ facts: { ...FACTS, ...facts } })).reason;

  test.for([
    { name: "a created workload", facts: { operation: "created", previous: "Scaling" }, want: "Creating" },
    { name: "an updated workload", facts: { operation: "updated", changed: ["spec.a", "spec.replicas"] }, want: "Updating" },
    { name: "an update of unknown fields", facts: { operation: "updated", changed: [] }, want: "Updating" },
    {
      name: "an update of replicas only",
      facts: { operation: "updated", changed: ["spec.replicas"], previous: "Updating" },
      want: "Scaling",
    },
    {
      name: "an updated workload that was never up",
      facts: { operation: "updated", changed: ["spec.a"], previous: "Creating" },
      want: "Creating",
    },
    {
      name: "a scaled workload that was never up",
      facts: { operation: "updated", changed: ["spec.replicas"], previous: "Creating" },
      want: "Creating",
    },
    { name: "a workload that was Creating", facts: { previous: "Creating" }, want: "Creating" },
    { name: "a workload that was Updating", facts: { previous: "Updating" }, want: "Updating" },
    { name: "a workload that was Scaling", facts: { previous: "Scaling" }, want: "Scaling" },
    { name: "a workload that was Healthy", facts: { previous: "Healthy" }, want: "Scaling" },
    { name: "a workload that was Failing", facts: { previous: "Failing" }, want: "Scaling" },
    { name: "a workload without a word", facts: {}, want: "Scaling" },
  ] as const)("$name is $want", ({ facts, want }) => {
    expect(word(facts)).toBe(want);
  });

  test.for([
    { previous: "Healthy", want: "Updating" },
    { previous: "Failing", want: "Updating" },
    { previous: "Suspended", want: "Updating" },
    { previous: "Scaling", want: "Scaling" },
    { previous: "Creating", want: "Creating" },
    { previous: "Unknown", want: "Creating" },
    { previous: undefined, want: "Creating" },
  ] as const)("a workload with an older status that was $previous is $want", ({ previous, want }) => {
    expect(word({ previous }, widget({ observedGeneration: 1 }))).toBe(want);
  });

  test.for(["Ready", "Failed", "Sleeping"])("an author's %s does not count if the status describes an older generation", (type) => {
    const state = given({ judged: { type, reason: "Because", message: "" }, isReady: true, isJudgedByAuthor: true });
    expect(resourceStateOf(record("workload"), widget({ observedGeneration: 1 }), state)).toEqual({
      reason: "Creating",
      message: "its controller has not seen generation 2 yet: it reports on generation 1",
    });
    expect(resourceStateOf(record("integration"), widget({ observedGeneration: 1 }), state).reason).not.toBe("OperationPending");
  });

  test("an author's message counts while a workload with an older status is Pending", () => {
    const state = given({ judged: { type: "Pending", reason: "Because", message: "why" } });
    expect(resourceStateOf(record("workload"), widget({ observedGeneration: 1 }), state).message).toBe("why");
  });

  test("an author's Ready counts if no controller reports a generation", () => {
    const live = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a", generation: 1 }, spec: {} };
    const state = given({ judged: { type: "Ready", reason: "Ready", message: "" }, isReady: true, isJudgedByAuthor: true });
    expect(resourceStateOf(recordOf(Deployment), live, state)).toEqual({ reason: "Healthy", message: "" });
  });
});

test("a state that is not ready has a message, a ready one may have none", () => {
  const silent = (type: string, reason: string): GivenState => given({ judged: { type, reason, message: "" } });
  const message = (state: GivenState, more: object = {}): string => resourceStateOf(record("integration", more), WIDGET, state).message;
  expect(message(silent("Pending", "NoAddress"))).toBe("it is not ready yet: NoAddress");
  expect(message(silent("Failed", ""))).toBe("it is not ready yet: OperationFailing");
  expect(message(silent("Ready", "Ready"))).toBe("");
  expect(message(given(), { state: () => ({ reason: "OperationPending", message: "" }) })).toBe("it is not ready yet: OperationPending");
});

describe("the state of a record", () => {
  test("decides, unless the author judges the object", () => {
    const asked: unknown[] = [];
    const state = (...args: readonly unknown[]): object => {
      asked.push(args);
      return { reason: "OperationFailing", message: "expired", more: 1 };
    };
    const own = record("integration", { state });
    expect(resourceStateOf(own, WIDGET, given())).toEqual({ reason: "OperationFailing", message: "expired" });
    expect(asked).toEqual([[WIDGET, FACTS]]);
    expect(resourceStateOf(own, WIDGET, given({ isJudgedByAuthor: true })).reason).toBe("OperationPending");
    expect(asked).toHaveLength(1);
  });

  test("of a claim without a volume is Operational if the author calls it ready", () => {
    const live = { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata: { name: "a" }, spec: {}, status: { phase: "Pending" } };
    const judged = { type: "Ready", reason: "Ready", message: "" };
    const own = recordOf(PersistentVolumeClaim);
    expect(resourceStateOf(own, live, given({ judged, isJudgedByAuthor: true })).reason).toBe("Operational");
    expect(resourceStateOf(own, live, given({ judged })).reason).toBe("OperationPending");
  });
});

const WHERE = "the record of the kind Widget.example.dev";
const boom = (): never => {
  throw new RangeError("boom");
};
test.for([
  { name: "that throws", answer: boom, want: "threw: boom" },
  {
    name: "that throws no error",
    answer: () => {
      throw "secret";
    },
    want: "threw a string, not an error",
  },
  { name: "that returns nothing", answer: () => undefined, want: "returned nothing" },
  { name: "that is async", answer: async () => boom(), want: "returned a promise" },
  { name: "that returns another type", answer: () => 1, want: "returned a number" },
])("a function of a record $name is a TypeError that names kind and function", ({ answer, want }) => {
  const broken = record("workload", { state: answer, grace: answer, isSuspended: answer });
  for (const [name, call] of [
    ["state", () => resourceStateOf(broken, WIDGET, given())],
    ["grace", () => gradeOf(broken, WIDGET)],
    ["isSuspended", () => isSuspended(broken, WIDGET)],
  ] as const) {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(`${WHERE}: ${name} ${want}`);
    expect(call).not.toThrow("secret");
  }
});

test.for([
  { state: { reason: "Down", message: "" }, want: "returned Down as reason, but must return a word of the category task: Completed" },
  { state: { reason: "Healthy", message: "" }, want: "returned Healthy as reason, but must return a word of the category task" },
  { state: { reason: "s3cret", message: "" }, want: "returned a string as reason" },
  { state: { message: "" }, want: "returned nothing as reason" },
  { state: { reason: "Completed" }, want: "returned nothing as message, but must return a text" },
  { state: { reason: "Completed", message: 1 }, want: "returned a number as message" },
])("the state $state of a task is refused", ({ state, want }) => {
  expect(() => resourceStateOf(record("task", { state: () => state }), WIDGET, given())).toThrow(`${WHERE}: state ${want}`);
});

test("a kind without functions is not graded, and is suspended as soon as it is asked", () => {
  expect(gradeOf(record("task"), WIDGET)).toBeUndefined();
  expect(isSuspended(record("task"), WIDGET)).toBe(true);
});

const REASONS = Object.keys(componentReasons) as readonly ComponentReason[]; // the record has these keys and no other
const CONVERGING = ["Creating", "Updating", "Scaling"] as const;
const category = fc.constantFrom<Category>("workload", "task", "integration", "static");
const paths = fc.array(fc.constantFrom("spec.replicas", "spec.template", "metadata.labels"), { maxLength: 3 });
const facts = fc.record({
  operation: fc.constantFrom("created" as const, "updated" as const, "none" as const),
  changed: paths,
  previous: fc.constantFrom(undefined, ...REASONS),
});
const live = fc.oneof(
  fc.constant(undefined),
  fc
    .record({ seen: fc.constantFrom(undefined, 1, 2, 3), active: fc.constantFrom(undefined, 0, 1, null, "x") })
    .map(({ seen, ...status }) => widget({ ...status, observedGeneration: seen })),
);
const state = fc.record({
  judged: fc.record({
    type: fc.constantFrom("Ready", "Pending", "Failed", "Unknown", "Sleeping", "", "constructor"),
    reason: fc.constantFrom("", "Because", "GenerationNotObserved"),
    message: fc.constantFrom("", "why"),
  }),
  isReady: fc.boolean(),
  isJudgedByAuthor: fc.boolean(),
  facts,
});

/**
 * 1. Every state of every category has a word of the category.
 * 2. It has a message, unless it is ready.
 * 3. Only what is judged as ready gets a ready word, and only what is judged as failed a failing one.
 */
test("any judged state has a word of its category, with a message if it is not ready", () => {
  fc.assert(
    fc.property(category, live, state, (of, object, each) => {
      const { reason, message } = resourceStateOf(record(of), object, each);
      expect(WORDS[of]).toContain(reason);
      if (!isReadyReason(reason)) expect(message).not.toBe("");
      const { type } = each.judged;
      const isCustom = !["Ready", "Pending", "Failed", "Unknown"].includes(type);
      if (isReadyReason(reason)) expect(type === "Ready" || (isCustom && each.isReady)).toBe(true);
      if (reason.endsWith("Failing")) expect(type).toBe("Failed");
    }),
    { numRuns: 2_000 },
  );
});

/** 1. Without a write a converging word stays. 2. A workload that is Creating stays so, whatever is written, until it is ready or fails. */
test("the word of a workload that converges stays until it is ready, fails or is written", () => {
  const next = (previous: ComponentReason, object: KubernetesObject | undefined, more: Partial<StateFacts>): ComponentReason =>
    resourceStateOf(record("workload"), object, given({ facts: { ...FACTS, ...more, previous } })).reason;
  fc.assert(
    fc.property(fc.constantFrom(...CONVERGING), live, facts, (word, object, { operation, changed }) => {
      expect(next(word, object, {})).toBe(word);
      expect(next("Creating", object, { operation, changed })).toBe("Creating");
    }),
  );
});

test("the message of a ready state is kept", () => {
  const judged = { type: "Ready", reason: "Suspended", message: "it is suspended" };
  expect(resourceStateOf(recordOf(Job), WIDGET, given({ judged })).message).toBe("it is suspended");
  expect(resourceStateOf(recordOf(ConfigMap), WIDGET, given({ judged })).message).toBe("it is suspended");
});
