/**
 * What one process has seen of a lease, and from when on it may take it. Only what it saw counts, by a clock of its own
 * that nobody sets: the times in a lease are those of another machine.
 */
import { type Clock, compareResourceVersions } from "@treadle/apimachinery";
import type { Lease } from "@treadle/apimachinery/kinds";
import { fingerprint, type LeaseRecord, recordOf } from "./lease-record.ts";

export class LeaseView {
  readonly #clock: Clock;
  /** For a lease that does not say how long it lasts. */
  readonly #durationMs: number;
  #lease: Lease | undefined;
  /** The newest that was seen; all objects of a kind share one sequence. */
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

  /** What its last holder wrote; also when the lease was deleted since. */
  get record(): LeaseRecord | undefined {
    return this.#seen?.record;
  }

  /** Notes a state of the lease. Returns whether it is a newer one than what was known. */
  observe(lease: Lease): boolean {
    if (!this.#isNews(lease)) return false;
    this.#lease = lease;
    const print = fingerprint(lease);
    const at = this.#seen?.fingerprint === print ? this.#seen.at : this.#clock.elapsed();
    this.#seen = { record: recordOf(lease), fingerprint: print, at };
    return true;
  }

  /** The lease was deleted, as a watch says of its last state, or a read. Its holder may not know yet, so its time runs on. */
  gone(last?: Lease): void {
    if (last === undefined || this.#isNews(last)) this.#lease = undefined;
  }

  #isNews({ metadata: { resourceVersion } }: Lease): boolean {
    const order = compareResourceVersions(resourceVersion, this.#version);
    // Of what cannot be compared the last word counts.
    if (order !== undefined && order <= 0) return false;
    this.#version = resourceVersion;
    return true;
  }

  /** Until others may take the lease: 0 when they may. */
  freeInMs(): number {
    if (this.#seen === undefined || this.#seen.record.holder === "") return 0;
    const { record, at } = this.#seen;
    return Math.max(0, at + (record.durationMs ?? this.#durationMs) - this.#clock.elapsed());
  }
}
