/** The fetched objects that the reads of an object hold between its passes. */
import { groupKindOf, keyOf, type Ref } from "@treadle/apimachinery";
import { refsOfRead } from "../read-refs.ts";
import type { AnyRead, OneRead, SeveralRead } from "../reads.ts";
import { type Held, readerOf } from "../record/held.ts";
import { NOTHING_FETCHED } from "../record/memory.ts";
import type { Pass } from "../record/pass-state.ts";

/** Holds the fetched objects that the reads of this object name, and releases those that they no longer name. */
export function holdFetched(pass: Pass): void {
  const { fetches, memory, pipeline } = pass;
  const held = new Map<string, Held>();
  for (const { reads } of pipeline.leaves) {
    for (const read of Object.values(reads).filter(isFetched)) {
      for (const ref of heldBy(pass, read)) held.set(`${groupKindOf(read.kind)} ${keyOf(ref)}`, { kind: read.kind, ref });
    }
  }
  const reader = readerOf(pipeline, keyOf(pass.object.metadata));
  for (const { kind, ref } of held.values()) fetches.hold(kind, ref, reader);
  for (const [id, { kind, ref }] of memory.fetched) if (!held.has(id)) fetches.release(kind, ref, reader);
  memory.fetched = held.size === 0 ? NOTHING_FETCHED : held;
}

/** Whether the read asks the server for the whole object. */
function isFetched(read: AnyRead): read is OneRead | SeveralRead {
  return read.type !== "many" && read.source === "fetch";
}

/** Nothing where the author's function throws: the step that reads it has failed by that. */
function heldBy(pass: Pass, read: OneRead | SeveralRead): readonly Ref[] {
  if (read.type === "one" && read.through !== undefined) {
    const ref = pass.references.named(keyOf(pass.object.metadata), read);
    return ref === undefined ? [] : [ref];
  }
  try {
    return refsOfRead(read, pass.object);
  } catch {
    return [];
  }
}
