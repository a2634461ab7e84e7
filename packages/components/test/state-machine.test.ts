/** The state machine of a component: each reason, and the transitions that a user or another controller can cause. */
import "@treadle/testing/matchers";
import { ApiError } from "@treadle/apimachinery";
import { ConfigMap, Deployment, Job, PersistentVolumeClaim } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import type { FakeWorld } from "@treadle/testing";
import { expect, test } from "vitest";
import { type ComponentReason, componentReasons } from "../src/reasons.ts";
import { type App, App as AppKind, change, jobSpec, main, page, settled, told, web } from "./stage.ts";

const job = dependentApply(AppKind, { name: "job", kind: Job, objectName: "job", desired: (owner) => ({ spec: jobSpec(owner) }) });
const claim = dependentApply(AppKind, {
  name: "claim",
  kind: PersistentVolumeClaim,
  objectName: "claim",
  desired: { spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } },
});

type Act = (world: FakeWorld) => Promise<unknown>;
const spec =
  (given: Partial<App["spec"]>): Act =>
  (world) =>
    change(world, given);
const status =
  (kind: typeof Deployment | typeof Job | typeof PersistentVolumeClaim, name: string, given: object): Act =>
  (world) =>
    world.updateStatus(kind as typeof Deployment, name, (object) => {
      const { generation } = object.metadata;
      object.status = { ...(kind.kind === "Deployment" ? { observedGeneration: generation as number } : {}), ...given };
    });
const ready =
  (kind: typeof Deployment | typeof Job | typeof PersistentVolumeClaim = Deployment, name = "web"): Act =>
  (world) =>
    world.makeReady(kind as typeof Deployment, name);
const seen = status(Deployment, "web", { replicas: 1, readyReplicas: 0, updatedReplicas: 1 });
const noReplicas = status(Deployment, "web", { replicas: 0 });
const stuck = status(Deployment, "web", { conditions: [{ type: "Progressing", status: "False", reason: "ProgressDeadlineExceeded" }] });
const halfReady = status(Deployment, "web", { replicas: 2, readyReplicas: 1, availableReplicas: 1, updatedReplicas: 2 });
const late: Act = (world) => world.advance(60_000);
const lost: Act = (world) => world.delete(Deployment, "web");
const forbid: Act = async (world) => {
  world.onRequest(({ verb, resource }) => {
    if (verb === "apply" && resource === "deployments") throw new ApiError({ status: 403, reason: "Forbidden", message: "no" });
  });
};
const freed: Act = (world) => world.update(ConfigMap, "kept", ({ metadata }) => void (metadata.finalizers = []));

/** Whether the gate of {@link gated} throws. */
const broken: Act = (world) => world.update(AppKind, "a", ({ metadata }) => void (metadata.annotations = { broken: "yes" }));
const fixed: Act = (world) => world.update(AppKind, "a", ({ metadata }) => void (metadata.annotations = {}));
const retried: Act = (world) => world.advance(world.dueIn("a") ?? 0);
const enabled = ({ spec: { on }, metadata }: App): boolean => {
  if (metadata.annotations?.["broken"] === "yes") throw new Error("boom");
  return on;
};
const until = ({ spec: { held } }: App): true | string => (held.includes("begin") ? "not yet" : true);

const alive = main([web("web")], { graceMs: 60_000, enabled, until: until as never });
const task = main([job], { graceMs: 60_000 });
const operational = main([claim], { graceMs: 60_000 });
const kept = main([page("kept", { desired: () => ({ metadata: { finalizers: ["test.treadle.dev/keep"] } }) })]);

interface Row {
  readonly name: string;
  readonly reason: string;
  readonly steps: object;
  readonly spec?: Partial<App["spec"]>;
  /** What happened before, from a new owner. */
  readonly given: readonly Act[];
  readonly from: ComponentReason;
  readonly act: Act | readonly Act[];
  readonly want: ComponentReason;
}

const GRADED = "the grade follows the object while the grace period is over";
const AT_ONCE = "Failing does not wait for the grace period";
const NOT_STICKY = "a block shows the next state in the pass in which it ends";
const STOPPED = { steps: alive, spec: { suspended: true, replicas: 2 } };

const ROWS: readonly Row[] = [
  // Workloads.
  { name: "is ready", reason: "OCF-33", steps: alive, given: [], from: "Creating", act: ready(), want: "Healthy" },
  { name: "is seen", reason: "Creating stays", steps: alive, given: [], from: "Creating", act: seen, want: "Creating" },
  {
    name: "gets another image before it was up",
    reason: "never up",
    steps: alive,
    given: [],
    from: "Creating",
    act: spec({ text: "two" }),
    want: "Creating",
  },
  { name: "cannot progress", reason: AT_ONCE, steps: alive, given: [], from: "Creating", act: stuck, want: "Failing" },
  { name: "is late", reason: "OCF-40", steps: alive, given: [], from: "Creating", act: late, want: "Down" },
  {
    name: "is late with one replica",
    reason: "OCF-37",
    steps: alive,
    spec: { replicas: 2 },
    given: [halfReady],
    from: "Creating",
    act: late,
    want: "Degraded",
  },
  {
    name: "gets another image",
    reason: "OCF-33",
    steps: alive,
    given: [ready()],
    from: "Healthy",
    act: spec({ text: "two" }),
    want: "Updating",
  },
  {
    name: "gets more replicas",
    reason: "OCF-33",
    steps: alive,
    spec: { replicas: 1 },
    given: [ready()],
    from: "Healthy",
    act: spec({ replicas: 2 }),
    want: "Scaling",
  },
  {
    name: "loses a replica",
    reason: "OCF-33",
    steps: alive,
    spec: { replicas: 2 },
    given: [ready()],
    from: "Healthy",
    act: halfReady,
    want: "Scaling",
  },
  {
    name: "is deleted by a user",
    reason: "it is created again",
    steps: alive,
    given: [ready()],
    from: "Healthy",
    act: lost,
    want: "Creating",
  },
  { name: "cannot progress", reason: AT_ONCE, steps: alive, given: [ready()], from: "Healthy", act: stuck, want: "Failing" },
  {
    name: "is forbidden",
    reason: "OCF-62",
    steps: alive,
    given: [ready(), forbid],
    from: "Healthy",
    act: spec({ text: "two" }),
    want: "Error",
  },
  { name: "is held", reason: "OCF-51", steps: alive, given: [ready()], from: "Healthy", act: spec({ held: ["web"] }), want: "Blocked" },
  {
    name: "is ready",
    reason: "OCF-33",
    steps: alive,
    given: [ready(), spec({ text: "two" })],
    from: "Updating",
    act: ready(),
    want: "Healthy",
  },
  {
    name: "gets more replicas",
    reason: "what the pass wrote decides first",
    steps: alive,
    spec: { replicas: 1 },
    given: [ready(), spec({ text: "two" })],
    from: "Updating",
    act: spec({ replicas: 2 }),
    want: "Scaling",
  },
  {
    name: "is late",
    reason: "OCF-40",
    steps: alive,
    given: [ready(), spec({ text: "two" }), seen],
    from: "Updating",
    act: late,
    want: "Down",
  },
  {
    name: "gets another image",
    reason: "what the pass wrote decides first",
    steps: alive,
    spec: { replicas: 1 },
    given: [ready(), spec({ replicas: 2 })],
    from: "Scaling",
    act: spec({ text: "two" }),
    want: "Updating",
  },
  {
    name: "is ready",
    reason: "OCF-33",
    steps: alive,
    spec: { replicas: 1 },
    given: [ready(), spec({ replicas: 2 })],
    from: "Scaling",
    act: ready(),
    want: "Healthy",
  },
  { name: "recovers", reason: "OCF-42", steps: alive, given: [stuck], from: "Failing", act: ready(), want: "Healthy" },
  {
    name: "gets another image",
    reason: "OCF-33",
    steps: alive,
    given: [stuck],
    from: "Failing",
    act: spec({ text: "two" }),
    want: "Updating",
  },
  { name: "is ready", reason: "OCF-40", steps: alive, given: [late], from: "Down", act: ready(), want: "Healthy" },
  {
    name: "has one replica",
    reason: GRADED,
    steps: alive,
    spec: { replicas: 2 },
    given: [late],
    from: "Down",
    act: halfReady,
    want: "Degraded",
  },
  { name: "gets another image", reason: "OCF-41", steps: alive, given: [late], from: "Down", act: spec({ text: "two" }), want: "Creating" },
  { name: "cannot progress", reason: AT_ONCE, steps: alive, given: [late], from: "Down", act: stuck, want: "Failing" },
  {
    name: "loses its last replica",
    reason: GRADED,
    steps: alive,
    spec: { replicas: 2 },
    given: [halfReady, late],
    from: "Degraded",
    act: seen,
    want: "Down",
  },
  {
    name: "is ready",
    reason: "OCF-40",
    steps: alive,
    spec: { replicas: 2 },
    given: [halfReady, late],
    from: "Degraded",
    act: ready(),
    want: "Healthy",
  },
  // Tasks and integrations.
  {
    name: "starts",
    reason: "OCF-34",
    steps: task,
    given: [],
    from: "TaskPending",
    act: status(Job, "job", { active: 1 }),
    want: "TaskRunning",
  },
  {
    name: "completes",
    reason: "OCF-34",
    steps: task,
    given: [status(Job, "job", { active: 1 })],
    from: "TaskRunning",
    act: ready(Job, "job"),
    want: "Completed",
  },
  {
    name: "fails",
    reason: "OCF-34",
    steps: task,
    given: [status(Job, "job", { active: 1 })],
    from: "TaskRunning",
    act: status(Job, "job", { conditions: [{ type: "Failed", status: "True" }] }),
    want: "TaskFailing",
  },
  { name: "is late", reason: "no grade is Down", steps: task, given: [], from: "TaskPending", act: late, want: "Down" },
  {
    name: "starts after its grace period",
    reason: "no grade is Down",
    steps: task,
    given: [late],
    from: "Down",
    act: status(Job, "job", { active: 1 }),
    want: "Down",
  },
  {
    name: "is bound",
    reason: "OCF-35",
    steps: operational,
    given: [],
    from: "OperationPending",
    act: ready(PersistentVolumeClaim, "claim"),
    want: "Operational",
  },
  {
    name: "is lost",
    reason: "OCF-35",
    steps: operational,
    given: [ready(PersistentVolumeClaim, "claim")],
    from: "Operational",
    act: status(PersistentVolumeClaim, "claim", { phase: "Lost" }),
    want: "OperationFailing",
  },
  {
    name: "is bound again",
    reason: "OCF-35",
    steps: operational,
    given: [status(PersistentVolumeClaim, "claim", { phase: "Lost" })],
    from: "OperationFailing",
    act: ready(PersistentVolumeClaim, "claim"),
    want: "Operational",
  },
  { name: "is late", reason: "OCF-37", steps: operational, given: [], from: "OperationPending", act: late, want: "Degraded" },
  // Blocks.
  {
    name: "is no longer held, and was never created",
    reason: NOT_STICKY,
    steps: alive,
    spec: { held: ["web"] },
    given: [],
    from: "Blocked",
    act: spec({ held: [] }),
    want: "Creating",
  },
  {
    name: "is no longer held, and is ready",
    reason: NOT_STICKY,
    steps: alive,
    given: [ready(), spec({ held: ["web"] })],
    from: "Blocked",
    act: spec({ held: [] }),
    want: "Healthy",
  },
  { name: "is late", reason: "OCF-41", steps: alive, spec: { held: ["web"] }, given: [], from: "Blocked", act: late, want: "Blocked" },
  {
    name: "is suspended",
    reason: "OCF-43",
    steps: alive,
    spec: { held: ["web"] },
    given: [],
    from: "Blocked",
    act: [spec({ suspended: true }), noReplicas],
    want: "Suspended",
  },
  {
    name: "is turned off",
    reason: "OCF-13",
    steps: alive,
    spec: { held: ["web"] },
    given: [],
    from: "Blocked",
    act: spec({ on: false }),
    want: "Disabled",
  },
  // The barrier.
  {
    name: "may begin",
    reason: "OCF-17",
    steps: alive,
    spec: { held: ["begin"] },
    given: [],
    from: "PrerequisiteNotMet",
    act: spec({ held: [] }),
    want: "Creating",
  },
  {
    name: "may begin suspended",
    reason: "OCF-22",
    steps: alive,
    spec: { held: ["begin"] },
    given: [spec({ suspended: true })],
    from: "PrerequisiteNotMet",
    act: [spec({ held: [] }), noReplicas],
    want: "Suspended",
  },
  {
    name: "is suspended",
    reason: "OCF-22",
    steps: alive,
    spec: { held: ["begin"] },
    given: [],
    from: "PrerequisiteNotMet",
    act: spec({ suspended: true }),
    want: "PrerequisiteNotMet",
  },
  {
    name: "is turned off",
    reason: "OCF-23",
    steps: alive,
    spec: { held: ["begin"] },
    given: [],
    from: "PrerequisiteNotMet",
    act: spec({ on: false }),
    want: "Disabled",
  },
  {
    name: "may not begin any more",
    reason: "OCF-18",
    steps: alive,
    given: [ready()],
    from: "Healthy",
    act: spec({ held: ["begin"] }),
    want: "Healthy",
  },
  {
    name: "is late",
    reason: "OCF-41",
    steps: alive,
    spec: { held: ["begin"] },
    given: [],
    from: "PrerequisiteNotMet",
    act: late,
    want: "PrerequisiteNotMet",
  },
  // Suspension.
  {
    name: "is suspended",
    reason: "OCF-38",
    steps: alive,
    spec: { replicas: 2 },
    given: [ready()],
    from: "Healthy",
    act: spec({ suspended: true }),
    want: "PendingSuspension",
  },
  {
    name: "is suspended",
    reason: "OCF-38",
    steps: alive,
    given: [late],
    from: "Down",
    act: spec({ suspended: true }),
    want: "PendingSuspension",
  },
  {
    name: "is suspended",
    reason: "OCF-38",
    steps: alive,
    given: [stuck],
    from: "Failing",
    act: spec({ suspended: true }),
    want: "PendingSuspension",
  },
  {
    name: "is seen by its controller",
    reason: "OCF-38",
    ...STOPPED,
    given: [],
    from: "PendingSuspension",
    act: status(Deployment, "web", { replicas: 2 }),
    want: "Suspending",
  },
  {
    name: "has no replicas",
    reason: "OCF-38",
    ...STOPPED,
    given: [status(Deployment, "web", { replicas: 2 })],
    from: "Suspending",
    act: noReplicas,
    want: "Suspended",
  },
  {
    name: "is late",
    reason: "the grace clock does not run",
    ...STOPPED,
    given: [status(Deployment, "web", { replicas: 2 })],
    from: "Suspending",
    act: late,
    want: "Suspending",
  },
  {
    name: "is resumed",
    reason: "OCF-43",
    ...STOPPED,
    given: [noReplicas],
    from: "Suspended",
    act: spec({ suspended: false }),
    want: "Scaling",
  },
  {
    name: "is resumed before it was suspended",
    reason: "OCF-43",
    ...STOPPED,
    given: [],
    from: "PendingSuspension",
    act: spec({ suspended: false }),
    want: "Scaling",
  },
  {
    name: "is scaled by a user",
    reason: "it is reverted",
    ...STOPPED,
    given: [noReplicas],
    from: "Suspended",
    act: (world) => world.update(Deployment, "web", (object) => void (object.spec!.replicas = 3)),
    want: "PendingSuspension",
  },
  {
    name: "is turned off",
    reason: "OCF-14",
    ...STOPPED,
    given: [noReplicas],
    from: "Suspended",
    act: spec({ on: false }),
    want: "Disabled",
  },
  // The gate.
  { name: "is turned off", reason: "OCF-13", steps: kept, given: [], from: "Healthy", act: spec({ on: false }), want: "Disabling" },
  {
    name: "loses its last object",
    reason: "OCF-13",
    steps: kept,
    given: [spec({ on: false })],
    from: "Disabling",
    act: freed,
    want: "Disabled",
  },
  {
    name: "is suspended",
    reason: "OCF-14",
    steps: kept,
    given: [spec({ on: false })],
    from: "Disabling",
    act: spec({ suspended: true }),
    want: "Disabling",
  },
  {
    name: "is turned on while its object is being deleted",
    reason: "it is created again later",
    steps: kept,
    given: [spec({ on: false })],
    from: "Disabling",
    act: spec({ on: true }),
    want: "OperationPending",
  },
  {
    name: "is turned on",
    reason: "OCF-13",
    steps: alive,
    spec: { on: false },
    given: [],
    from: "Disabled",
    act: spec({ on: true }),
    want: "Creating",
  },
  {
    name: "is turned on before it may begin",
    reason: "OCF-17",
    steps: alive,
    given: [spec({ on: false, held: ["begin"] })],
    from: "Disabled",
    act: spec({ on: true }),
    want: "PrerequisiteNotMet",
  },
  {
    name: "has a gate that throws",
    reason: "OCF-15",
    steps: alive,
    given: [ready()],
    from: "Healthy",
    act: broken,
    want: "FeatureGateError",
  },
  {
    name: "has a gate that throws",
    reason: "OCF-15",
    steps: alive,
    spec: { on: false },
    given: [],
    from: "Disabled",
    act: broken,
    want: "FeatureGateError",
  },
  {
    name: "has a gate that answers again",
    reason: "OCF-15",
    steps: alive,
    given: [ready(), broken],
    from: "FeatureGateError",
    act: [fixed, retried],
    want: "Healthy",
  },
  // Errors.
  {
    name: "is turned off",
    reason: "OCF-13",
    steps: alive,
    given: [ready(), forbid, spec({ text: "two" })],
    from: "Error",
    act: spec({ on: false }),
    want: "Disabled",
  },
  {
    name: "is late",
    reason: "OCF-41",
    steps: alive,
    given: [ready(), forbid, spec({ text: "two" })],
    from: "Error",
    act: late,
    want: "Error",
  },
];

const reasonOf = async (world: FakeWorld): Promise<string> => ((await told(world))["MainReady"] ?? "").replace(/^\S+ ([^:]*).*$/s, "$1");

test.for(ROWS)("$from: the component $name, and is $want", async ({ reason, steps, spec: owner = {}, given, from, act, want }) => {
  const world = await settled(steps, { spec: owner });
  for (const each of given) {
    await each(world);
    await world.settled();
  }
  expect(await reasonOf(world), "before").toBe(from);
  for (const each of [act].flat()) {
    await each(world);
    await world.settled();
  }
  expect(await reasonOf(world), reason).toBe(want);
  const { status: is } = componentReasons[want];
  expect((await told(world))["MainReady"]).toMatch(new RegExp(`^${is} ${want}\\b`));
});

test("the table has each reason of a condition, before and after a transition", () => {
  const reasons = Object.keys(componentReasons).filter((reason) => reason !== "Unknown");
  // A new owner begins with TaskPending; the last states of a Job are final.
  expect(reasons.filter((reason) => !ROWS.some(({ want }) => want === reason))).toEqual(["TaskPending"]);
  expect(reasons.filter((reason) => !ROWS.some(({ from }) => from === reason))).toEqual(["TaskFailing", "Completed"]);
});
