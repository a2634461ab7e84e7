/**
 * What the metrics show of the objects of one controller: their conditions, and the times until they are ready and deleted.
 * It is computed from the events of their informer, our own writes included, so a scrape looks at no object.
 *
 * Guarantees
 * - Each object counts once for each of its conditions, and not after it was deleted or its namespace is no longer watched.
 * - Nothing is reported before {@link ObjectMetrics.begin}: of several replicas only the leader reports.
 * - An object is counted as ready once. An object that a process finds with a Ready condition which has changed since the
 *   creation may have been ready before, so it is not counted. What is lost by that: objects that are not ready at a restart,
 *   and whose Ready condition was first set, or last changed, more than a second after their creation.
 * - A deletion is counted when the object no longer exists, if the process saw that it was being deleted. One that ends while no
 *   process runs is lost.
 */
import { type Clock, type Condition, keyOf, type KubernetesObject } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";

/** Receives what {@link ObjectMetrics} finds. */
export interface ObjectSink {
  /** Counts the time from the creation of an object to its first Ready. */
  ready(seconds: number): void;
  /** Counts the time from the deletion of an object until it no longer exists. */
  deleted(seconds: number): void;
  /** Shows a condition of the object `key`, or no longer shows it; absent if single conditions are not shown. */
  readonly condition?: ((key: string, condition: Condition, isShown: boolean) => void) | undefined;
}

/** The number of objects whose condition `type` has `status`. */
export interface ConditionCount {
  readonly type: string;
  readonly status: string;
  readonly count: number;
}

/** Options of {@link ObjectMetrics}. */
export interface ObjectMetricsOptions {
  /** The condition types that the handler sets: their series exist from the start. */
  readonly types: readonly string[];
  readonly clock: Clock;
  readonly sink: ObjectSink;
}

type Event = InformerEvent<KubernetesObject>;
type Conditions = readonly Condition[];

interface Known {
  readonly uid: string | undefined;
  /** The conditions as they were counted; a part of the cached object. */
  readonly conditions: Conditions;
  /** Whether the object has never been ready. */
  readonly isUnready: boolean;
}

/** The difference of two times of the server, which have no fractions, of events that follow each other at once. */
const SAME_TIME_MS = 1_000;
const STATUSES = ["True", "False", "Unknown"] as const;
const NONE: Conditions = Object.freeze([]);

/** Follows the objects of one controller. */
export class ObjectMetrics {
  readonly #options: ObjectMetricsOptions;
  readonly #known = new Map<string, Known>();
  readonly #counts = new Map<string, Map<string, number>>();
  #hasBegun = false;

  constructor(options: ObjectMetricsOptions) {
    this.#options = options;
    for (const type of options.types) this.#counts.set(type, new Map(STATUSES.map((status) => [status, 0])));
  }

  /** Reports from now on, beginning with what is known. */
  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const { condition } = this.#options.sink;
    if (condition === undefined) return;
    for (const [key, { conditions }] of this.#known) for (const each of conditions) condition(key, each, true);
  }

  /** The numbers of objects, for each condition that the handler declares, and for each that an object has. */
  *counts(): Iterable<ConditionCount> {
    if (!this.#hasBegun) return;
    for (const [type, counts] of this.#counts) for (const [status, count] of counts) yield { type, status, count };
  }

  /** Notes an event of the primaries. Never throws. */
  observe(event: Event): void {
    const { object } = event;
    const key = keyOf(object.metadata);
    const before = this.#known.get(key);
    if (event.type === "deleted") {
      this.#known.delete(key);
      this.#replace(key, before?.conditions ?? NONE, NONE);
      if (event.unwatched !== true) this.#gone(object);
      return;
    }
    const { uid } = object.metadata;
    if (event.type === "updated" && event.previous.metadata.uid !== uid) this.#gone(event.previous);
    const conditions = conditionsOf(object);
    const isSame = before !== undefined && before.uid === uid;
    const isUnready = isSame ? before.isUnready && !isReady(conditions) : isNeverReady(object, conditions);
    if (isSame && before.isUnready && !isUnready) this.#ready(object, conditions);
    this.#known.set(key, { uid, conditions, isUnready });
    this.#replace(key, before?.conditions ?? NONE, conditions);
  }

  #ready({ metadata: { creationTimestamp } }: KubernetesObject, conditions: Conditions): void {
    const createdMs = Date.parse(creationTimestamp ?? "");
    const changedMs = Date.parse(readyOf(conditions)?.lastTransitionTime ?? "");
    if (!this.#hasBegun || Number.isNaN(createdMs)) return;
    const readyMs = Number.isNaN(changedMs) ? this.#options.clock.now() : changedMs;
    this.#options.sink.ready(Math.max(0, readyMs - createdMs) / 1000);
  }

  #gone({ metadata: { deletionTimestamp } }: KubernetesObject): void {
    const sinceMs = Date.parse(deletionTimestamp ?? "");
    if (!this.#hasBegun || Number.isNaN(sinceMs)) return;
    this.#options.sink.deleted(Math.max(0, this.#options.clock.now() - sinceMs) / 1000);
  }

  #replace(key: string, before: Conditions, after: Conditions): void {
    if (before === after) return;
    for (const condition of before) this.#change(key, condition, -1, after);
    for (const condition of after) this.#change(key, condition, 1, before);
  }

  /** Counts a condition, unless the other state of the object has the same. */
  #change(key: string, condition: Condition, by: 1 | -1, others: Conditions): void {
    const { type, status, reason, lastTransitionTime } = condition;
    const other = others.find((each) => each.type === type);
    const { sink } = this.#options;
    if (this.#hasBegun && sink.condition !== undefined) {
      const isSame = other?.status === status && other.reason === reason && other.lastTransitionTime === lastTransitionTime;
      if (!isSame) sink.condition(key, condition, by === 1);
    }
    if (other?.status === status) return;
    let counts = this.#counts.get(type);
    if (counts === undefined) this.#counts.set(type, (counts = new Map()));
    const count = (counts.get(status) ?? 0) + by;
    counts.set(status, count);
    if (count > 0 || this.#options.types.includes(type)) return;
    counts.delete(status);
    if (counts.size === 0) this.#counts.delete(type);
  }
}

function readyOf(conditions: Conditions): Condition | undefined {
  return conditions.find(({ type }) => type === "Ready");
}

function isReady(conditions: Conditions): boolean {
  return readyOf(conditions)?.status === "True";
}

/** Whether an object that is seen for the first time has never been ready, as far as its times show. */
function isNeverReady({ metadata: { creationTimestamp } }: KubernetesObject, conditions: Conditions): boolean {
  const ready = readyOf(conditions);
  if (ready === undefined) return true;
  return ready.status !== "True" && Date.parse(ready.lastTransitionTime) - Date.parse(creationTimestamp ?? "") <= SAME_TIME_MS;
}

/** The conditions of an object. Its status may have any shape: parts that are not conditions are left out, and repeated types. */
function conditionsOf(object: KubernetesObject): Conditions {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } | null };
  const all: unknown = status?.conditions;
  if (!Array.isArray(all) || all.length === 0) return NONE;
  const isValid = (each: Partial<Condition> | null): boolean => typeof each?.type === "string" && typeof each.status === "string";
  if (all.every((each, at) => isValid(each) && all.findIndex((other) => other?.type === each.type) === at)) return all as Conditions;
  const byType = new Map((all.filter(isValid) as Condition[]).map((each) => [each.type, each]));
  return [...byType.values()];
}
