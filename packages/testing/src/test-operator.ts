/** An operator in a test cluster: its options, its output, and the wait until it is settled. */
import type { Kind } from "@treadle/apimachinery";
import type { ControllerOptions, Manager, RbacManifest, Runnable } from "@treadle/controller";
import type { OperatorOutput, RecordedPass } from "./test-environment.ts";

/** Options of `cluster.start`. */
export interface StartOptions {
  /** Options of the controllers, as for `manager.add`. */
  readonly controller?: ControllerOptions;
  /** Runnables of the operator. Kinds that they name are served, and their rights are granted. @defaultValue none */
  readonly runnables?: readonly Runnable[];
  /** Namespaces that the operator watches. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** Kinds that the server does not serve until `cluster.install`. */
  readonly missing?: readonly Kind[];
  /** Connection to the server; `"http"` needs a cluster with `http` and real time. @defaultValue "in-process" */
  readonly transport?: "in-process" | "http";
  /** Stops the operator when it is aborted, also while the operator starts: `cluster.start` rejects then. @defaultValue none */
  readonly signal?: AbortSignal;
  /**
   * Rights of the operator: those that these manifests grant to the ServiceAccount among them, or all.
   * @defaultValue `rbacManifests()` of the handlers and runnables
   */
  readonly rbac?: readonly RbacManifest[] | "administrator";
}

/** Options of `settled`. */
export interface SettledOptions {
  /**
   * Time from now within which due passes are waited for, in milliseconds; virtual time moves to each of them.
   * @defaultValue 10_000 in virtual time (the longest delay of a wait), 0 in real time. On a real server 1_000, and at most
   * 2_000: test longer times in virtual time
   */
  readonly horizonMs?: number;
  /** Real time after which `settled` fails, in milliseconds. @defaultValue 10_000 (60_000 on a real server), plus the horizon in real time */
  readonly timeoutMs?: number;
}

/** A running operator. */
export interface TestOperator extends OperatorOutput, AsyncDisposable {
  /**
   * Resolves when no pass is queued, running or due before the horizon, the garbage collector has nothing to do, and all
   * events were delivered. Resolves at once after {@link stop}.
   * @throws Error that names what is unfinished when it times out, or the object with 1,000 passes at the same virtual time
   */
  settled(options?: SettledOptions): Promise<void>;
  /** Stops the operator gracefully; the cluster goes on without it. Idempotent. */
  stop(): Promise<void>;
  /** Every pass so far, oldest first. */
  readonly passes: readonly RecordedPass[];
  /** The events that the operator stored on the server, oldest first. A repeat only counts up an event, and is not listed. */
  readonly events: OperatorOutput["events"];
  /** The manager of the operator. */
  readonly manager: Manager;
}
