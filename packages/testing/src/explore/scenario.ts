/** The input of an exploration: an operator, the actions of a user, and the checks of each run. */
import type { FakeClock, Kind, KubernetesObject, ObjectOf, Random, Transport } from "@treadle/apimachinery";
import type { WorkloadOptions, Workloads } from "@treadle/apiserver";
import type { ControllerOptions, Runnable, Source } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import type { UserActions } from "../internal/user.ts";
import type { ExternalEffects } from "./external-effects.ts";
import type { PointType } from "./fault-point.ts";
import type { IgnoredPath } from "./snapshot.ts";

/** The cluster of one run, as the user in the scenario sees it. */
export interface ExploredCluster<External = undefined> extends UserActions {
  /** Reads an object from the server; undefined when it does not exist. */
  get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined>;
  /** Lists the objects of a kind, of all namespaces by default. */
  list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]>;
  /** Waits until the operator is idle, through crashes and restarts. */
  settled(): Promise<void>;
  /** Moves virtual time, in milliseconds. */
  advance(ms: number): Promise<void>;
  /** Virtual time. */
  readonly clock: FakeClock;
  /** Makes simulated workloads fail. @throws Error without `workloads` of the scenario */
  readonly workloads: Workloads;
  /** The value that the scenario's `external` returned for this run. */
  readonly external: External;
  /** The external effects of this run so far. */
  readonly effects: ExternalEffects;
}

/** The argument of {@link Scenario.external}. */
export interface ExternalContext {
  /** Records external effects. */
  readonly effects: ExternalEffects;
  /** Virtual time of the run. */
  readonly clock: FakeClock;
  /** Random numbers, the same in every run. */
  readonly random: Random;
  /**
   * Returns a connection of the operator to another API server, such as a target cluster in memory. Each write through it is a point
   * at which the operator may crash, or the answer may be lost, as the writes to the server of the run are.
   */
  through(transport: Transport): Transport;
}

/**
 * The operator: its handlers, or a function that returns them, with other parts if it has some. The function is called again for each
 * process of a run, so that a crash loses the variables of its closures, as in production.
 */
export type ExploredOperator<External = undefined> =
  | AnyHandler
  | readonly AnyHandler[]
  | ((external: External) => AnyHandler | readonly AnyHandler[] | ExploredParts);

/** The parts of an operator that has more than handlers. */
export interface ExploredParts {
  /** The handlers. */
  readonly handlers: readonly AnyHandler[];
  /** Runnables of the manager. With them, each wait lets the whole `horizonMs` pass, for their timers. @defaultValue none */
  readonly runnables?: readonly Runnable[];
  /** Sources of all controllers. @defaultValue those in the options */
  readonly sources?: readonly Source[];
}

/** The actions of a user, the objects around them, and the checks of each run. */
export interface Scenario<External = undefined> {
  /** Manifests that exist before the operator starts. */
  readonly objects?: readonly object[];
  /** Kinds that neither a handler nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /**
   * Simulates the controllers of Deployments, Jobs and other workloads; faults never affect them. The objects that they
   * create (pods, ReplicaSets) and their revision numbers are not compared. @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /** Creates the fakes of systems outside the cluster: once for each run; a crash does not reset them. */
  readonly external?: (context: ExternalContext) => External;
  /**
   * Acts as a user. With `await cluster.settled()` between two actions the operator finishes first; without it the actions
   * happen while it works. The operator is idle before `run`, and `explore` waits for it after `run`. Change objects only by
   * actions of `cluster`. Assert nothing here: a run may lag behind the reference, and only its end counts.
   */
  run(cluster: ExploredCluster<External>): Promise<void> | void;
  /** Returns the state of external systems, e.g. the existing disks; it is compared with the reference. */
  externalState?(external: External): unknown;
  /**
   * Returns what is wrong with the external effects of a run. @defaultValue each effect happened as often as in the reference;
   * at points where the operator may miss a user's action (`skip`, `away`), at most as often
   */
  checkEffects?(reference: readonly string[], actual: readonly string[]): readonly string[];
  /** Checks the end of every run. @throws any error to report a problem */
  check?(cluster: ExploredCluster<External>): Promise<void> | void;
}

/** Options of {@link explore}. */
export interface ExploreOptions {
  /** Namespaces that the operator watches. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** Options of the operator's controllers, as for `cluster.start`. */
  readonly controller?: ControllerOptions<KubernetesObject>;
  /** Types of points to try, or a filter. @defaultValue all */
  readonly points?: readonly PointType[] | ((point: { readonly type: PointType; readonly id: string }) => boolean);
  /** Number of pairs of faults to try in addition, chosen by the seed. @defaultValue 0 */
  readonly pairs?: number;
  /** Real time after which no further run begins, in milliseconds; the result counts the points left out. @defaultValue no limit */
  readonly budgetMs?: number;
  /** Seed of all random choices. @defaultValue 1 */
  readonly seed?: number;
  /** Id of the one point to run, as a failure names it; the result then has a full report. */
  readonly replay?: string;
  /** Paths in objects that may differ between runs, e.g. `["status", "startedAt"]`. */
  readonly ignore?: readonly IgnoredPath[];
  /**
   * Virtual time without a write after which the operator counts as idle, in milliseconds. It must be longer than the
   * operator's longest wait for something that a fault may have interrupted. @defaultValue 120_000
   */
  readonly horizonMs?: number;
  /** Whether each run ends with the deletion of the primaries, and checks what remains. @defaultValue true */
  readonly deletion?: boolean;
  /** Called once before the first point, and after each run of a point. */
  readonly onProgress?: (progress: ExplorationProgress) => void;
}

/** The progress of an exploration. */
export interface ExplorationProgress {
  /** Number of points tried so far; 0 in the first report. */
  readonly done: number;
  /** Number of points to try. */
  readonly total: number;
  /** Number of failed runs so far. */
  readonly failures: number;
  /** Id of the point that was tried last; `reference` in the first report. */
  readonly point: string;
  /** Expected real time for the points that are left, in milliseconds. */
  readonly remainingMs: number;
}
