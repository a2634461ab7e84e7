/**
 * Makes one event of many equal ones: the first is an object, and those that follow within six minutes increase its count.
 * Pure except for its memory, which is bounded; the caller sends what is due.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { EventNote } from "@treadle/reconcile";
import type { EventObject } from "./event-object.ts";
import { LruMap } from "../internal/lru-map.ts";
import { SpamFilter } from "./spam-filter.ts";

/** Time without a new event after which a series ends (client-go `tools/events`). */
const FINISH_MS = 360_000;
/** Maximum time until a grown count is sent (client-go `tools/events`). */
const REFRESH_MS = 1_800_000;
/** Number of different notes within the time, from which all of them become one series (client-go `tools/record`). */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;

/** One object of kind Event, and its count. */
export interface Series {
  readonly key: string;
  object: EventObject;
  count: number;
  lastAtMs: number;
  /** The count that the server knows; 0: the object does not exist yet. */
  sentCount: number;
  sentAtMs: number;
}

/** What is recorded, with its note as it will be shown. */
export interface Occurrence {
  readonly about: KubernetesObject;
  readonly controller: string;
  readonly note: EventNote;
}

interface Similar {
  readonly sinceMs: number;
  readonly notes: Set<string>;
}

export class EventSeries {
  readonly #series = new LruMap<string, Series>();
  readonly #similar = new LruMap<string, Similar>();
  readonly #spam = new SpamFilter();

  /** The series that has grown, and whether it is due; undefined: the object has too many events. */
  add(
    occurrence: Occurrence,
    nowMs: number,
    make: (note: EventNote) => EventObject,
  ): { readonly series: Series; readonly isDue: boolean } | undefined {
    const { about, controller, note } = occurrence;
    const { uid = "", name, namespace = "" } = about.metadata;
    const object = `${uid} ${namespace}/${name}`;
    const group = JSON.stringify([object, controller, note.type, note.reason, note.action]);
    const isCombined = this.#isCombined(group, note.note, nowMs);
    const key = isCombined ? group : JSON.stringify([group, note.note]);
    const known = this.#series.get(key);
    if (known !== undefined && nowMs - known.lastAtMs < FINISH_MS) {
      known.count++;
      known.lastAtMs = nowMs;
      // Each request sends twice as many as the one before.
      return { series: known, isDue: known.sentCount === 0 || known.count >= 2 * known.sentCount };
    }
    if (!this.#spam.admits(object, nowMs)) return undefined;
    const shown = isCombined ? { ...note, note: `one of many that differ: ${note.note}`.slice(0, 1000) } : note;
    const series: Series = { key, object: make(shown), count: 1, lastAtMs: nowMs, sentCount: 0, sentAtMs: nowMs };
    this.#series.set(key, series);
    return { series, isDue: true };
  }

  /** The series whose count is due; forgets those that have ended. */
  due(nowMs: number): readonly Series[] {
    const due: Series[] = [];
    for (const series of this.#series.values()) {
      const isOver = nowMs - series.lastAtMs >= FINISH_MS;
      if (isOver) this.#series.delete(series.key);
      if (series.count > series.sentCount && (isOver || nowMs - series.sentAtMs >= REFRESH_MS)) due.push(series);
    }
    return due;
  }

  /** The series whose count the server does not know, for the end. */
  unsent(): readonly Series[] {
    return [...this.#series.values()].filter(({ count, sentCount }) => count > sentCount);
  }

  /** When {@link due} must be asked next. */
  nextDueAt(): number | undefined {
    let next: number | undefined;
    for (const { lastAtMs, sentAtMs, count, sentCount } of this.#series.values()) {
      const at = Math.min(lastAtMs + FINISH_MS, count > sentCount ? sentAtMs + REFRESH_MS : Number.POSITIVE_INFINITY);
      next = Math.min(next ?? at, at);
    }
    return next;
  }

  #isCombined(group: string, note: string, nowMs: number): boolean {
    let similar = this.#similar.get(group);
    if (similar === undefined || nowMs - similar.sinceMs >= SIMILAR_MS) {
      similar = { sinceMs: nowMs, notes: new Set() };
      this.#similar.set(group, similar);
    }
    if (similar.notes.has(note)) return false;
    if (similar.notes.size >= MAX_SIMILAR) return true;
    similar.notes.add(note);
    return false;
  }
}
