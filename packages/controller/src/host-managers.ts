/**
 * Lets a tool host the program of an operator, as `treadle dev` does. While a host is set, every manager of the process asks it before it
 * starts: the host chooses the options, and when the manager begins to work. Without a host nothing is asked.
 */
import type { AnyHandler } from "@treadle/reconcile";
import type { Manager } from "./manager.ts";
import type { ManagerOptions } from "./manager-options.ts";
import type { Runnable } from "./runnable.ts";

/** A manager that is about to start. */
export interface HostedManager {
  /** The manager. */
  readonly manager: Pick<Manager, "status" | "stop" | "onChange" | "addresses">;
  /** The handlers that were added to the manager. */
  readonly handlers: readonly AnyHandler[];
  /** The runnables that were added to the manager. */
  readonly runnables: readonly Runnable[];
  /** The options, with the settings from the environment and the config file. */
  readonly options: ManagerOptions;
}

/** How a host lets a manager run. */
export interface Hosting {
  /** The options with which the manager starts. */
  readonly options: ManagerOptions;
  /**
   * Resolves when the manager may work. Until then it is on standby, as with leader election: its caches are full, and it runs no pass.
   * It replaces the leader election of the options.
   */
  readonly leads: Promise<void>;
}

/** Where the API server reaches a server of the program. */
export interface ProgramEndpoint {
  /** The base URL, as in `https://127.0.0.1:40123`. */
  readonly url: string;
  /** The address on which the server listens. */
  readonly host: string;
  /** The port on which the server listens. */
  readonly port: number;
}

/** A host of managers. */
export interface ManagerHost {
  /** Called before a manager connects; the start waits for the answer, and fails when the answer is an error. */
  starting(hosted: HostedManager): Promise<Hosting>;
  /** Returns an address for one more server of the program; undefined: the API server cannot reach this machine. */
  endpoint(): ProgramEndpoint | undefined;
}

/** Sets the host of all managers that start from now on. The program may use another copy of this package, so the host is global. */
export function hostManagers(host: ManagerHost): void {
  place[KEY] = host;
}

/** Returns the host; undefined in a program that runs by itself. */
export function managerHost(): ManagerHost | undefined {
  return place[KEY];
}

const KEY = Symbol.for("@treadle/controller/host-managers");
const place: { [KEY]?: ManagerHost } = globalThis as object;
