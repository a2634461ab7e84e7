/** What an exploration is of: an operator, a story that happens to it, and what is asked of each run. */
import type { FakeClock, Kind, KubernetesObject, ObjectOf, Random } from "@treadle/apimachinery";
import type { WorkloadOptions, Workloads } from "@treadle/apiserver";
import type { ControllerOptions } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import type { UserActions } from "../internal/user.ts";
import type { Effects } from "./effects.ts";
import type { PointKind } from "./point.ts";
import type { Ignored } from "./snapshot.ts";

/** The cluster of one run, as the user in the story sees it. */
export interface ExploredCluster<World = undefined> extends UserActions {
  get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]>;
  /** Waits until the operator is at rest, through crashes and restarts. */
  settled(): Promise<void>;
  /** Moves the virtual time. */
  advance(ms: number): Promise<void>;
  readonly clock: FakeClock;
  /** What is to go wrong with the workloads. @throws Error without `workloads` of the scenario */
  readonly workloads: Workloads;
  /** What the scenario's `world` made for this run. */
  readonly world: World;
  readonly effects: Effects;
}

/** What a run is made with. */
export interface Surroundings {
  readonly effects: Effects;
  readonly clock: FakeClock;
  readonly random: Random;
}

/**
 * The operator: its handlers; or a function that makes them, called anew for each life of the process, so that what its
 * closures remember is lost in a crash as in reality.
 */
export type ExploredOperator<World = undefined> =
  | AnyHandler
  | readonly AnyHandler[]
  | ((world: World) => AnyHandler | readonly AnyHandler[]);

export interface Scenario<World = undefined> {
  /** Manifests that exist before the operator starts. */
  readonly objects?: readonly object[];
  /** Kinds that neither a handler nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /**
   * Deployments, Jobs and the like reach the status that they have in a cluster, by simulated controllers that no fault
   * strikes. What they make by themselves (pods, ReplicaSets) and how they number revisions is not compared. @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /** Makes what lies outside of the cluster: once for each run, and it outlives crashes. */
  readonly world?: (given: Surroundings) => World;
  /**
   * What a user does. `await cluster.settled()` between two actions lets the operator finish first; without it they come
   * while it works. It is at rest when this begins, and is waited for at the end. Objects are to be changed by actions of
   * `cluster` only, and nothing in between is to be asserted: a run may lag behind the reference, and only its end counts.
   */
  run(cluster: ExploredCluster<World>): Promise<void> | void;
  /** What else the end state consists of, e.g. the disks that exist outside: compared with the reference. */
  outside?(world: World): unknown;
  /**
   * How the effects of a run break the author's rule. @defaultValue each effect happened as often as in the reference:
   * neither repeated nor missing; where the operator learns of nothing while the user goes on (`skip`, `away`), not oftener
   */
  checkEffects?(reference: readonly string[], actual: readonly string[]): readonly string[];
  /** What else must hold at the end of every run. @throws to say what does not */
  check?(cluster: ExploredCluster<World>): Promise<void> | void;
}

export interface ExploreOptions {
  /** Of the operator; as for `cluster.start`. */
  readonly namespaces?: readonly string[];
  readonly controller?: ControllerOptions<KubernetesObject>;
  /** Which faults. @defaultValue all */
  readonly points?: readonly PointKind[] | ((point: { readonly type: PointKind; readonly id: string }) => boolean);
  /** How many pairs of faults are tried beside the single ones, chosen by the seed. @defaultValue 0 */
  readonly pairs?: number;
  /** Real milliseconds after which no further run begins; what was left out is told. @defaultValue no limit */
  readonly budgetMs?: number;
  /** Of all that is random. @defaultValue 1 */
  readonly seed?: number;
  /** Runs one point only, by the id that a failure names, and tells its story whatever comes of it. */
  readonly replay?: string;
  /** Differences that are meant to be: paths into objects, e.g. `["status", "startedAt"]`. */
  readonly ignore?: readonly Ignored[];
  /**
   * At rest is who has written nothing for so long, in virtual time: what the operator plans within it happens. Longer than
   * its longest wait for something that may have been interrupted. @defaultValue 120_000
   */
  readonly horizonMs?: number;
  /** Deletes the primaries at the end of each run, and looks at what stays. @defaultValue true */
  readonly deletion?: boolean;
  /** Told after each run. */
  readonly onProgress?: (progress: ExplorationProgress) => void;
}

export interface ExplorationProgress {
  readonly done: number;
  readonly total: number;
  readonly failures: number;
  /** The point of the run that ended. */
  readonly point: string;
}
