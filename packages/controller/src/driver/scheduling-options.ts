/** The options of a controller that decide which passes run, and when. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DrainRule } from "@treadle/reconcile";
import type { BackoffProfile } from "@treadle/workqueue";
import type { Predicate } from "../predicates.ts";

/** Decides which passes of a handler run, and when. */
export interface SchedulingOptions<in T extends KubernetesObject = KubernetesObject> {
  /**
   * The events of the primary that start a pass. At the start it is asked about every object once, as `added`. It is not
   * asked about objects that are being deleted or were deleted, nor about events of other kinds.
   * @defaultValue all but the echo of our own writes
   */
  readonly predicate?: Predicate<T>;
  /**
   * The delays after failures; replaces `backoff` of the steps. "cluster": 5 ms doubling to 1000 s. "external": 1 s doubling to
   * 60 s, and all objects together at most 10 passes a second after the first 100. After a 403 or 401 the delay is at most
   * 2 minutes. @defaultValue `backoff` of the failed step, or "cluster"
   */
  readonly backoff?: BackoffProfile;
  /**
   * Uninstall mode: passes only remove the handler's finalizers by this rule, and no predicate is asked. See
   * `manager.drained()`. @defaultValue `drain` of the manager
   */
  readonly drain?: DrainRule;
}
