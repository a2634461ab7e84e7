/**
 * The public interface of a manager: the process of an operator around its handlers. A manager connects to the API server,
 * keeps one informer for each kind, runs a controller for each handler, serves probes and metrics, and stops everything in
 * order.
 */
import type { Kind } from "@treadle/apimachinery";
import type { InformerProgress, Informers } from "@treadle/informer";
import type { Handler } from "@treadle/reconcile";
import type { Problem } from "@treadle/reconcile/unstable/engine";
import type { Registry } from "prom-client";
import type { Controller, ControllerStatus } from "./controller.ts";
import type { ControllerOptions } from "./controller-options.ts";
import type { LeadershipStatus } from "./leader-election/election.ts";
import type { DrainedOptions } from "./manager/drain.ts";
import type { SettleOptions } from "./manager/settle.ts";
import type { Runnable } from "./runnable.ts";
import type { Check } from "./servers/probes.ts";

/** Refuses at compile time what a manager cannot run, with a sentence that says what to do. */
export type Addable<A extends object> =
  A extends Handler<never>
    ? unknown
    : A extends Runnable
      ? unknown
      : A extends { build(): unknown }
        ? Problem<"this handler is not built: call .build() at the end of its steps">
        : Problem<"a manager runs handlers, made by handler(...).build(), and runnables, objects with start()">;

/** The options of a handler's controller; a runnable has none. */
export type AddOptions<A> = [A] extends [Handler<infer T>] ? [options?: ControllerOptions<T>] : [];

/**
 * Runs handlers in one process.
 *
 * Guarantees
 * - After `start` everything runs; or `start` rejects with one error, and nothing runs.
 * - `stop` may be called at any time and any number of times. It takes at most `gracefulShutdownMs`.
 * - With `leaderElection` only one replica writes. Passes of the other replicas do not begin, and writes of a former leader
 *   are not sent (ERR_NOT_LEADER). A process that loses the leadership stops, and `run` rejects.
 */
export interface Manager extends AsyncDisposable {
  /**
   * Runs a handler, or starts and stops a runnable with the manager. Call it before the start.
   * @throws ManagerError ERR_ADD_REFUSED when the handler conflicts with one that was added before
   */
  add<A extends object>(added: A & Addable<A>, ...options: AddOptions<A>): Manager;
  /**
   * Starts, and resolves when a signal or {@link stop} has stopped everything. It rejects when
   * - the start fails,
   * - a promise in the process is rejected and not handled,
   * - the leadership is lost,
   * - or the stop takes too long.
   *
   * A kind that cannot be listed is logged immediately. The start fails only when that lasts for `cacheSyncTimeoutMs`,
   * because a CRD or a permission may be created after the operator.
   */
  run(): Promise<void>;
  /**
   * Starts without listening to the signals of the process. Resolves when the first passes begin. With leader election it
   * resolves when this process is on standby with its caches full.
   */
  start(): Promise<void>;
  /** Stops gracefully. Idempotent. */
  stop(): Promise<void>;
  /** Adds a check to `/healthz`. */
  addHealthzCheck(name: string, check: Check): Manager;
  /** Adds a check to `/readyz`. */
  addReadyzCheck(name: string, check: Check): Manager;
  /** The registry of this manager, for custom metrics. The first call, or the start, loads prom-client. */
  metrics(): Promise<Registry>;
  /**
   * Watches these namespaces from now on; `undefined`: all. A later call replaces an earlier one. Before the start the
   * call replaces the option. After the start:
   * - A removed namespace: passes in progress there end first, then its objects leave the caches. This is not a deletion:
   *   there is no pass and no cleanup, nothing is written to the objects, and their finalizers stay.
   * - An added namespace: passes for its objects begin when every kind was listed there, at low priority.
   * - A namespace that stays is not affected.
   *
   * Resolves when the change is complete, or was replaced by a later call. A list that fails, for example because a right
   * is missing, is logged and retried; the other namespaces are not affected. Rejects with the signal's reason, which does
   * not undo the change, and when the manager stops.
   * @throws RangeError for an invalid list of names
   */
  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void>;
  /** The addresses of the servers, after the start. */
  readonly addresses: ManagerAddresses;
  /** The state of the manager and of its parts. */
  status(): ManagerStatus;
  /** The controllers, in the order in which their handlers were added; empty before the start. */
  readonly controllers: readonly Controller[];
  /** The informers that the controllers read from; undefined before the start. */
  readonly informers: Informers | undefined;
  /**
   * Resolves when no pass is queued or running, none is due before the horizon, and everything that is on its way inside
   * the process has arrived. For tests; it does not poll.
   */
  settled(options?: SettleOptions): Promise<void>;
  /**
   * Resolves when no object holds a finalizer of the handlers that are drained; immediately if no handler is. With leader
   * election it resolves only where this replica leads, because another leader may take finalizers. Call it after the start.
   * @throws ManagerError ERR_DRAIN, which names the remaining objects, when `signal` is aborted or the manager stops
   */
  drained(options?: DrainedOptions): Promise<void>;
  /** Calls `listener` after each change of {@link status}. Returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

/** The addresses of the servers that are on. */
export interface ManagerAddresses {
  /** The address of the probes. */
  readonly probes?: ManagerAddress;
  /** The address of the metrics. */
  readonly metrics?: ManagerAddress;
  /** The address of the debug server. */
  readonly debug?: ManagerAddress;
}

/** The address on which a server listens. */
export interface ManagerAddress {
  /** The host name or IP address. */
  readonly host: string;
  /** The port, also where the option was 0. */
  readonly port: number;
  /** `http://host:port`, or https, with a host that a client on this machine can reach. */
  readonly url: string;
}

/** The states of a manager, in order. */
export type ManagerState = "new" | "starting" | "running" | "stopping" | "stopped";

/** The state of a manager and of its parts. */
export interface ManagerStatus {
  /** The state of the manager. */
  readonly state: ManagerState;
  /** The state of the leader election. */
  readonly leadership: LeadershipStatus;
  /** One entry for each controller; empty before the start. */
  readonly controllers: readonly ControllerStatus[];
  /** One entry for each watched kind; empty before the start. */
  readonly informers: readonly (InformerProgress & { readonly kind: Kind })[];
}
