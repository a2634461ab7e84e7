/** Runnables: what lives as long as the operator besides its controllers. */
import type { Cache, Clock, Kind, Random, Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger, Permission, Read } from "@treadle/reconcile";
import type { Registry } from "prom-client";
import type { Check } from "./servers/probes.ts";

/** The services of the manager that a runnable gets. */
export interface RunnableEnv {
  /** The clock of the manager. */
  readonly clock: Clock;
  /** The random source of the manager. */
  readonly random: Random;
  /** The log of the runnable. */
  readonly log: Logger;
  /**
   * The client of the manager. A runnable that needs a leader cannot write after the leadership is lost (ERR_NOT_LEADER). In a
   * dry run no write is sent. Declare the requests as {@link Runnable.permissions}.
   */
  readonly client: Client;
  /**
   * The objects of the kinds that the handlers and the {@link Runnable.reads} declare.
   * @throws ManagerError ERR_NOT_SYNCED, from each call until the caches have synced
   */
  readonly cache: Cache;
  /** Whether the server serves a watched kind, as far as is known. The cache has no objects of a kind that is not served. */
  isServed(kind: Kind): boolean;
  /** Why the server refuses the watch of a kind, so that its cached objects may be outdated; undefined: it does not. */
  refusalOf(kind: Kind): string | undefined;
  /**
   * Resolves when the caches have synced. Do not await it in the `start` of a runnable with `needsCaches: false`.
   * @throws the signal's reason; or the error of a manager whose caches never sync
   */
  synced(signal: AbortSignal): Promise<void>;
  /**
   * Returns what the operator keeps under `key`, as `shared` of an extension pass: a runnable and the passes meet there.
   * @throws Error after the end of the operator; what `make` throws
   */
  shared<V extends object>(key: object, make: () => V): V;
  /** The registry of the manager, for custom metrics; undefined: metrics are off. */
  metrics(): Promise<Registry | undefined>;
  /**
   * Adds a check to `/readyz`. It is removed when the runnable has stopped.
   * @throws ManagerError ERR_ADD_REFUSED for a name that another check has
   */
  addReadyzCheck(name: string, check: Check): void;
  /**
   * Runs an author's function and returns its result. If the function blocks the event loop, the log and the metrics name it.
   * In virtual time it only runs the function.
   * @param signal returns when a promise that never settles is no longer watched; called only for a promise
   */
  named<T>(work: NamedWork, run: () => T, signal?: () => AbortSignal): T;
  /** Whether the manager is in a dry run: then {@link client} sends no write. */
  readonly isDryRun: boolean;
  /** Returns the time that is left for the stop of the runnable, in milliseconds. */
  stopMs(): number;
}

/** An author's function that a runnable calls, for messages about a blocked event loop. */
export interface NamedWork {
  /** The name, which is also the label `step` of a metric: without the names of objects. */
  readonly name: string;
  /** The object that the function is called for. @defaultValue none */
  readonly ref?: Ref;
}

/** Something that the manager starts and stops with the operator. */
export interface Runnable {
  /** The name in messages. */
  readonly name?: string;
  /**
   * Called in the order in which runnables were added, after the caches have synced and before the first pass. It is
   * awaited, so start long work here and return. `signal` is aborted when the manager begins to stop; then the start is
   * not awaited any longer.
   */
  start(signal: AbortSignal, env: RunnableEnv): void | Promise<void>;
  /** Called in reverse order, after the last pass. */
  stop?(): void | Promise<void>;
  /**
   * False: the runnable runs in every replica as soon as the caches have synced. True: with leader election it starts when
   * this replica becomes the leader. @defaultValue true; false with `needsCaches: false`
   */
  readonly needsLeader?: boolean;
  /**
   * False: the runnable starts before the informers, in every replica, and stops after them. Use it for a server that the
   * caches wait for, such as the conversion webhook of a watched kind. `/readyz` must then be ready before the caches have
   * synced. So it leaves out the checks `running` and `informers`, which stay at `/readyz/running` and `/readyz/informers`;
   * a manager that stops is not ready. Not together with `needsLeader: true`. @defaultValue true
   */
  readonly needsCaches?: boolean;
  /** The rights for requests of {@link RunnableEnv.client}, which `rbacManifests()` grants. @defaultValue none */
  readonly permissions?: readonly Permission[];
  /** Reads made by `one()` or `many()`. Their kinds are watched, and their rights are granted, as those of a step. @defaultValue none */
  readonly reads?: readonly Read<never, unknown>[];
}
