/** What a program sees of its running controllers, by `manager.controllers`. */
import type { Ref } from "@treadle/apimachinery";
import type { AnyHandler, DrainRule } from "@treadle/reconcile";
import type { QueueKeys, QueueStatus } from "@treadle/workqueue";

/** How many keys of a controller are queued, running and due later. */
export interface ControllerStatus extends QueueStatus {
  /** The name of the controller's handler. */
  readonly name: string;
}

/** A running controller: its state, and a way to start a pass. */
export interface Controller {
  /** The name of the controller's handler. */
  readonly name: string;
  /** The handler whose passes the controller runs. */
  readonly handler: AnyHandler;
  /** The rule by which the handler releases its objects; undefined: it reconciles them. */
  readonly drain: DrainRule | undefined;
  /** Queues a pass for `ref`, as an event would, after `afterMs` milliseconds. @defaultValue afterMs 0 */
  enqueue(ref: Ref, afterMs?: number): void;
  /** The numbers of its keys. */
  status(): ControllerStatus;
  /** At most `limit` keys of each state. */
  keys(limit: number): QueueKeys;
}
