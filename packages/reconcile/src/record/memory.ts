/**
 * What a reconciler remembers of its objects between passes, in this process only. The memory of an object is dropped with
 * its uid, and by a new value of the annotation that requests a pass.
 */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { Fetches } from "../fetches.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { RECONCILE_REQUESTED_ANNOTATION } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import { type Held, readerOf } from "./held.ts";
import type { Waiting } from "./progress.ts";
import type { Throttle } from "../internal/throttle.ts";

/** The memory of one object. */
export interface KeyMemory {
  readonly uid: string | undefined;
  /** The value of {@link RECONCILE_REQUESTED_ANNOTATION}: with another one the memory is dropped. */
  readonly request: string | undefined;
  /** The generation at which the spec was checked against the schema, and what is wrong with it. */
  checked: { readonly generation: number | undefined; readonly problems: readonly string[] } | undefined;
  readonly waiting: Waiting;
  /** The versions that steps wrote through `req.client` in the last pass; a repeated one is not progress. */
  written: ReadonlySet<string>;
  /** What slows down status writes; made when the first status is written. */
  guards?: StatusGuards;
  /** Made for the first pass that another writer ended. */
  heartbeats?: Heartbeats;
  /** When this process saw the object first, by `clock.elapsed()`. */
  readonly sinceMs: number;
  /** When what was found under a former name of the handler got the present one, by `clock.elapsed()`. */
  claimedAtMs?: Map<string, number>;
  /** The fetched objects that the reads of the last pass named. */
  fetched: ReadonlyMap<string, Held>;
  /** The memories of steps and extensions, by a name of each. */
  slots?: Map<string, object>;
}

/** What the guards remember of an object. */
export interface StatusGuards {
  /** What the server did not store of our last status write: asking for it again would change nothing. */
  notStored?: NotStored | undefined;
  /** The status that was stored last, and how often in a row. */
  repeated?: { readonly change: string; readonly throttle: Throttle | undefined } | undefined;
}

interface NotStored {
  /** The text of what was asked for in vain. */
  readonly change: string;
  /** Until then it is not asked for again; in the clock's milliseconds. */
  readonly untilMs: number;
  /** The fields that are missed. */
  readonly fields: readonly string[];
}

/** Shared: an empty set or map is 200 bytes, and most objects would have several. */
export const NOTHING_WRITTEN: ReadonlySet<string> = new Set();
export const NOTHING_FETCHED: ReadonlyMap<string, Held> = new Map();

/** The memory of an object that was not seen before. */
export function newMemory(
  uid: string | undefined,
  { request, sinceMs = -Infinity }: Partial<Pick<KeyMemory, "request" | "sinceMs">> = {},
): KeyMemory {
  return {
    uid,
    request,
    sinceMs,
    checked: undefined,
    waiting: { reason: "", attempts: 0, inVain: 0 },
    written: NOTHING_WRITTEN,
    fetched: NOTHING_FETCHED,
  };
}

/** The part of the memory that one step or extension has, made when it is asked for first. */
export function slotOf(memory: KeyMemory, name: string, make: () => object): object {
  const slots = (memory.slots ??= new Map());
  let slot = slots.get(name);
  if (slot === undefined) {
    slot = make();
    slots.set(name, slot);
  }
  return slot;
}

/** Shared, since nearly every object has none. */
const NO_PROBLEMS: readonly string[] = [];

/** The memories of all objects of a reconciler. */
export class Memories {
  readonly #pipeline: Pipeline;
  readonly #fetches: Fetches;
  readonly #clock: Clock;
  readonly #memories = new Map<string, KeyMemory>();

  constructor(pipeline: Pipeline, fetches: Fetches, clock: Clock) {
    this.#clock = clock;
    this.#pipeline = pipeline;
    this.#fetches = fetches;
  }

  /** The memory of the object under `key`. A spec of a new generation is checked against the schema. */
  of(key: string, object: KubernetesObject): KeyMemory {
    const { uid, generation, annotations } = object.metadata;
    const request = annotations?.[RECONCILE_REQUESTED_ANNOTATION];
    let memory = this.#memories.get(key);
    if (memory === undefined || memory.uid !== uid || memory.request !== request) {
      this.forget(key);
      memory = newMemory(uid, { request, sinceMs: this.#clock.elapsed() });
      this.#memories.set(key, memory);
    }
    if (memory.checked === undefined || memory.checked.generation !== generation) {
      const problems = this.#pipeline.kind.resource?.problems(object) ?? [];
      const texts = problems.map(({ path, message }) => `${path}: ${message}`);
      memory.checked = { generation, problems: texts.length === 0 ? NO_PROBLEMS : texts };
    }
    return memory;
  }

  /** Drops the memory of an object, and releases the objects that its reads had fetched. Returns whether there was one. */
  forget(key: string): boolean {
    const fetched = this.#memories.get(key)?.fetched.values() ?? [];
    for (const { kind, ref } of fetched) this.#fetches.release(kind, ref, readerOf(this.#pipeline, key));
    return this.#memories.delete(key);
  }
}
