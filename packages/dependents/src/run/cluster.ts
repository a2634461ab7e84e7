/** The cluster of runs without an operator: its client, and the watches of what the runs keep there. */
import { type Clock, type KubernetesObject, type Random, systemClock, systemRandom } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import { observing } from "../targets/observing.ts";
import type { KnownTarget, Target, TargetConnection } from "../targets/types.ts";
import { Watches } from "../targets/watches.ts";

/** The cluster in which runs keep objects. Several runs, one after the other, share its watches. */
export class RunCluster implements AsyncDisposable {
  /** The clock of the runs. */
  readonly clock: Clock;
  readonly #client: Client;
  readonly #watches: Watches;
  readonly #namespaces: () => readonly string[];

  /** Makes the cluster. `options.namespaces`: the namespaces of the objects, where the user may not list all of them. */
  constructor(client: Client, options: { readonly namespaces: () => readonly string[]; readonly clock?: Clock; readonly random?: Random }) {
    this.clock = options.clock ?? systemClock;
    this.#client = client;
    this.#namespaces = options.namespaces;
    // A person waits for the CRD that the run has just applied.
    this.#watches = new Watches({ client, clock: this.clock, random: options.random ?? systemRandom, lookUpMs: 1_000 });
  }

  /** Returns the target of a run, for the option `target` of its set. `through` may replace the client of the writes. */
  target(through: (client: Client) => Client = (client) => client): Target<KubernetesObject> {
    const watches = this.#watches;
    const connection: TargetConnection = {
      client: through(observing(this.#client, watches)),
      clusterId: async () => CLUSTER,
      enter: () => ({ type: "entered", slot: { release: () => undefined } }),
      hold: () => undefined,
      release: () => undefined,
      watches: {
        cache: watches.cache,
        hold: (kind, given) =>
          watches.hold(kind, { ...given, namespaces: [...new Set([...given.namespaces, ...this.#namespaces()])].toSorted() }),
        // A dry run forgets what it holds after each pass. The watches end with the cluster.
        release: () => undefined,
        covers: (kind, namespace) => watches.covers(kind, namespace),
        observe: (kind, object) => watches.observe(kind, object),
        observeDelete: (kind, ref, uid) => watches.observeDelete(kind, ref, uid),
      },
    };
    return { definition: { kubeconfig: undefined, permissions: [], identify: () => IDENTITY, connect: () => connection } };
  }

  /** Ends the watches. The client stays open. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#watches.close();
  }
}

/** A run has one cluster. Which one it is, its caller knows. */
const CLUSTER = "run";

const IDENTITY: KnownTarget = Object.freeze({
  type: "known",
  digest: CLUSTER,
  secret: undefined,
  serverDigest: CLUSTER,
  as: undefined,
  config: undefined,
  secrets: [],
});
