/**
 * Fetches: the whole objects of kinds of which the cache holds metadata only, such as Secrets. Each version is fetched
 * once, however many passes want it, and kept as long as some primary's read names the object.
 *
 * Guarantees
 * - What is returned is the version that the cache knows, or a newer one; never an older one.
 * - The response of a write of ours counts as the fetch of its version.
 * - A fetch that fails is forgotten: the next pass tries again.
 */
import { apiVersionOf, compareResourceVersions, keyOf, type Kind, type KubernetesObject, orAborted, type Ref } from "@treadle/apimachinery";

/** Asks the server. `undefined`: there is no such object. */
export type Fetch = (signal: AbortSignal) => Promise<KubernetesObject | undefined>;

/** Keeps the objects that passes fetch because no cache holds them. */
export class Fetches {
  readonly #entries = new Map<string, Entry>();

  /** The object in the version of `known`, its metadata, or a newer one, if it was fetched already. */
  peek(kind: Kind, known: KubernetesObject): KubernetesObject | undefined {
    const fetched = this.#entries.get(idOf(kind, known.metadata))?.object;
    return fetched !== undefined && !isOlder(fetched, known) ? fetched : undefined;
  }

  /** The same, by a GET where it was not. @throws what `fetch` throws, and the signal's reason */
  async get(kind: Kind, known: KubernetesObject, given: { readonly fetch: Fetch; readonly signal: AbortSignal }): Promise<unknown> {
    const id = idOf(kind, known.metadata);
    for (let attempts = 1; ; attempts++) {
      const fetched = this.peek(kind, known);
      if (fetched !== undefined) return fetched;
      const entry = this.#entries.get(id) ?? this.#made(id);
      const isJoined = entry.pending !== undefined;
      entry.pending ??= new Pending(given.fetch, (ended) => {
        // One that was aborted ends when another may have begun.
        if (entry.pending === ended) entry.pending = undefined;
      });
      const object = await entry.pending.wait(given.signal);
      // One that began before the cache knew of this version may answer with what was before it; the one after that did not.
      if (object === undefined && (!isJoined || attempts > 1)) return undefined;
      if (object !== undefined && !isOlder(object, known)) return this.#kept(entry, kind, object);
      if (attempts === MAX_ATTEMPTS)
        throw new Error(`cannot get ${kind.kind} ${keyOf(known.metadata)}: the server answers with an older version than its watch`);
    }
  }

  /** `reader` names the object: it is kept until it is {@link release}d by all that hold it. */
  hold(kind: Kind, ref: Ref, reader: string): void {
    const id = idOf(kind, ref);
    (this.#entries.get(id) ?? this.#made(id)).readers.add(reader);
  }

  /** Ends the interest of `reader` in the object. */
  release(kind: Kind, ref: Ref, reader: string): void {
    const id = idOf(kind, ref);
    const entry = this.#entries.get(id);
    entry?.readers.delete(reader);
    if (entry?.readers.size === 0) this.#entries.delete(id);
  }

  /** The response of a write of ours; of no interest where nobody reads the object. */
  wrote(kind: Kind, object: KubernetesObject): void {
    const entry = this.#entries.get(idOf(kind, object.metadata));
    if (entry !== undefined && (entry.object === undefined || !isOlder(object, entry.object))) this.#kept(entry, kind, object);
  }

  /** It is gone, or about to go: what was fetched does not count any more. */
  removed(kind: Kind, ref: Ref): void {
    const entry = this.#entries.get(idOf(kind, ref));
    if (entry !== undefined) entry.object = undefined;
  }

  /** How many objects are kept. */
  get size(): number {
    let size = 0;
    for (const { object } of this.#entries.values()) if (object !== undefined) size++;
    return size;
  }

  #made(id: string): Entry {
    const entry: Entry = { readers: new Set(), object: undefined, pending: undefined };
    this.#entries.set(id, entry);
    return entry;
  }

  #kept(entry: Entry, kind: Kind, object: KubernetesObject): KubernetesObject {
    if (entry.object === undefined || isOlder(entry.object, object)) entry.object = frozen(kind, object);
    return entry.object;
  }
}

interface Entry {
  /** Who reads it; an object that nobody reads any more is not kept. */
  readonly readers: Set<string>;
  object: KubernetesObject | undefined;
  pending: Pending | undefined;
}

/** The GET began before the watch told of this version: asked again, the server can only be older if it is broken. */
const MAX_ATTEMPTS = 3;

/** One GET for all who want it; it ends when the last of them does not wait any more. */
class Pending {
  readonly #abort = new AbortController();
  readonly #answer: Promise<KubernetesObject | undefined>;
  readonly #ended: () => void;
  #waiting = 0;

  constructor(fetch: Fetch, ended: (self: Pending) => void) {
    this.#ended = () => ended(this);
    this.#answer = fetch(this.#abort.signal).finally(this.#ended);
    this.#answer.catch(() => undefined); // Whoever waits hears of it.
  }

  async wait(signal: AbortSignal): Promise<KubernetesObject | undefined> {
    signal.throwIfAborted();
    this.#waiting++;
    try {
      return await orAborted(this.#answer, signal);
    } finally {
      this.#waiting--;
      if (this.#waiting === 0 && signal.aborted) {
        this.#ended(); // Nobody joins a GET that is being aborted.
        this.#abort.abort(signal.reason);
      }
    }
  }
}

function isOlder(a: KubernetesObject, b: KubernetesObject): boolean {
  const [left, right] = [a.metadata.resourceVersion, b.metadata.resourceVersion];
  // Versions that have no order can only be the same.
  return (compareResourceVersions(left, right) ?? (left === right ? 0 : -1)) < 0;
}

/** As in the cache: complete, without managedFields, read-only; a copy, since the response of a write is its writer's. */
function frozen(kind: Kind, { metadata, ...rest }: KubernetesObject): KubernetesObject {
  const { managedFields: _, ...kept } = metadata;
  return deepFreeze(structuredClone({ ...rest, apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: kept }));
}

/** Makes plain JSON read-only, in place. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  for (const inner of Object.values(value)) deepFreeze(inner);
  return Object.freeze(value);
}

function idOf(kind: Kind, { name, namespace }: Ref): string {
  return `${apiVersionOf(kind)}/${kind.kind} ${keyOf(kind.scope === "Cluster" || namespace === undefined ? { name } : { name, namespace })}`;
}
