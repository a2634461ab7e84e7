/**
 * EventRecorder: writes events, which `kubectl describe` shows with their object.
 *
 * Guarantees
 * - `record` returns immediately and never throws; the result of the write does not affect a pass.
 * - One request at a time, at most 1,000 events waiting. Equal events are one object with a count.
 * - A note holds no secret that can be recognised as one.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import {
  type Clock,
  isAlreadyExists,
  isApiError,
  isForbidden,
  isNotFound,
  type KubernetesObject,
  type Random,
  randomName,
  sleep,
  type Timer,
} from "@treadle/apimachinery";
import { Event } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import type { EventNote, Logger } from "@treadle/reconcile";
import { errorFields } from "../internal/error-text.ts";
import { within } from "../internal/promises.ts";
import { isManagerError } from "../manager-error.ts";
import { eventObject, microTime, shownNote } from "./event-object.ts";
import { EventSeries, type Series } from "./event-series.ts";

/** The result of an event: a new object, an increased count, or nothing. */
export type EventResult = "created" | "counted" | "limited" | "dropped" | "failed";

export const EVENT_RESULTS: readonly EventResult[] = ["created", "counted", "limited", "dropped", "failed"];

export interface EventRecorderOptions {
  readonly client: Pick<Client, "create" | "patch">;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  /** The name of this process in the events. */
  readonly instance: string;
  readonly count: (result: EventResult) => void;
  /** Called each time that the recorder is idle again. */
  readonly onChange: () => void;
}

/** client-go `tools/events`. */
const MAX_WAITING = 1_000;
const MAX_TRIES = 12;
const RETRY_BASE_MS = 1_000;
const RETRY_MAX_MS = 10_000;
/** Time in which the same refusal is not logged again, in milliseconds. */
const QUIET_MS = 600_000;

export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #series = new EventSeries();
  readonly #waiting = new Set<Series>();
  readonly #abort = new AbortController();
  readonly #logged = new Map<string, number>();
  /** A write for several passes belongs to no trace. */
  readonly #outside = AsyncLocalStorage.snapshot();
  #writing: Promise<void> | undefined;
  #isPausing = false;
  #sweep: Timer | undefined;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
  }

  /** Whether a request is on its way to the server. A wait for the next attempt does not count. */
  get isBusy(): boolean {
    return this.#writing !== undefined && !this.#isPausing;
  }

  record(controller: string, about: KubernetesObject, given: EventNote): void {
    if (this.#abort.signal.aborted) return;
    const { clock, instance, count } = this.#options;
    try {
      const note = { ...given, note: shownNote(given.note) };
      const nowMs = clock.now();
      const added = this.#series.add({ about, controller, note }, nowMs, (shown) =>
        eventObject(about, { reporter: { controller, instance }, note: shown, atMs: nowMs, id: this.#newID() }),
      );
      if (added === undefined) return count("limited");
      if (added.isDue) this.#send(added.series);
      this.#plan();
    } catch (error) {
      this.#refused(error, "cannot record an event");
    }
  }

  /** Writes the waiting events, for at most `ms` milliseconds. */
  async stop(ms: number): Promise<void> {
    this.#sweep?.cancel();
    for (const series of this.#series.unsent()) this.#send(series);
    if (this.#writing !== undefined && !this.#isPausing) await within(this.#options.clock, ms, this.#writing);
    this.#abort.abort(new Error("the operator is shutting down"));
    await this.#writing;
  }

  #send(series: Series): void {
    if (this.#waiting.size >= MAX_WAITING && !this.#waiting.has(series)) return this.#options.count("dropped");
    this.#waiting.add(series);
    this.#writing ??= this.#outside(() => this.#write());
  }

  async #write(): Promise<void> {
    // The pass that records the event ends its turn first.
    await Promise.resolve();
    for (const series of this.#waiting) {
      if (this.#abort.signal.aborted) break;
      this.#waiting.delete(series);
      await this.#deliver(series);
    }
    this.#writing = undefined;
    this.#options.onChange();
  }

  async #deliver(series: Series): Promise<void> {
    const { count } = this.#options;
    for (let tries = 1; ; tries++) {
      const meant = series.count;
      if (meant === series.sentCount) return;
      try {
        const result = await this.#put(series, meant);
        series.sentCount = meant;
        series.sentAtMs = this.#options.clock.now();
        return count(result);
      } catch (error) {
        if (this.#abort.signal.aborted) return;
        if (!isWorthAnotherTry(error) || tries >= MAX_TRIES) {
          count("failed");
          return this.#refused(
            error,
            `cannot write an event of ${series.object.regarding?.kind ?? ""} ${series.object.regarding?.name ?? ""}`,
          );
        }
        await this.#pause(Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** (tries - 1)));
      }
    }
  }

  async #put(series: Series, meant: number): Promise<"created" | "counted"> {
    const { client } = this.#options;
    const options = { signal: this.#abort.signal };
    const told = meant < 2 ? {} : { series: { count: meant, lastObservedTime: microTime(series.lastAtMs) } };
    if (series.sentCount > 0) {
      try {
        await client.patch(Event, series.object.metadata, { type: "merge", body: told }, options);
        return "counted";
      } catch (error) {
        if (!isNotFound(error)) throw error;
        // The server deletes events after a while: the series continues as another object.
        const name = series.object.metadata.name.replace(/[^.]*$/, this.#newID());
        series.object = { ...series.object, metadata: { ...series.object.metadata, name } };
      }
    }
    // The answer to an earlier attempt may have been lost.
    await client.create(Event, { ...series.object, ...told }, options).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
    return "created";
  }

  async #pause(ms: number): Promise<void> {
    this.#isPausing = true;
    this.#options.onChange();
    await sleep(this.#options.clock, ms, this.#abort.signal).catch(() => undefined); // The caller sees the stop as well.
    this.#isPausing = false;
  }

  /** Sets the timer of the next due series; an idle operator has none. */
  #plan(): void {
    if (this.#sweep !== undefined) return;
    const at = this.#series.nextDueAt();
    if (at === undefined) return;
    this.#sweep = this.#options.clock.after(Math.max(0, at - this.#options.clock.now()), () => {
      this.#sweep = undefined;
      for (const series of this.#series.due(this.#options.clock.now())) this.#send(series);
      this.#plan();
    });
  }

  #refused(error: unknown, what: string): void {
    const { clock, log } = this.#options;
    // Only the leader writes events, and events are deleted with their namespace.
    if (isManagerError(error) || (isApiError(error) && /being terminated|not found/.test(error.message))) return;
    const fields = errorFields(error);
    const now = clock.now();
    for (const [text, at] of this.#logged) if (now - at >= QUIET_MS) this.#logged.delete(text);
    const id = isApiError(error) ? `${error.status} ${error.reason}` : fields.error;
    if (this.#logged.has(id)) return;
    this.#logged.set(id, now);
    const fix = isForbidden(error) ? "; allow create and patch of events.events.k8s.io to the operator's service account" : "";
    log.warn({ error: fields.error }, `${what}${fix}`);
  }

  /** An id that is unique together with the name of the object. */
  #newID(): string {
    return randomName(this.#options.random, 12);
  }
}

/** Whether the server may accept a second attempt. */
function isWorthAnotherTry(error: unknown): boolean {
  if (isManagerError(error)) return false;
  return !isApiError(error) || error.status === 429 || error.status >= 500;
}
