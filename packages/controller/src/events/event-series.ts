/**
 * Makes one event of many that say the same: the first is an object, those that follow within six minutes are its count.
 * Pure but for its memory, which is bounded; whoever uses it sends what it calls due.
 */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { EventNote } from "@treadle/reconcile";
import type { EventObject } from "./event-object.ts";
import { LruMap } from "../internal/lru-map.ts";
import { SpamFilter } from "./spam-filter.ts";

/** A series that nothing was added to for so long is over (client-go `tools/events`). */
const FINISH_MS = 360_000;
/** A count that has grown is told at least so often (client-go `tools/events`). */
const REFRESH_MS = 1_800_000;
/** More notes than this within the time make one series of all of them (client-go `tools/record`). */
const MAX_SIMILAR = 10;
const SIMILAR_MS = 600_000;

/** One object of kind Event, and how often it was meant. */
export interface Series {
  readonly key: string;
  object: EventObject;
  count: number;
  lastAtMs: number;
  /** What the server knows; 0: not even that it exists. */
  sentCount: number;
  sentAtMs: number;
}

/** What is recorded, its note as it will be shown. */
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

  /** The series that has grown, and whether the server should hear of it now; undefined: the object brings too many. */
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
      // Each request tells twice as much as the one before.
      return { series: known, isDue: known.sentCount === 0 || known.count >= 2 * known.sentCount };
    }
    if (!this.#spam.admits(object, nowMs)) return undefined;
    const shown = isCombined ? { ...note, note: `one of many that differ: ${note.note}`.slice(0, 1000) } : note;
    const series: Series = { key, object: make(shown), count: 1, lastAtMs: nowMs, sentCount: 0, sentAtMs: nowMs };
    this.#series.set(key, series);
    return { series, isDue: true };
  }

  /** Those whose last count the server should hear, with those that are over forgotten. */
  due(nowMs: number): readonly Series[] {
    const due: Series[] = [];
    for (const series of this.#series.values()) {
      const isOver = nowMs - series.lastAtMs >= FINISH_MS;
      if (isOver) this.#series.delete(series.key);
      if (series.count > series.sentCount && (isOver || nowMs - series.sentAtMs >= REFRESH_MS)) due.push(series);
    }
    return due;
  }

  /** Those of which the server does not know everything: for the end. */
  unsent(): readonly Series[] {
    return [...this.#series.values()].filter(({ count, sentCount }) => count > sentCount);
  }

  /** When {@link due} is to be asked next. */
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
