/** The connections that one step holds for one owner. They are released when the owner no longer exists. */
import type { KnownTarget, TargetConnection } from "../types.ts";

/** Two tries to reach a target count as two if so many milliseconds are between them. */
const BETWEEN_TRIES_MS = 10_000;

/** A connection that a step holds. */
export interface HeldTarget {
  readonly identity: KnownTarget;
  readonly connection: TargetConnection;
  /** The ids of the kinds that the step watches. */
  readonly watched: Set<string>;
  /** The id of the cluster, after it has answered. */
  cluster: string | undefined;
}

/** How a step uses a connection. */
export interface Use {
  /** `present`: its objects belong there. `former`: it removes its objects from there. */
  readonly as: "present" | "former";
  /** The id of the cluster in which the objects are, by the step state. */
  readonly cluster: string | undefined;
  connect(): TargetConnection;
}

/** The connections of one step and one owner, by identity. */
export class HeldTargets implements Disposable {
  readonly #targets = new Map<string, HeldTarget>();
  #key = "";
  #present: HeldTarget | undefined;
  /** The failed tries to reach the target in which the objects are, and when the last one was, in the clock's milliseconds. */
  #tries = { count: 0, lastMs: Number.NEGATIVE_INFINITY };
  /** Whether the annotation that gives up a target was reported as useless. */
  isReported = false;

  /**
   * Holds a connection for `key`, until it is released. Others are released at once, but for the present one and the last one to the
   * cluster in which the objects are: a user may write any number of credentials into a Secret.
   */
  hold(key: string, identity: KnownTarget, { as, cluster, connect }: Use): HeldTarget {
    this.#key = key;
    const connection = connect();
    connection.hold(key);
    let held = this.#targets.get(identity.digest);
    if (held === undefined || held.connection !== connection) {
      held = { identity, connection, watched: new Set(), cluster: undefined };
      this.#targets.set(identity.digest, held);
    }
    if (as === "present") this.#present = held;
    const kept = [held, this.#present, cluster === undefined ? undefined : this.toCluster(cluster)];
    for (const other of this.#targets.values()) if (!kept.includes(other)) this.#release(other);
    return held;
  }

  /** The last open connection to a cluster with this id, whatever credential it has. */
  toCluster(cluster: string): HeldTarget | undefined {
    return [...this.#targets.values()].findLast((each) => each.cluster === cluster);
  }

  /** Releases all connections but `kept`. */
  releaseAll(kept?: HeldTarget): void {
    for (const held of this.#targets.values()) if (held !== kept) this.#release(held);
  }

  #release({ identity, connection, watched }: HeldTarget): void {
    for (const id of watched) connection.watches.release(id, this.#key);
    connection.release(this.#key);
    this.#targets.delete(identity.digest);
  }

  /** Notes a failed try. Returns whether the target was not reached in at least two tries. */
  failed(nowMs: number): boolean {
    if (nowMs - this.#tries.lastMs >= BETWEEN_TRIES_MS) this.#tries = { count: this.#tries.count + 1, lastMs: nowMs };
    return this.#tries.count > 1;
  }

  /** Notes that the target has answered. */
  answered(): void {
    if (this.#tries.count > 0) this.#tries = { count: 0, lastMs: Number.NEGATIVE_INFINITY };
  }

  [Symbol.dispose](): void {
    this.releaseAll();
  }
}
