/** How a resource runs in a pass: it is removed, suspended, kept, or skipped because of an earlier one. */
import { keyOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import { type Absence, type Course, digestOf, type PartReport, partReportOf, RUN, type Running } from "@treadle/dependents/unstable/step";
import type { Definition, Resource } from "./definition.ts";
import { memoryOf, type Run, runOf } from "./extension.ts";
import { isOfKind, replicasIn, targetKey, withoutReplicas } from "./replicas.ts";
import { isSuspended } from "./kinds/state-of.ts";
import { isSuspendable, suspended } from "./suspension.ts";

/** Why a resource of a component that is off keeps no object. */
const DISABLED: Absence = Object.freeze({ reason: "Disabled", clause: "is disabled" });
/** Why a resource that is deleted for a suspension keeps no object. */
const SUSPENDED: Absence = Object.freeze({ reason: "Suspended", clause: "is suspended" });

/** The id of the course of a suspended resource. */
export const SUSPENSION = "suspended";
/** The id of the course of a resource that stays applied in a suspended component. */
export const STAYS = "stays";

const DROP: Course = Object.freeze({ type: "drop", why: DISABLED });

/** Decides how a resource runs in this pass. */
export function courseOf(definition: Definition, req: unknown, name: string): Course {
  const run = runOf(definition, req) as Run; // open() has begun it, or the resource would not run.
  if (run.mode === "disabled") return DROP;
  const resource = definition.resourceOf(name);
  if (run.mode === "suspended") return suspensionOf(definition, req, resource);
  const blocker = definition.isList ? blockerOf(req, { run, name }) : undefined;
  if (blocker !== undefined) return { type: "skip", reason: `"${blocker}" is blocked` };
  return running(definition, req, { run, resource });
}

/** Returns the resource that blocks all that run after it. A resource has ended when the next one begins. */
function blockerOf(req: unknown, { run, name }: { readonly run: Run; readonly name: string }): string | undefined {
  const { blocker, latest } = run;
  run.latest = name;
  if (blocker !== undefined || latest === undefined || latest === name) return blocker;
  const report = partReportOf(req, latest);
  run.reports.set(latest, report);
  if (isBlocked(report)) run.blocker = latest;
  return run.blocker;
}

/** Returns whether a resource waits for something that is not a resource of the component. */
function isBlocked(report: PartReport): boolean {
  if (report.type === "waits") return report.cause === "values";
  return report.type === "objects" && report.objects.some(({ state }) => state.reason === "Blocked");
}

/** A resource that is kept. Nothing is changed but the number of replicas that an autoscaler sets. */
function running(definition: Definition, req: unknown, { run, resource }: { readonly run: Run; readonly resource: Resource }): Running {
  const digest = digester(definition, req, resource);
  if (!resource.hasReplicas) return digest === undefined ? RUN : { ...RUN, adjust: digest };
  const { kind } = resource.dependent.policy;
  const id =
    run.autoscaled.size === 0
      ? RUN.id
      : [...run.autoscaled]
          .filter((key) => isOfKind(key, kind))
          .toSorted()
          .join();
  let wanted: unknown;
  const adjust = (desired: object, target: Ref): object => {
    wanted = replicasIn(desired);
    const adjusted = run.autoscaled.has(targetKey(kind, target)) ? withoutReplicas(desired) : desired;
    digest?.(adjusted, target);
    return adjusted;
  };
  const replicasOf = (live: KubernetesObject): { readonly value: number | undefined } => {
    // 0 is the number of the suspension.
    if (replicasIn(live) !== 0) return { value: undefined };
    const stored = run.replicas[targetKey(kind, live.metadata)];
    // A user may have edited the status.
    const isNumber = stored !== undefined && Number.isInteger(stored) && stored >= 0;
    return { value: isNumber ? stored : typeof wanted === "number" ? wanted : 1 };
  };
  return { ...RUN, id, adjust, replicasOf };
}

/** A resource of a suspended component. */
function suspensionOf(definition: Definition, req: unknown, resource: Resource): Running {
  const { record } = resource;
  const { suspend } = record;
  const course = { ...RUN, id: STAYS, asksUntil: false, waits: false };
  if (suspend === undefined || !isSuspendable(resource)) return course;
  const digest = digester(definition, req, resource);
  return {
    ...course,
    id: SUSPENSION,
    // A process with an old cache must not replace a number of replicas that was handed to another writer meanwhile.
    isGuarded: resource.hasReplicas,
    adjust: (desired, target) => {
      digest?.(desired, target);
      return suspended(resource, desired, suspend);
    },
    ...(suspend.delete === true ? { isWanted: (live) => live !== undefined && !isSuspended(record, live), why: SUSPENDED } : {}),
  };
}

/** Notes the digests of desired states, for the grace clock; `undefined` for a component without one. */
function digester(definition: Definition, req: unknown, resource: Resource): ((desired: object, target: Ref) => object) | undefined {
  if (definition.graceMs === 0) return undefined;
  const { digests } = memoryOf(definition, req);
  return (desired, target) => {
    let own = digests.get(resource.name);
    if (own === undefined) digests.set(resource.name, (own = new Map()));
    own.set(keyOf(target), digestOf(desired));
    return desired;
  };
}
