/** What a reconciler remembers of its objects between passes; of an object that was made anew under an old name, nothing. */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { Fetches } from "../fetches.ts";
import { RECONCILE_REQUESTED_ANNOTATION } from "./names.ts";
import { type KeyMemory, newMemory } from "./pass-state.ts";
import type { Pipeline } from "./pipeline.ts";
import { readerOf } from "./resolve.ts";

/** Shared, since it is remembered of nearly every object. */
const NO_PROBLEMS: readonly string[] = [];

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

  /** The memory of the object under `key`; a spec of a generation that was not seen yet is checked against the schema. */
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

  /** What the object's reads had fetched is kept for others that name it, if any. */
  forget(key: string): void {
    const fetched = this.#memories.get(key)?.fetched.values() ?? [];
    for (const { kind, ref } of fetched) this.#fetches.release(kind, ref, readerOf(this.#pipeline, key));
    this.#memories.delete(key);
  }
}
