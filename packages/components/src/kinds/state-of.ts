/**
 * Asks kind records about live objects: their state, their grade, and whether they are suspended.
 *
 * Guarantees
 * - Pure, if the functions of the record are. Each state is a word of the record's category.
 * - A function that throws, or answers anything else than its type allows, is a TypeError that names the kind and the function.
 */
import { groupKindOf, type KubernetesObject } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import type { DependentState } from "@treadle/dependents";
import { nameOfAnswer } from "@treadle/dependents/unstable/core";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { type ComponentReason, isComponentReason, isReadyReason } from "../reasons.ts";
import { convergingWord, isOutdated, statusOf } from "./converging.ts";
import type { AnyKindRecord, Grade, ResourceState, StateFacts } from "./kind-record.ts";
import { operationWord, type Outcome, outcomeOf, readyWord, WORDS } from "./words.ts";

/** What is known of an object besides the object. */
export interface GivenState {
  /** The state by `health()`, or by the `readyWhen` and `status` of the author. */
  readonly judged: DependentState;
  /** Whether a custom type of `judged` counts as ready. The types Ready, Pending, Failed and Unknown ignore it. */
  readonly isReady: boolean;
  /** Whether the author judges the object, by a `readyWhen` for example. The `state` of the record is not asked then. */
  readonly isJudgedByAuthor: boolean;
  /** What the pass did, and the word of the last pass. */
  readonly facts: StateFacts;
}

/**
 * Returns the state of an object in the words of its category. `live` is `undefined` if the object does not exist, or if only its
 * metadata is read: the `state` of the record is not asked then.
 *
 * @throws TypeError when `state` of the record throws, or returns anything else than a state of its category
 */
export function resourceStateOf(record: AnyKindRecord, live: KubernetesObject | undefined, given: GivenState): ResourceState {
  const { judged, facts } = given;
  if (record.state !== undefined && live !== undefined && !given.isJudgedByAuthor) {
    const where = nameOf(record, "state");
    const answer: unknown = asked(where, () => record.state?.(live, facts));
    return withMessage(requireState(where, record, answer), "");
  }
  const outcome = outcomeOf(judged.type, given.isReady);
  // A status of an older generation does not count, also if a function of the author has judged it.
  if (record.category === "workload" && outcome !== "Pending" && live !== undefined && isOutdated(live))
    return { reason: convergingWord(live, facts), message: health(live).message };
  return withMessage({ reason: wordOf(record, outcome, { live, facts }), message: judged.message }, judged.reason);
}

/**
 * Returns the grade of an object that has not converged in time; `undefined` if the kind is not graded.
 *
 * @throws TypeError when `grace` of the record throws, or returns anything else than a grade
 */
export function gradeOf(record: AnyKindRecord, live: KubernetesObject): Grade | undefined {
  if (record.grace === undefined) return undefined;
  const where = nameOf(record, "grace");
  const answer: unknown = asked(where, () => record.grace?.(live));
  if (answer === "Healthy" || answer === "Degraded" || answer === "Down") return answer;
  throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(answer)}, but must return "Healthy", "Degraded" or "Down"`);
}

/**
 * Returns whether an object to which `suspend` of its record is applied is suspended.
 *
 * @throws TypeError when `isSuspended` of the record throws, or returns anything else than true or false
 */
export function isSuspended(record: AnyKindRecord, live: KubernetesObject): boolean {
  if (record.isSuspended === undefined) return true;
  const where = nameOf(record, "isSuspended");
  const answer: unknown = asked(where, () => record.isSuspended?.(live));
  if (typeof answer === "boolean") return answer;
  throw misuse("ERR_INVALID_STEP", `${where} returned ${nameOfAnswer(answer)}, but must return true or false`);
}

interface Seen {
  readonly live: KubernetesObject | undefined;
  readonly facts: StateFacts;
}

function wordOf({ category }: AnyKindRecord, outcome: Outcome, { live, facts }: Seen): ComponentReason {
  if (outcome === "Ready") return readyWord(category);
  switch (category) {
    case "workload":
      return outcome === "Failed" ? "Failing" : convergingWord(live, facts);
    case "task":
      return outcome === "Failed" ? "TaskFailing" : runs(live) ? "TaskRunning" : "TaskPending";
    case "integration":
    case "static":
      return operationWord(outcome);
  }
}

function runs(live: KubernetesObject | undefined): boolean {
  const { active } = statusOf(live);
  return typeof active === "number" && active > 0;
}

/** Adds a message to a state that is not ready, so that users see why. `cause` is the reason of the judged state; it may be empty. */
function withMessage({ reason, message }: ResourceState, cause: string): ResourceState {
  if (message !== "" || isReadyReason(reason)) return { reason, message };
  return { reason, message: `it is not ready yet: ${cause === "" ? reason : cause}` };
}

function requireState(where: string, { category }: AnyKindRecord, answer: unknown): ResourceState {
  const refuse = (what: string, must: string): Error => misuse("ERR_INVALID_STEP", `${where} returned ${what}, but must return ${must}`);
  if (typeof answer !== "object" || answer === null || isPromiseLike(answer))
    throw refuse(nameOfAnswer(answer), "an object with reason and message");
  const { reason, message } = answer as Partial<Record<keyof ResourceState, unknown>>;
  if (typeof message !== "string") throw refuse(`${nameOfAnswer(message)} as message`, "a text");
  const word = WORDS[category].find((each) => each === reason);
  if (word !== undefined) return { reason: word, message };
  // Another text may be a secret.
  const what = typeof reason === "string" && isComponentReason(reason) ? reason : nameOfAnswer(reason);
  throw refuse(`${what} as reason`, `a word of the category ${category}: ${WORDS[category].join(", ")}`);
}

function nameOf({ kind }: AnyKindRecord, name: string): string {
  return `the record of the kind ${groupKindOf(kind)}: ${name}`;
}

/** Calls a function of a record. It is pure, so no error of it can choose the retry. */
function asked<Answer>(where: string, call: () => Answer): Answer {
  try {
    return call();
  } catch (error) {
    const what = error instanceof Error ? `threw: ${error.message}` : `threw ${nameOfAnswer(error)}, not an error`;
    throw misuse("ERR_INVALID_STEP", `${where} ${what}`, error);
  }
}
