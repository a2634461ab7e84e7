/** What may run in one manager: handlers that would overwrite each other's work are refused when they are added. */
import { groupKindOf } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { ManagerError } from "../manager-error.ts";
import type { Runnable } from "../runnable.ts";

/** @throws ManagerError ERR_ADD_REFUSED that says what is in the way and how to mend it. */
export function admit(handler: AnyHandler, others: readonly AnyHandler[]): void {
  const problems: string[] = [];
  const groupKind = groupKindOf(handler.kind);
  if (others.some(({ name }) => name === handler.name)) {
    problems.push(
      `there is a handler of that name already: finalizer, field manager and labels are made of the name, so give one of them another: handler(${handler.kind.kind}, { name: "..." })`,
    );
  }
  const names = new Set(handler.pipeline.before.names);
  for (const other of others.filter(({ name }) => name !== handler.name))
    for (const shared of names.intersection(new Set(other.pipeline.before.names)))
      problems.push(
        `"${shared}" is a name or a former name of handler "${other.name}", too, so each would take what carries it from the other: it can belong to one`,
      );
  for (const other of others.filter(({ kind }) => groupKindOf(kind) === groupKind)) {
    if (other.kind.version !== handler.kind.version)
      problems.push(
        `handler "${other.name}" reconciles ${groupKind} in version ${other.kind.version}, this one in ${handler.kind.version}: use one version`,
      );
    if (other.pipeline.conditions?.keepsObservedGeneration === true && handler.pipeline.conditions?.keepsObservedGeneration === true)
      problems.push(
        `handler "${other.name}" keeps Ready and observedGeneration of ${groupKind} already: use conditions({ ready: false }) in one of them`,
      );
    for (const type of keptConditions(handler).intersection(keptConditions(other)))
      problems.push(
        `handler "${other.name}" keeps condition "${type}" of ${groupKind}, too, and each would undo what the other wrote, for ever: give one of them a condition of its own`,
      );
    for (const finalizer of finalizersOf(handler).intersection(finalizersOf(other)))
      problems.push(
        `finalizer "${finalizer}" is one of handler "${other.name}", too, and each would take it from the other: it can belong to one`,
      );
    for (const step of statefulSteps(handler).intersection(statefulSteps(other)))
      problems.push(`handler "${other.name}" has a step "${step}" with state, too: state is kept by step name, so rename one of them`);
  }
  if (problems.length > 0) throw new ManagerError("ERR_ADD_REFUSED", `cannot add handler "${handler.name}": ${problems.join("; ")}`);
}

/**
 * Programs without types give anything, and a handler of a circle of imports is undefined.
 * @throws TypeError that says what may be added
 */
export function checkAddable(given: unknown): asserts given is AnyHandler | Runnable {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (isObject && ("pipeline" in given || ("start" in given && typeof given.start === "function"))) return;
  const what = isObject ? "an object that has neither" : given === null ? "null" : typeof given;
  throw new TypeError(`manager.add: give a handler, made by handler(...).build(), or an object with start(), not ${what}`);
}

/** Of Ready is told together with observedGeneration: whoever keeps one keeps both. */
function keptConditions({ pipeline }: AnyHandler): ReadonlySet<string> {
  return new Set([...(pipeline.conditions?.declared.keys() ?? [])].filter((type) => type !== "Ready"));
}

/** Its own, and those that it takes over. */
function finalizersOf({ pipeline }: AnyHandler): ReadonlySet<string> {
  return new Set([...(pipeline.finalizer === undefined ? [] : [pipeline.finalizer]), ...pipeline.before.finalizers]);
}

function statefulSteps(handler: AnyHandler): ReadonlySet<string> {
  return new Set(handler.pipeline.leaves.filter(({ state }) => state !== undefined).map(({ name }) => name));
}
