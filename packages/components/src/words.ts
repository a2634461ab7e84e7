/** The words of a component for the entries of its resources. Pure. */
import { health } from "@treadle/apimachinery/health";
import type { DependentState } from "@treadle/dependents";
import type { Cause, Unworded } from "@treadle/dependents/unstable/step";
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import { STAYS, SUSPENSION } from "./course.ts";
import type { Definition, Resource } from "./definition.ts";
import { isOutdated, isStale } from "./kinds/converging.ts";
import type { Category, ResourceState } from "./kinds/kind-record.ts";
import { isSuspended, resourceStateOf } from "./kinds/state-of.ts";
import { readyWord } from "./kinds/words.ts";
import { type ComponentReason, isComponentReason, isConverging, isReadyReason } from "./reasons.ts";

/** Returns the state of an object in the words of a component. Never throws: a function of a record that throws is an Error. */
export function wordOf(definition: Definition, step: string, given: Unworded): DependentState {
  const { state } = given;
  let word: ResourceState;
  try {
    word = wordOn(given.course?.id, definition.resourceOf(step), given);
  } catch (error) {
    word = { reason: "Error", message: statusMessage(error) };
  }
  return { ...state, type: typeIn(given, word), reason: word.reason, message: word.message };
}

/** An object that is no longer wanted holds up nothing: the component does not wait until it is deleted, unless it is off. */
function typeIn({ cause, course }: Unworded, { reason }: ResourceState): ReturnType<typeof typeOf> {
  return cause === "leaving" && course !== undefined && reason === "Disabling" ? "Ready" : typeOf(reason);
}

function wordOn(course: string | undefined, resource: Resource, given: Unworded): ResourceState {
  if (course === SUSPENSION) return suspensionWord(resource, given);
  const word = worded(resource, given);
  // Nothing waits for a resource that stays as it is while its component is suspended.
  const isExpected = course === STAYS && given.cause !== "transient" && word.reason !== "Error" && !isReadyReason(word.reason);
  return isExpected ? { ...word, reason: "Suspended" } : word;
}

/** The word that a resource without an object begins with, by category. */
const FIRST: Readonly<Record<Category, ComponentReason>> = {
  workload: "Creating",
  task: "TaskPending",
  integration: "OperationPending",
  static: "OperationPending",
};

/** The words that do not depend on the object. */
const FIXED: Partial<Readonly<Record<Cause, ComponentReason>>> = {
  held: "Blocked",
  values: "Blocked",
  foreign: "Blocked",
  skipped: "Blocked",
  error: "Error",
  leaving: "Disabling",
};

function worded({ record }: Resource, given: Unworded): ResourceState {
  const { cause, state, live, operation } = given;
  const { message } = state;
  const fixed = FIXED[cause];
  if (fixed !== undefined) return { reason: fixed, message };
  // The most frequent case: the object is ready, and no rule but the one of its category is asked.
  if (cause === "judged" && state.type === "Ready" && record.state === undefined && !given.isJudgedByAuthor)
    return { reason: readyWord(record.category), message };
  const first = FIRST[record.category];
  const before = given.previous();
  const previous = before !== undefined && isComponentReason(before) ? before : undefined;
  switch (cause) {
    case "absent":
      return { reason: state.type === "Failed" ? "Error" : "Blocked", message };
    case "transient":
      return { reason: previous ?? "Unknown", message };
    case "unreached":
      if (state.type === "Ready") return { reason: readyWord(record.category), message: "" };
      return { reason: previous === undefined || isReadyReason(previous) ? "Unknown" : previous, message };
    case "pending":
    case "dependency":
      return { reason: previous !== undefined && isConverging(previous) ? previous : first, message };
    default:
      return resourceStateOf(record, live, {
        judged: state,
        isReady: given.isReady,
        isJudgedByAuthor: given.isJudgedByAuthor,
        facts: {
          operation: operation.type === "unchanged" ? "none" : operation.type,
          changed: operation.type === "updated" ? operation.paths : [],
          previous,
        },
      });
  }
}

/** The word of an object while its component is suspended, and its kind can be. */
function suspensionWord(resource: Resource, given: Unworded): ResourceState {
  const { cause, live, state } = given;
  if (cause === "error") return { reason: "Error", message: state.message };
  if (cause === "leaving") return { reason: "Suspending", message: state.message };
  // An object that is not ours stays as it is, and does not hold up the others.
  if (cause === "foreign") return { reason: "Suspended", message: state.message };
  // Without its values an object stays as it is. It may have been suspended before, and a task that is complete runs no more.
  const isOver = cause === "values" && resource.record.category === "task" && live !== undefined && health(live).type === "Ready";
  const isDone = live === undefined || isOver || isSuspended(resource.record, live);
  if (cause !== "judged" && !(cause === "values" && isDone)) return { reason: "PendingSuspension", message: state.message };
  if (isDone) return { reason: "Suspended", message: "" };
  const isUnseen = resource.record.category === "workload" ? isStale(live) : isOutdated(live);
  return isUnseen
    ? { reason: "PendingSuspension", message: "its controller has not seen the suspension yet" }
    : { reason: "Suspending", message: "it is being suspended" };
}

/** Returns the type of an entry with this reason. */
function typeOf(reason: ComponentReason): "Ready" | "Pending" | "Failed" | "Unknown" {
  if (isReadyReason(reason) || reason === "Suspended" || reason === "Disabled") return "Ready";
  if (reason === "Unknown") return "Unknown";
  return FAILED.has(reason) ? "Failed" : "Pending";
}

const FAILED: ReadonlySet<ComponentReason> = new Set([
  "Error",
  "FeatureGateError",
  "Down",
  "Degraded",
  "Failing",
  "OperationFailing",
  "TaskFailing",
]);
