/** How a handler is run, and what is told of its passes. */
import type { KubernetesObject, Ref } from "@treadle/apimachinery";
import type { AnyHandler, DrainRule, PassResult } from "@treadle/reconcile";
import type { BackoffProfile } from "@treadle/workqueue";
import type { Predicate } from "./predicates.ts";
import type { Source } from "./sources/source.ts";

/** How a handler is run. */
export interface ControllerOptions<in T extends KubernetesObject = KubernetesObject> {
  /** How many passes at once. @defaultValue `concurrency` of the manager, 5 */
  readonly concurrency?: number;
  /**
   * Which events of the primary start a pass; at the start every object is asked about once, as `added`. Not asked when
   * the object is being deleted or is gone, nor for wakes. @defaultValue all but the echo of our own writes
   */
  readonly predicate?: Predicate<T>;
  /**
   * Delays after failures. "external": 1 s doubling to 60 s, and of all objects together 10 a second after the first 100.
   * After a 403 or 401 at most 2 minutes. @defaultValue "cluster": 5 ms doubling to 1000 s
   */
  readonly backoff?: BackoffProfile;
  /**
   * Every object gets a pass at low priority so often, in milliseconds, up to a tenth more or less at random. It costs no
   * request: passes read from the cache. @defaultValue `resyncMs` of the manager, 36_000_000 (10 h)
   */
  readonly resyncMs?: number | false;
  /** What starts passes besides events: `channel()`, `poll()`. */
  readonly sources?: readonly Source[];
  /**
   * The handler goes: its passes only take its finalizer off, of objects that live on by this rule, and nothing of the rest
   * is done; no predicate is asked. See `manager.drained()`. @defaultValue `drain` of the manager, else it works
   */
  readonly drain?: DrainRule;
}

/** One pass, as an observer sees it. */
export interface PassReport {
  readonly handler: AnyHandler;
  readonly ref: Ref;
  readonly reconcileID: string;
  readonly result: PassResult;
  readonly durationMs: number;
}
