/**
 * The memory of a reconciler for its objects between passes, in this process only. The memory of an object is dropped with its uid,
 * and by a new value of the annotation that requests a pass.
 */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "../env.ts";
import type { Fetches } from "../fetches.ts";
import type { KindWatches } from "../kind-watch.ts";
import type { Heartbeats } from "./heartbeats.ts";
import { RECONCILE_REQUESTED_ANNOTATION } from "../build/names.ts";
import type { Pipeline } from "../build/pipeline.ts";
import { type GaugeMemory, removeObjectGauges } from "./object-gauges.ts";
import { type Held, readerOf } from "./held.ts";
import type { Waiting } from "./progress.ts";
import type { References } from "./references.ts";
import type { Throttle } from "../internal/throttle.ts";

/** The memory of one object. */
export interface KeyMemory extends GaugeMemory {
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
  /** The time when each step began to fail transiently, by its name and `clock.elapsed()`. */
  transientSinceMs?: ReadonlyMap<string, number>;
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

/** Drops the memories of steps and extensions, and disposes of those of extensions. */
export function dropSlots(memory: KeyMemory): void {
  const { slots } = memory;
  delete memory.slots;
  for (const [name, slot] of slots ?? []) if (name.startsWith(EXTENSION)) (slot as Partial<Disposable>)[Symbol.dispose]?.();
}

const EXTENSION = "extension ";

/** Returns the memory of one extension, made at its first use. */
export function extensionSlotOf(memory: KeyMemory, name: string, make: () => object): object {
  return slotOf(memory, EXTENSION + name, make);
}

/** Shared, since nearly every object has none. */
const NO_PROBLEMS: readonly string[] = [];

/** What the memories of a reconciler release with an object, and its clock. */
export interface MemoryServices {
  readonly fetches: Fetches;
  readonly references: References;
  readonly clock: Clock;
  /** The watches of kinds that are known only at run time, if the operator has them. */
  readonly watches?: KindWatches | undefined;
  /** The metrics of extensions. */
  readonly metrics: Pick<ReconcilerEnv, "measure">;
}

/** The memories of all objects of a reconciler. */
export class Memories {
  readonly #pipeline: Pipeline;
  readonly #fetches: Fetches;
  readonly #references: References;
  readonly #clock: Clock;
  readonly #watches: KindWatches | undefined;
  readonly #metrics: Pick<ReconcilerEnv, "measure">;
  readonly #memories = new Map<string, KeyMemory>();

  constructor(pipeline: Pipeline, { fetches, references, clock, watches, metrics }: MemoryServices) {
    this.#references = references;
    this.#clock = clock;
    this.#watches = watches;
    this.#metrics = metrics;
    this.#pipeline = pipeline;
    this.#fetches = fetches;
  }

  /** Returns the memory of the object with `key`. Checks the spec of a new generation against the schema. */
  of(key: string, object: KubernetesObject): KeyMemory {
    const { uid, generation, annotations } = object.metadata;
    const request = annotations?.[RECONCILE_REQUESTED_ANNOTATION];
    let memory = this.#memories.get(key);
    if (memory === undefined || memory.uid !== uid || memory.request !== request) {
      // The parts of an object stay in gauges until its next pass sets them.
      const gauges = memory?.uid === uid ? memory?.gauges : undefined;
      if (memory !== undefined && gauges !== undefined) delete memory.gauges;
      this.forget(key);
      memory = newMemory(uid, { request, sinceMs: this.#clock.elapsed() });
      if (gauges !== undefined) memory.gauges = gauges;
      this.#memories.set(key, memory);
    }
    if (memory.checked === undefined || memory.checked.generation !== generation) {
      const problems = this.#pipeline.kind.resource?.problems(object) ?? [];
      const texts = problems.map(({ path, message }) => `${path}: ${message}`);
      memory.checked = { generation, problems: texts.length === 0 ? NO_PROBLEMS : texts };
    }
    return memory;
  }

  /**
   * Drops the memory of an object, and releases what it holds: objects that its reads named, watches, and memories of steps and
   * extensions that can be disposed of. Returns whether there was a memory.
   */
  forget(key: string): boolean {
    this.#references.forget(key);
    const memory = this.#memories.get(key);
    const fetched = memory?.fetched.values() ?? [];
    for (const { kind, ref } of fetched) this.#fetches.release(kind, ref, readerOf(this.#pipeline, key));
    for (const ids of memory?.watches?.values() ?? []) for (const id of ids) this.#watches?.release(id, key);
    if (memory !== undefined) {
      removeObjectGauges(memory, this.#metrics);
      dropSlots(memory);
    }
    return this.#memories.delete(key);
  }
}
