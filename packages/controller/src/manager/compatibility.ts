/** Decides which handlers may run in one manager: handlers that would overwrite each other's work are refused. */
import { groupKindOf } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { type DeclaredMetric, isHandler, KSTATUS_TYPES, metricConflict, pipelineOf } from "@treadle/reconcile/unstable/engine";
import { ManagerError } from "../manager-error.ts";
import type { Runnable } from "../runnable.ts";

/** Checks `handler` against the handlers that were added before. @throws ManagerError ERR_ADD_REFUSED with each conflict and its fix */
export function requireCompatible(handler: AnyHandler, others: readonly AnyHandler[]): void {
  const problems: string[] = [];
  const groupKind = groupKindOf(handler.kind);
  if (others.some(({ name }) => name === handler.name)) {
    problems.push(
      `another handler has that name: finalizer, field manager and labels are made of the name, so rename one of them: handler(${handler.kind.kind}, { name: "..." })`,
    );
  }
  const names = new Set(pipelineOf(handler).before.names);
  for (const other of others.filter(({ name }) => name !== handler.name))
    for (const shared of names.intersection(new Set(pipelineOf(other).before.names)))
      problems.push(
        `"${shared}" is also a name or a former name of handler "${other.name}", so each would take over the objects of the other: a name can belong to one handler`,
      );
  for (const other of others.filter(({ kind }) => groupKindOf(kind) === groupKind)) {
    if (other.kind.version !== handler.kind.version)
      problems.push(
        `handler "${other.name}" reconciles ${groupKind} in version ${other.kind.version}, this one in ${handler.kind.version}: use one version`,
      );
    if (pipelineOf(other).conditions?.keepsObservedGeneration === true && pipelineOf(handler).conditions?.keepsObservedGeneration === true)
      problems.push(
        `handler "${other.name}" already sets Ready and observedGeneration of ${groupKind}: use conditions({ ready: false }) in one of them`,
      );
    for (const type of keptConditions(handler).intersection(keptConditions(other)))
      problems.push(
        `handler "${other.name}" also sets condition "${type}" of ${groupKind}, so each would revert what the other writes: rename the condition in one of them`,
      );
    for (const finalizer of finalizersOf(handler).intersection(finalizersOf(other)))
      problems.push(
        `finalizer "${finalizer}" also belongs to handler "${other.name}", so each would remove it for the other: a finalizer can belong to one handler`,
      );
    for (const step of statefulSteps(handler).intersection(statefulSteps(other)))
      problems.push(`handler "${other.name}" also has a step "${step}" with state: state is stored by step name, so rename one of them`);
  }
  problems.push(...metricProblems(handler, others));
  if (problems.length > 0) throw new ManagerError("ERR_ADD_REFUSED", `cannot add handler "${handler.name}": ${problems.join("; ")}`);
}

/**
 * Checks what a program adds. A program without types may give any value, and a handler is undefined in a circle of imports.
 * @throws TypeError that says what may be added
 */
export function checkAddable(given: unknown): asserts given is AnyHandler | Runnable {
  const isObject = (typeof given === "object" && given !== null) || typeof given === "function";
  if (isHandler(given) || (isObject && "start" in given && typeof given.start === "function")) return;
  if (isObject && "build" in given) throw new TypeError("manager.add: this handler is not built: call .build() at the end of its steps");
  if (isObject && "type" in given && given.type === "webhooks")
    throw new TypeError("manager.add: these webhooks need a server: add webhookServer([...], { service }) with them in its list");
  const what = isObject ? "an object that is neither" : given === null ? "null" : typeof given;
  throw new TypeError(`manager.add: give a handler, made by handler(...).build(), or an object with start(), not ${what}`);
}

/** Metrics of one name are one metric, so they must agree. */
function metricProblems(handler: AnyHandler, others: readonly AnyHandler[]): readonly string[] {
  const known = new Map<string, DeclaredMetric>();
  const problems: string[] = [];
  for (const metric of [...others, handler].flatMap((each) => pipelineOf(each).metrics)) {
    const first = known.get(metric.name) ?? metric;
    known.set(metric.name, first);
    const conflict = metricConflict(metric, first);
    if (conflict !== undefined)
      problems.push(`two metrics are named ${metric.name}: ${conflict}: rename one of them, or use one version of the package`);
  }
  return problems;
}

/** The conditions of a handler without Ready, which is reported together with observedGeneration. */
function keptConditions(handler: AnyHandler): ReadonlySet<string> {
  const { conditions } = pipelineOf(handler);
  const ofEngine = conditions?.kstatus === true ? KSTATUS_TYPES : [];
  return new Set([...(conditions?.declared.keys() ?? []), ...ofEngine].filter((type) => type !== "Ready"));
}

/** The finalizer of a handler, and the former ones that it removes. */
function finalizersOf(handler: AnyHandler): ReadonlySet<string> {
  const { finalizer, before } = pipelineOf(handler);
  return new Set([...(finalizer === undefined ? [] : [finalizer]), ...before.finalizers]);
}

function statefulSteps(handler: AnyHandler): ReadonlySet<string> {
  return new Set(
    pipelineOf(handler)
      .leaves.filter(({ state }) => state !== undefined)
      .map(({ name }) => name),
  );
}
