/** One connection to a target, shared by all owners with the same kubeconfig and user. */
import { type Clock, isApiError, kind as kindOf, type Random, type Transport } from "@treadle/apimachinery";
import { type AllowAddress, type Client, createClient, type Impersonation } from "@treadle/client";
import type { KubeconfigText } from "@treadle/client/unstable/kubeconfig";
import type { TokenBucket } from "@treadle/workqueue";
import { awayError, Remote } from "./remote.ts";
import { branded } from "./branding.ts";
import { Health } from "./health.ts";
import { LOCAL } from "./identity.ts";
import { observing } from "./observing.ts";
import { impersonated } from "./own-cluster.ts";
import { targetError } from "./target-error.ts";
import type { KnownTarget, TargetConnection, TargetEntry, TargetServices, TargetWatches } from "./types.ts";
import { Watches } from "./watches.ts";

/** What all connections of an operator have. */
export interface ConnectionOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly rate: TokenBucket | undefined;
  readonly allowAddress: AllowAddress;
  readonly transport: ((config: KubeconfigText, as: Impersonation | undefined) => Transport) | undefined;
  /** Counts a request. */
  sent(name: string): void;
}

const Namespace = kindOf({ group: "", version: "v1", kind: "Namespace", scope: "Cluster" });

/** An open connection. */
export class Connection {
  readonly watches: Watches;
  readonly #identity: KnownTarget;
  readonly #options: ConnectionOptions;
  readonly #remote: Remote | undefined;
  readonly #health: Health;
  readonly #own: Client;
  /** The name of the set that opened the connection: the watches count for it. */
  readonly #name: string;
  readonly #views = new Map<string, TargetConnection>();
  readonly #holds = new Set<string>();
  #clusterId: string | undefined;
  /** When the last hold ended, by `Clock.elapsed`. */
  #idleSince: number;

  constructor(identity: KnownTarget, services: TargetServices, options: ConnectionOptions) {
    const { clock, random } = options;
    this.#identity = identity;
    this.#options = options;
    this.#own = services.client;
    this.#name = services.name;
    this.#idleSince = clock.elapsed();
    const { config, as } = identity;
    if (config !== undefined)
      this.#remote = new Remote({
        ...options,
        config: config as KubeconfigText, // `identify` made it.
        as,
        health: () => this.#health,
      });
    const probe = async () => (await this.#remote?.probe(() => options.sent(this.#name))) ?? { type: "answered" as const };
    this.#health = new Health({ clock, random, probe, onAway: () => this.watches.wakeAll(), onAnswered: () => this.#answersAgain() });
    this.watches = new Watches({ client: this.#client("watch", this.#name), clock, random });
  }

  /** The connection as a set uses it: its requests count for the name of the set. */
  view(name: string): TargetConnection {
    let view = this.#views.get(name);
    if (view === undefined) this.#views.set(name, (view = this.#view(name)));
    return view;
  }

  /** Returns for how long nothing has held the connection, in milliseconds. */
  idleMs(): number {
    return this.#holds.size > 0 ? 0 : this.#options.clock.elapsed() - this.#idleSince;
  }

  /** Closes the connection and its watches. */
  async close(): Promise<void> {
    this.#health.close();
    await this.watches.close();
    await this.#remote?.close();
  }

  #view(name: string): TargetConnection {
    const client = observing(this.#client("pass", name), this.watches);
    const watches: TargetWatches = this.watches;
    return {
      client,
      watches,
      clusterId: (signal) => this.#cluster(client, signal),
      enter: (key, wake) => this.#enter(key, wake),
      hold: (key) => void this.#holds.add(key),
      release: (key) => this.#release(key),
    };
  }

  #enter(key: string, wake: () => void): TargetEntry {
    // The operator's own server has no other limit for its own requests either.
    return this.#remote === undefined ? { type: "entered", slot: { release: () => undefined } } : this.#health.enter(key, wake);
  }

  #release(key: string): void {
    this.#health.leave(key);
    if (this.#holds.delete(key) && this.#holds.size === 0) this.#idleSince = this.#options.clock.elapsed();
  }

  #client(sender: "pass" | "watch", name: string): Client {
    const sent = (): void => this.#options.sent(name);
    const { as } = this.#identity;
    if (this.#remote === undefined) {
      if (as === undefined) throw new Error("a target in the cluster of the operator needs a user");
      return impersonated(this.#own, as, sent);
    }
    const { clock, random } = this.#options;
    const transport = this.#remote.transport(sender, sent);
    const server = "the target cluster";
    // A pass never sleeps between attempts: a target may ask for long waits, and the wait of a queued object holds no worker.
    const client = createClient({ transport, clock, random, server, retry: false, onWarning: () => undefined });
    return branded(client, () => {
      const { awayBecause } = this.#health;
      if (awayBecause !== undefined) throw targetError(awayError(awayBecause));
    });
  }

  /** If the namespace may not be read, or does not exist, the digest of the server identifies the cluster. */
  async #cluster(client: Client, signal: AbortSignal): Promise<string> {
    if (this.#remote === undefined) return LOCAL;
    if (this.#clusterId !== undefined) return this.#clusterId;
    const found = await client.get(Namespace, { name: "kube-system" }, { signal }).catch((error: unknown) => {
      if (isApiError(error) && (error.status === 403 || error.status === 404)) return undefined;
      throw error;
    });
    return (this.#clusterId = found?.metadata.uid ?? this.#identity.serverDigest);
  }

  /** Another cluster may answer at the same address now. */
  #answersAgain(): void {
    this.#clusterId = undefined;
    this.watches.retry();
  }
}
