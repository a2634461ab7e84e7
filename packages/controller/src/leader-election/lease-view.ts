/**
 * What one process has seen of a lease, and when it may take it. Only observations count, by the local monotonic clock: the
 * times in a lease are those of another machine.
 */
import { type Clock, compareResourceVersions } from "@treadle/apimachinery";
import type { Lease } from "@treadle/apimachinery/kinds";
import { fingerprint, type LeaseRecord, recordOf } from "./lease-record.ts";

export class LeaseView {
  readonly #clock: Clock;
  /** The duration of a lease that does not name one, in milliseconds. */
  readonly #durationMs: number;
  #lease: Lease | undefined;
  /** The newest observed version; all objects of a kind share one sequence. */
  #version: string | undefined;
  #seen: { readonly record: LeaseRecord; readonly fingerprint: string; readonly at: number } | undefined;

  constructor(clock: Clock, durationMs: number) {
    this.#clock = clock;
    this.#durationMs = durationMs;
  }

  /** The newest state of the lease; undefined when there is none, as far as is known. */
  get lease(): Lease | undefined {
    return this.#lease;
  }

  /** The last record of a holder, also of a lease that was deleted since. */
  get record(): LeaseRecord | undefined {
    return this.#seen?.record;
  }

  /** Notes a state of the lease. Returns whether it is newer than the known one. */
  observe(lease: Lease): boolean {
    if (!this.#isNews(lease)) return false;
    this.#lease = lease;
    const print = fingerprint(lease);
    const at = this.#seen?.fingerprint === print ? this.#seen.at : this.#clock.elapsed();
    this.#seen = { record: recordOf(lease), fingerprint: print, at };
    return true;
  }

  /** Notes that the lease was deleted. Its holder may not know, so its time runs on. */
  gone(last?: Lease): void {
    if (last === undefined || this.#isNews(last)) this.#lease = undefined;
  }

  #isNews({ metadata: { resourceVersion } }: Lease): boolean {
    const order = compareResourceVersions(resourceVersion, this.#version);
    // Of versions that cannot be compared the last one counts.
    if (order !== undefined && order <= 0) return false;
    this.#version = resourceVersion;
    return true;
  }

  /** Time until others may take the lease, in milliseconds; 0: now. */
  freeInMs(): number {
    if (this.#seen === undefined || this.#seen.record.holder === "") return 0;
    const { record, at } = this.#seen;
    return Math.max(0, at + (record.durationMs ?? this.#durationMs) - this.#clock.elapsed());
  }
}
