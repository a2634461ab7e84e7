/** The metrics of a controller, without prom-client, which is loaded only when a program wants metrics. */
import { isReconcileError, type PassResult } from "@treadle/reconcile";
import type { DeclaredMetric, ReconcilerEnv } from "@treadle/reconcile/unstable/engine";
import type { Clock, Kind } from "@treadle/apimachinery";
import type { QueueListeners, QueueStatus } from "@treadle/workqueue";
import type { ObjectMetrics } from "./object-metrics.ts";

/** The objects that the metrics of a controller are about. */
export interface MeasuredObjects {
  readonly kind: Kind;
  /** The condition types that the handler sets. */
  readonly types: readonly string[];
  readonly clock: Clock;
  /** Whether each condition of each object has a series. */
  readonly isEach: boolean;
}

export interface ControllerMetrics {
  readonly queue: QueueListeners;
  /** Called once, with the source of the gauges of the queue, and the number of workers. */
  watch(queue: () => QueueStatus, concurrency: number): void;
  /** Called once, with the source of the number of paused objects. */
  watchPaused(count: () => number): void;
  /** Returns the metrics that get every event of the objects; undefined: no metrics need them. Called once. */
  objects(of: MeasuredObjects): ObjectMetrics | undefined;
  /** Registers the metrics of extensions. Returns a function that measures; undefined: nothing is measured. Called once. */
  measures(metrics: readonly DeclaredMetric[]): ReconcilerEnv["measure"];
  active(change: 1 | -1): void;
  passed(result: PassResult, durationMs: number): void;
  /** Called when the author's code threw outside a step, or a pass ended with an exception. */
  panicked(): void;
}

export const NO_METRICS: ControllerMetrics = {
  queue: {},
  watch() {},
  watchPaused() {},
  objects: () => undefined,
  measures: () => undefined,
  active() {},
  passed() {},
  panicked() {},
};

/** The value of the label `result`, as in controller-runtime. */
export type ResultLabel = "success" | "error" | "requeue" | "requeue_after";

export const RESULT_LABELS: readonly ResultLabel[] = ["success", "error", "requeue", "requeue_after"];

export function labelOf({ error, requeue }: PassResult): ResultLabel {
  if (error !== undefined || requeue.type === "failure") return "error";
  if (requeue.type === "none") return "success";
  return requeue.afterMs > 0 ? "requeue_after" : "requeue";
}

/** Whether a step or a pass did not finish in time. */
export function isTimeout(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isTimeout);
  return isReconcileError(error) && (error.code === "ERR_STEP_TIMEOUT" || error.code === "ERR_PASS_TIMEOUT");
}

/**
 * Whether an error is what a panic is in Go: a thrown value that is not an error, or a mistake that the language found
 * (`undefined is not a function`). A TypeError with a cause is an error that a library made on purpose, as `fetch` does.
 */
export function isPanic(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.some(isPanic);
  if (isReconcileError(error)) return error.code === "ERR_STEP_FAILED" && error.cause !== undefined && isPanic(error.cause);
  if (!(error instanceof Error)) return true;
  const isMistake = error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError;
  return isMistake && error.cause === undefined;
}
