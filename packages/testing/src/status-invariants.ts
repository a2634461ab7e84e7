/**
 * Status invariants: the rules that every status of a handler must follow. Each has a code, and docs/status-invariants.md says why
 * it matters and what breaks it.
 */
import { type Condition, conditionProblems, type KubernetesObject } from "@treadle/apimachinery";
import type { AnyHandler } from "@treadle/reconcile";
import { entryHandlerOf, KSTATUS_TYPES, pipelineOf } from "@treadle/reconcile/unstable/engine";

/** The code of a status invariant; docs/status-invariants.md explains each. */
export type StatusProblemCode =
  | "TREADLE0001"
  | "TREADLE0002"
  | "TREADLE0003"
  | "TREADLE0004"
  | "TREADLE0005"
  | "TREADLE0006"
  | "TREADLE0007"
  | "TREADLE0008"
  | "TREADLE0009"
  | "TREADLE0010";

/** A status invariant that an object breaks. */
export interface StatusProblem {
  /** The broken invariant. */
  readonly code: StatusProblemCode;
  /** Path of the field, e.g. `status.conditions[1].reason`. */
  readonly path: string;
  /** What is wrong with the field. */
  readonly message: string;
}

/** Options of {@link checkStatus} and {@link statusProblems}. */
export interface CheckStatusOptions {
  /**
   * Handler of the object. It decides whether the object has Ready, and which conditions count for it. @defaultValue a handler
   * that computes Ready, and no condition counts
   */
  readonly handler?: AnyHandler;
  /** Current time, in milliseconds; later times are problems. @defaultValue times in the future are not checked */
  readonly nowMs?: number;
}

/** Lists the invariants that the status of `object` breaks, by code; empty for a valid status. */
export function statusProblems(object: KubernetesObject, options: CheckStatusOptions = {}): readonly StatusProblem[] {
  const { status } = object as { readonly status?: Status };
  if (status === undefined) return [];
  if (status.conditions !== undefined && !Array.isArray(status.conditions))
    return [{ code: "TREADLE0004", path: "status.conditions", message: "it is not a list" }];
  const facts: Facts = { object, status, conditions: status.conditions ?? [], options };
  return [
    hasReady,
    generations,
    uniqueTypes,
    validConditions,
    times,
    readyMeansAll,
    readyIsNotAhead,
    observes,
    kstatusAgrees,
    readyMeansDependents,
  ].flatMap((check) => [...check(facts)]);
}

/** Checks the status of an object. @throws Error that lists every broken invariant */
export function checkStatus(object: KubernetesObject, options: CheckStatusOptions = {}): void {
  const problems = statusProblems(object, options);
  if (problems.length === 0) return;
  const { namespace, name } = object.metadata;
  const lines = problems.map(({ code, path, message }) => `  ${code} ${path}: ${message}`);
  throw new Error(
    `the status of ${object.kind} ${namespace === undefined ? "" : `${namespace}/`}${name} breaks status invariants (docs/status-invariants.md):\n${lines.join("\n")}`,
  );
}

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly Condition[];
  /** The entries of dependents; of an object that another writer made it may be anything. */
  readonly dependents?: unknown;
}

interface Facts {
  readonly object: KubernetesObject;
  readonly status: Status;
  readonly conditions: readonly Condition[];
  readonly options: CheckStatusOptions;
}

function* hasReady({ conditions, options }: Facts): Iterable<StatusProblem> {
  const rules = options.handler && pipelineOf(options.handler).conditions;
  const keepsReady = options.handler === undefined || rules?.computesReady === true || rules?.declared.has("Ready") === true;
  if (keepsReady && conditions.length > 0 && ready(conditions) === undefined)
    yield { code: "TREADLE0001", path: "status.conditions", message: "there are conditions, but no Ready" };
}

function* generations({ object, status, conditions }: Facts): Iterable<StatusProblem> {
  const { generation } = object.metadata;
  if (generation === undefined) return;
  const seen = [
    { path: "status.observedGeneration", value: status.observedGeneration },
    ...conditions.map(({ observedGeneration }, index) => ({ path: at(index, "observedGeneration"), value: observedGeneration })),
  ];
  for (const { path, value } of seen) {
    if (value !== undefined && value > generation)
      yield { code: "TREADLE0002", path, message: `${value} is newer than metadata.generation ${generation}` };
  }
}

function* uniqueTypes({ conditions }: Facts): Iterable<StatusProblem> {
  const first = new Map<string, number>();
  for (const [index, { type }] of conditions.entries()) {
    const before = first.get(type);
    if (before !== undefined) yield { code: "TREADLE0003", path: at(index, "type"), message: `"${type}" is also at ${at(before)}` };
    first.set(type, before ?? index);
  }
}

function* validConditions({ conditions }: Facts): Iterable<StatusProblem> {
  for (const [index, condition] of conditions.entries()) {
    for (const message of conditionProblems({ ...condition, reason: condition.reason ?? "", message: condition.message ?? "" }))
      yield { code: "TREADLE0004", path: at(index), message };
  }
}

function* times({ object, conditions, options }: Facts): Iterable<StatusProblem> {
  for (const [index, { lastTransitionTime: time }] of conditions.entries()) {
    const path = at(index, "lastTransitionTime");
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) yield { code: "TREADLE0005", path, message: `${JSON.stringify(time)} is not a time` };
    else if (options.nowMs !== undefined && ms > options.nowMs)
      yield { code: "TREADLE0005", path, message: `${time} is later than now, ${new Date(options.nowMs).toISOString()}` };
    else if (ms < Date.parse(object.metadata.creationTimestamp ?? time))
      yield { code: "TREADLE0005", path, message: `${time} is before the object was created, ${object.metadata.creationTimestamp}` };
  }
}

function* readyMeansAll({ conditions, options }: Facts): Iterable<StatusProblem> {
  const rules = options.handler && pipelineOf(options.handler).conditions;
  if (rules?.computesReady !== true || ready(conditions)?.status !== "True") return;
  for (const [type, { counts }] of rules.declared) {
    const condition = conditions.find((other) => other.type === type);
    if (counts && condition?.status !== "True")
      yield {
        code: "TREADLE0006",
        path: at(conditions.findIndex((other) => other.type === "Ready")),
        message: `Ready is True, but ${type}, which counts for it, is ${condition?.status ?? "absent"}`,
      };
  }
}

function* readyIsNotAhead({ status, conditions }: Facts): Iterable<StatusProblem> {
  const observed = ready(conditions)?.observedGeneration;
  if (observed !== undefined && status.observedGeneration !== undefined && observed > status.observedGeneration)
    yield {
      code: "TREADLE0007",
      path: at(
        conditions.findIndex(({ type }) => type === "Ready"),
        "observedGeneration",
      ),
      message: `${observed} is newer than status.observedGeneration ${status.observedGeneration}`,
    };
}

function* observes({ object, status, conditions, options }: Facts): Iterable<StatusProblem> {
  const { handler } = options;
  // Only the CRD of a kind with a resource definition certainly has the field.
  if (handler?.kind.resource === undefined || pipelineOf(handler).conditions?.keepsObservedGeneration !== true) return;
  if (ready(conditions)?.status === "True" && status.observedGeneration === undefined)
    yield { code: "TREADLE0008", path: "status.observedGeneration", message: `it is absent, though ${object.kind} is Ready` };
}

function* kstatusAgrees({ conditions, options }: Facts): Iterable<StatusProblem> {
  if (options.handler === undefined || pipelineOf(options.handler).conditions?.kstatus !== true) return;
  const found = [...conditions.entries()].filter(([, { type }]) => KSTATUS_TYPES.includes(type));
  for (const [index, { type, status }] of found) {
    if (status !== "True")
      yield { code: "TREADLE0009", path: at(index, "status"), message: `${type} is ${status}, but is kept only while it is True` };
    if (ready(conditions)?.status === "True")
      yield { code: "TREADLE0009", path: at(index), message: `${type} is set, though Ready is True` };
  }
  if (found.length > 1) yield { code: "TREADLE0009", path: "status.conditions", message: "Reconciling and Stalled are both set" };
}

function* readyMeansDependents({ status, conditions, options }: Facts): Iterable<StatusProblem> {
  const { handler } = options;
  if (handler === undefined || !Array.isArray(status.dependents) || ready(conditions)?.status !== "True") return;
  const { conditions: rules, name, kind } = pipelineOf(handler);
  if (rules?.computesReady !== true) return;
  for (const [index, entry] of (status.dependents as readonly (Entry | null)[]).entries()) {
    if (entry === null || entry.handler !== entryHandlerOf({ kind, name }) || !NOT_READY.includes(entry.type)) continue;
    // A drain that cleans deletes the objects of an owner that stays as it is.
    if (entry.reason === "Deleting") continue;
    const path = `status.dependents[${index}].type`;
    yield {
      code: "TREADLE0010",
      path,
      message: `Ready is True, but the dependent of step "${String(entry.step)}" is ${String(entry.type)}`,
    };
  }
}

interface Entry {
  readonly step?: unknown;
  readonly handler?: unknown;
  readonly type?: unknown;
  readonly reason?: unknown;
}

/** The types of entries that Ready follows; it ignores custom types. */
const NOT_READY: readonly unknown[] = ["Failed", "Pending", "Unknown"];

function ready(conditions: readonly Condition[]): Condition | undefined {
  return conditions.find(({ type }) => type === "Ready");
}

function at(index: number, field?: string): string {
  return `status.conditions[${index}]${field === undefined ? "" : `.${field}`}`;
}
