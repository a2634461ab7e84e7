/**
 * The election of an operator: an {@link Elector} for each of its leases, one after the other, and their log. A process
 * leads when it holds all of them.
 */
import type { Clock, Random } from "@treadle/apimachinery";
import { isForbidden } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger } from "@treadle/reconcile";
import { errorFields, messageOf } from "../internal/error-text.ts";
import { ManagerError } from "../manager-error.ts";
import { Elector } from "./elector.ts";
import type { Leadership } from "./leadership.ts";
import type { LeaseRecord } from "./lease-record.ts";
import type { LeaseTimes } from "./options.ts";

export interface ElectionOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The leases in the order in which they are taken; the last one is the operator's own. */
  readonly leases: readonly { readonly name: string; readonly namespace: string }[];
  readonly identity: string;
  /** Present and former names of the handlers. */
  readonly handlers: readonly string[];
  readonly times: LeaseTimes;
  readonly metrics: ElectionMetrics;
  /** Called when the leader has changed. */
  readonly onChange: () => void;
  /** Called when the leadership is lost. */
  readonly onLost: (error: ManagerError) => void;
  /** What may have kept the process from renewing in the last `ms` milliseconds, for the error. */
  readonly suspicion: (ms: number) => string | undefined;
}

export interface ElectionMetrics {
  /** `leader_election_master_status` */
  leading(lease: string, isLeading: boolean): void;
  /** `leader_election_slowpath_total` */
  slowPath(lease: string): void;
}

export const NO_ELECTION_METRICS: ElectionMetrics = { leading() {}, slowPath() {} };

/** Time in which a repeated error is not logged again, in milliseconds. */
const QUIET_MS = 60_000;

export class Election implements Leadership {
  readonly #options: ElectionOptions;
  readonly #electors: readonly Elector[];
  readonly #ended = new AbortController();
  #error: ManagerError | undefined;
  #lost: ManagerError | undefined;
  #onElected: (() => void) | undefined;
  /** When each error was last logged. */
  readonly #logged = new Map<string, number>();
  /** Why this process can never lead. */
  #clash: string | undefined;

  constructor(options: ElectionOptions) {
    this.#options = options;
    this.#electors = options.leases.map((ref, index) => {
      const lease = textOf(ref);
      options.metrics.leading(ref.name, false);
      return new Elector({
        ...options,
        ref,
        onElected: () => this.#holds(index),
        onLost: (reason, cause) => this.#lose(lease, reason, cause),
        onHolder: (record) => this.#heldBy(index, record),
        onError: (error) => this.#failed(lease, error),
        onSlowPath: () => options.metrics.slowPath(ref.name),
      });
    });
  }

  /** Starts to compete; calls `onElected` once, when this process leads. */
  start(onElected: () => void): void {
    const { log, identity, leases } = this.#options;
    this.#onElected = onElected;
    log.info({ identity, leases: leases.map(textOf) }, `competing for ${leases.map(textOf).join(" and ")} as ${identity}`);
    this.#electors[0]?.start();
  }

  get isLeading(): boolean {
    return this.#error === undefined && this.#electors.every((elector) => elector.isLeading);
  }

  /** Why this process does not lead any more; undefined when it released its leases. */
  get lost(): ManagerError | undefined {
    return this.#lost;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  require(): void {
    if (this.isLeading) return;
    throw this.#error ?? new ManagerError("ERR_NOT_LEADER", "this process does not lead: nothing is written");
  }

  /** The holder of the operator's own lease, as far as is known. */
  get holder(): string | undefined {
    return this.#electors.at(-1)?.record?.holder || undefined;
  }

  /** What keeps this process from ever taking over. */
  get problem(): string | undefined {
    if (this.#clash !== undefined) return this.#clash;
    const { clock, times } = this.#options;
    for (const { lastError } of this.#electors)
      if (lastError !== undefined && clock.now() - lastError.sinceMs > times.leaseDurationMs) return messageOf(lastError.error);
    return undefined;
  }

  /** Releases all leases; from now on nothing is written. */
  async release(): Promise<void> {
    const { log, leases, times, metrics } = this.#options;
    const wasLeading = this.isLeading;
    this.#close();
    for (const [index, elector] of [...this.#electors.entries()].toReversed()) {
      const lease = textOf(leases[index] as (typeof leases)[number]); // One elector for each.
      metrics.leading((leases[index] as (typeof leases)[number]).name, false);
      try {
        await elector.release();
      } catch (error) {
        log.warn(
          { lease, ...errorFields(error) },
          `cannot release ${lease}: other replicas wait until it expires, ${times.leaseDurationMs / 1000} s from now`,
        );
      }
    }
    if (wasLeading) log.info({ event: { type: "Normal", reason: "LeaderElection" } }, "leadership was released");
  }

  /** Stops renewing and releases nothing: the leases expire. */
  async abandon(): Promise<void> {
    this.#close();
    await Promise.all(this.#electors.map((elector) => elector.abandon()));
  }

  #close(): void {
    this.#error ??= new ManagerError("ERR_NOT_LEADER", "this process is stopping and has released its leadership: nothing is written");
    this.#ended.abort(this.#error);
  }

  #holds(index: number): void {
    const { log, leases, identity, metrics, onChange } = this.#options;
    const ref = leases[index] as (typeof leases)[number]; // One elector for each.
    metrics.leading(ref.name, true);
    log.info(
      { lease: textOf(ref), identity, event: { type: "Normal", reason: "LeaderElection" } },
      `${identity} became leader of ${textOf(ref)}`,
    );
    const next = this.#electors[index + 1];
    if (next === undefined) this.#onElected?.();
    else next.start();
    onChange();
  }

  #lose(lease: string, reason: string, cause: unknown): void {
    if (this.#error !== undefined) return;
    const { log, leases, metrics, onLost, suspicion, identity, times } = this.#options;
    const because = [cause === undefined ? undefined : messageOf(cause), suspicion(times.renewDeadlineMs)].filter(
      (text) => text !== undefined,
    );
    const message = `lost the leadership of ${lease}: ${[reason, ...because].join(": ")}`;
    this.#error = new ManagerError("ERR_NOT_LEADER", message, cause === undefined ? undefined : { cause });
    this.#lost = this.#error;
    for (const { name } of leases) metrics.leading(name, false);
    log.error({ lease, identity, event: { type: "Warning", reason: "LeaderElection" } }, message);
    this.#ended.abort(this.#error);
    onLost(this.#error);
  }

  #heldBy(index: number, { holder, handlers }: LeaseRecord): void {
    const { log, leases, handlers: ours, identity, onChange } = this.#options;
    const lease = textOf(leases[index] as (typeof leases)[number]); // One elector for each.
    onChange();
    this.#clash = undefined;
    if (holder === identity) {
      const what = `${lease} is held by another process with the identity ${holder}`;
      log.warn({ lease, holder }, `${what}: a previous process, or one with the same identity by mistake; standing by`);
      return;
    }
    const isExpected = index < leases.length - 1; // The replaced operator holds its lease until it stops.
    if (isExpected || handlers === undefined || handlers.some((name) => ours.includes(name))) {
      log.info({ lease, holder }, `${lease} is held by ${holder}: standing by`);
      return;
    }
    this.#clash = `${lease} is held by ${holder} of another operator (with ${handlers.join(", ")}): they never work at the same time; give one of them another leaderElection.name`;
    log.warn({ lease, holder, handlers }, this.#clash);
  }

  #failed(lease: string, error: unknown): void {
    const { log, clock } = this.#options;
    const fields = errorFields(error);
    const text = `cannot take or renew ${lease}${isForbidden(error) ? `; ${RIGHTS}` : ""}`;
    const id = `${text} ${fields.error}`;
    const now = clock.now();
    for (const [old, at] of this.#logged) if (now - at >= QUIET_MS) this.#logged.delete(old);
    if (this.#logged.has(id)) return;
    this.#logged.set(id, now);
    log.error({ lease, ...fields }, text);
  }
}

const RIGHTS =
  "allow get, list, watch, create and update on leases of coordination.k8s.io in that namespace: treadle-rbac makes the Role of a program with leaderElection";

/** What a manager needs of an election. */
export type Elected = Pick<Election, keyof Election>;

/** Whether a replica works. */
export type LeadershipStatus =
  /** Without leader election every replica works. */
  | { readonly type: "off" }
  | { readonly type: "standby"; readonly holder: string | undefined }
  | { readonly type: "leading" }
  /** The leadership was lost or released. */
  | { readonly type: "over" };

export function leadershipOf(election: Elected | undefined): LeadershipStatus {
  if (election === undefined) return { type: "off" };
  if (election.isLeading) return { type: "leading" };
  return election.signal.aborted ? { type: "over" } : { type: "standby", holder: election.holder };
}

function textOf({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return `Lease ${namespace}/${name}`;
}
