/**
 * The memory of a reconciler for its objects between passes, in this process only. The memory of an object is dropped with its uid,
 * and by a new value of the annotation that requests a pass.
 */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { Fetches } from "../fetches.ts";
import type { KindWatches } from "../kind-watch.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { RECONCILE_REQUESTED_ANNOTATION } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import { type Held, readerOf } from "./held.ts";
import type { Waiting } from "./progress.ts";
import type { Throttle } from "../internal/throttle.ts";

/** The memory of one object. */
export interface KeyMemory {
  readonly uid: string | undefined;
  /** The value of {@link RECONCILE_REQUESTED_ANNOTATION}; a new value drops the memory. */
  readonly request: string | undefined;
  /** The generation at which the spec was checked against the schema, and its problems. */
  checked: { readonly generation: number | undefined; readonly problems: readonly string[] } | undefined;
  readonly waiting: Waiting;
  /** The versions that steps wrote through `req.client` in the last pass; a repeated one is not progress. */
  written: ReadonlySet<string>;
  /** The memory of the guards of status writes; made for the first write. */
  guards?: StatusGuards;
  /** Made for the first pass that another writer ended. */
  heartbeats?: Heartbeats;
  /** The number of passes in a row in which a cleanup failed. */
  failedCleanups?: number;
  /** The time when this process first saw the object, by `clock.elapsed()`. */
  readonly sinceMs: number;
  /** The times when marks of a former name of the handler got the present one, by `clock.elapsed()`. */
  claimedAtMs?: Map<string, number>;
  /** The fetched objects that the reads of the last pass named. */
  fetched: ReadonlyMap<string, Held>;
  /** The ids of the kinds that steps watch by `req.watch`, by step; absent without any. */
  watches?: ReadonlyMap<string, ReadonlySet<string>> | undefined;
  /** The memories of steps and extensions, by name. */
  slots?: Map<string, object>;
}

/** The memory of the guards of status writes for an object. */
export interface StatusGuards {
  /** The part of our last status write that the server did not store: sending it again would change nothing. */
  notStored?: NotStored | undefined;
  /** The status that was stored last, and how often in a row. */
  repeated?: { readonly change: string; readonly throttle: Throttle | undefined } | undefined;
}

interface NotStored {
  /** The fingerprint of the patch that was not stored. */
  readonly change: string;
  /** The time until which it is not sent again, in the clock's milliseconds. */
  readonly untilMs: number;
  /** The fields that were not stored. */
  readonly fields: readonly string[];
}

/** Shared: an empty set or map is 200 bytes, and most objects would have several. */
export const NOTHING_WRITTEN: ReadonlySet<string> = new Set();
export const NOTHING_FETCHED: ReadonlyMap<string, Held> = new Map();

/** Makes the memory of an object that is new. */
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

/** Returns the memory of one step or extension, made at its first use. */
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
  readonly #watches: KindWatches | undefined;
  readonly #memories = new Map<string, KeyMemory>();

  constructor(pipeline: Pipeline, fetches: Fetches, { clock, watches }: { readonly clock: Clock; readonly watches?: KindWatches }) {
    this.#clock = clock;
    this.#watches = watches;
    this.#pipeline = pipeline;
    this.#fetches = fetches;
  }

  /** Returns the memory of the object with `key`. Checks the spec of a new generation against the schema. */
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

  /** Drops the memory of an object, and releases what it holds: fetched objects and watches. Returns whether there was a memory. */
  forget(key: string): boolean {
    const memory = this.#memories.get(key);
    const fetched = memory?.fetched.values() ?? [];
    for (const { kind, ref } of fetched) this.#fetches.release(kind, ref, readerOf(this.#pipeline, key));
    for (const ids of memory?.watches?.values() ?? []) for (const id of ids) this.#watches?.release(id, key);
    return this.#memories.delete(key);
  }
}
