/**
 * Manager: what an operator's process is made of besides its handlers. It connects, keeps one informer per kind, runs a
 * controller per handler, serves probes and metrics, and stops everything in order.
 */
import type { Kind, KubernetesObject } from "@treadle/apimachinery";
import type { InformerProgress, Informers } from "@treadle/informer";
import type { Handler } from "@treadle/reconcile";
import type { Registry } from "prom-client";
import type { Controller, ControllerStatus } from "./controller.ts";
import type { ControllerOptions } from "./controller-options.ts";
import type { DrainedOptions } from "./manager/drain.ts";
import type { SettleOptions } from "./manager/settle.ts";
import type { HttpServer } from "./servers/http-server.ts";
import type { Check } from "./servers/probes.ts";
import type { LeadershipStatus } from "./leader-election/election.ts";
import type { Runnable } from "./runnable.ts";

/**
 * Guarantees
 * - Everything runs after `start`, or it rejects with one error and nothing does.
 * - `stop` may be called at any time and any number of times. It takes at most `gracefulShutdownMs`.
 * - With `leaderElection` only one replica writes: passes of the others do not begin, and what a former leader would still
 *   write is not sent (ERR_NOT_LEADER). A process that lost its leadership stops, and `run` rejects.
 */
export interface Manager extends AsyncDisposable {
  /** Runs `handler`. Before the start. @throws ManagerError ERR_ADD_REFUSED when it cannot run beside another. */
  add<T extends KubernetesObject>(handler: Handler<T>, options?: ControllerOptions<T>): Manager;
  /** Starts and stops `runnable` with the manager. Before the start. */
  add(runnable: Runnable): Manager;
  /**
   * Starts, and resolves when everything was stopped, by a signal or by {@link stop}. Rejects when the start fails, when
   * a promise somewhere in the process was rejected and not handled, when the leadership was lost, and when stopping took
   * too long.
   *
   * Every failure to list a kind is logged at once; the start fails when it lasts for `cacheSyncTimeoutMs`, since a CRD
   * or a permission may come later than the operator.
   */
  run(): Promise<void>;
  /**
   * Starts, without listening to the process; resolves when the first passes begin, or with leader election when this
   * process stands by with its caches full.
   */
  start(): Promise<void>;
  /** Stops gracefully. Idempotent. */
  stop(): Promise<void>;
  /** Makes `/healthz` depend on `check`. */
  addHealthzCheck(name: string, check: Check): Manager;
  /** Makes `/readyz` depend on `check`. */
  addReadyzCheck(name: string, check: Check): Manager;
  /** The registry of this manager, for metrics of the author's own. Loads prom-client when first called or at the start. */
  metrics(): Promise<Registry>;
  /**
   * Watches these namespaces from now on, `undefined` for all; a later call replaces an earlier one. Before the start it
   * replaces the option. After it:
   * - A namespace that goes: passes in progress there end first, then its objects leave the caches. That is no deletion:
   *   no pass, no cleanup, nothing is written to them; finalizers stay.
   * - A namespace that comes: passes for its objects begin when every kind was listed there, at low priority.
   * - A namespace that stays: nothing happens.
   *
   * Resolves when that is done, or a later call has come. A list that fails, for want of rights say, is logged and tried
   * again, and the other namespaces go on meanwhile. Rejects with the signal's reason, which takes nothing back, and when
   * the manager stops.
   * @throws RangeError for what is no list of names
   */
  setNamespaces(namespaces: readonly string[] | undefined, signal?: AbortSignal): Promise<void>;
  /** Where probes and metrics are served, after the start. */
  readonly addresses: ManagerAddresses;
  status(): ManagerStatus;
  /** The controllers, in the order in which their handlers were added; empty before the start. */
  readonly controllers: readonly Controller[];
  /** What the controllers read from; undefined before the start. */
  readonly informers: Informers | undefined;
  /**
   * Resolves when no pass is queued or running, none is due before the horizon, and everything that is on its way inside
   * the process has arrived. For tests; it never waits by the clock.
   */
  settled(options?: SettleOptions): Promise<void>;
  /**
   * Resolves when no object holds a finalizer of the handlers that are being drained; at once where none is. With leader
   * election only where this replica leads: another one may be of a version that takes finalizers. After the start.
   * @throws ManagerError ERR_DRAIN, which names what is held, when `signal` ends it or the manager stops
   */
  drained(options?: DrainedOptions): Promise<void>;
  /** Calls `listener` after everything that changes what {@link status} says. Returns the way to unsubscribe. */
  onChange(listener: () => void): () => void;
}

export interface ManagerAddresses {
  readonly probes?: ManagerAddress;
  readonly metrics?: ManagerAddress;
  readonly debug?: ManagerAddress;
}

export type ManagerAddress = Pick<HttpServer, "host" | "port" | "url">;

export type ManagerState = "new" | "starting" | "running" | "stopping" | "stopped";

export interface ManagerStatus {
  readonly state: ManagerState;
  readonly leadership: LeadershipStatus;
  readonly controllers: readonly ControllerStatus[];
  readonly informers: readonly (InformerProgress & { readonly kind: Kind })[];
}
