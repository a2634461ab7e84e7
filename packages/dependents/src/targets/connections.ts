/**
 * The connections of one operator to its targets.
 *
 * Guarantees
 * - Owners with the same kubeconfig, user and groups have one connection.
 * - A connection is closed 15 minutes after its last owner was released or deleted. One timer, every minute, looks after all of them.
 * - All of them are closed at the end of the operator.
 */
import { type Random, systemRandom, type Transport } from "@treadle/apimachinery";
import type { AllowAddress, Impersonation } from "@treadle/client";
import type { KubeconfigText } from "@treadle/client/unstable/kubeconfig";
import type { RunnableEnv } from "@treadle/controller";
import type { TokenBucket } from "@treadle/workqueue";
import { Connection } from "./connection.ts";
import { type TargetMetrics, targetMetrics } from "./metrics.ts";
import type { KnownTarget, TargetConnection, TargetServices } from "./types.ts";

/** The options of {@link Connections}. */
export interface ConnectionsOptions {
  readonly rate: TokenBucket | undefined;
  readonly allowAddress: AllowAddress;
  readonly transport?: ((config: KubeconfigText, as: Impersonation | undefined) => Transport) | undefined;
}

/** Time for which a connection without owners stays open, in milliseconds. */
const IDLE_MS = 15 * 60_000;
const SWEEP_MS = 60_000;

/** The connections of one operator. */
export class Connections implements AsyncDisposable {
  readonly #options: ConnectionsOptions;
  readonly #open = new Map<string, Connection>();
  readonly #closing = new Set<Promise<void>>();
  #random: Random = systemRandom;
  #metrics: TargetMetrics | undefined;
  #timer: { cancel(): void } | undefined;
  #isEnded = false;

  constructor(options: ConnectionsOptions) {
    this.#options = options;
  }

  /** The number of open connections. */
  get size(): number {
    return this.#open.size;
  }

  /** Uses the services of the manager: the random source and the metrics. */
  async attach(env: Pick<RunnableEnv, "metrics" | "random">): Promise<void> {
    this.#random = env.random;
    this.#metrics = await targetMetrics(env, () => this.size);
  }

  /** Returns the connection of a target for a set, and opens it. It sends nothing by itself. */
  connect(identity: KnownTarget, services: TargetServices): TargetConnection {
    let connection = this.#open.get(identity.digest);
    if (connection === undefined) {
      connection = new Connection(identity, services, {
        clock: services.clock,
        random: this.#random,
        rate: this.#options.rate,
        allowAddress: this.#options.allowAddress,
        transport: this.#options.transport,
        sent: (name) => this.#metrics?.sent(name),
      });
      this.#open.set(identity.digest, connection);
      this.#sweepLater(services);
    }
    return connection.view(services.name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    this.#timer?.cancel();
    for (const digest of this.#open.keys()) this.#close(digest);
    await Promise.all(this.#closing);
  }

  #sweepLater({ clock }: Pick<TargetServices, "clock">): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    this.#timer = clock.after(SWEEP_MS, () => {
      this.#timer = undefined;
      for (const [digest, connection] of this.#open) if (connection.idleMs() >= IDLE_MS) this.#close(digest);
      if (this.#open.size > 0) this.#sweepLater({ clock });
    });
  }

  #close(digest: string): void {
    const closing = this.#open
      .get(digest)
      ?.close()
      .catch(() => undefined); // The pools report what was in progress to its callers.
    this.#open.delete(digest);
    if (closing === undefined) return;
    this.#closing.add(closing);
    void closing.then(() => this.#closing.delete(closing));
  }
}
