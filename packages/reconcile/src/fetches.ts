/**
 * Fetches keep whole objects of kinds that are cached as metadata, such as Secrets. Each version is fetched once for any number
 * of passes, and kept as long as the read of some primary names the object.
 *
 * Guarantees
 * - The returned version is the one that the cache knows, or a newer one; never an older one.
 * - The response of our own write counts as the fetch of its version.
 * - A failed fetch is dropped, and the next pass tries again.
 */
import { apiVersionOf, compareResourceVersions, keyOf, type Kind, type KubernetesObject, orAborted, type Ref } from "@treadle/apimachinery";

/** A fetch gets an object from the server; `undefined` if it does not exist. */
export type Fetch = (signal: AbortSignal) => Promise<KubernetesObject | undefined>;

/** Fetches keep the objects that passes get from the server because no cache holds them. */
export class Fetches {
  readonly #entries = new Map<string, Entry>();

  /** Returns the object, if it was fetched in the version of `known` (its metadata) or a newer one. */
  peek(kind: Kind, known: KubernetesObject): KubernetesObject | undefined {
    const fetched = this.#entries.get(idOf(kind, known.metadata))?.object;
    return fetched !== undefined && !isOlder(fetched, known) ? fetched : undefined;
  }

  /** Returns the object as {@link peek} does, or gets it from the server. @throws the error of `fetch`, or the signal's reason */
  async get(kind: Kind, known: KubernetesObject, given: { readonly fetch: Fetch; readonly signal: AbortSignal }): Promise<unknown> {
    const id = idOf(kind, known.metadata);
    for (let attempts = 1; ; attempts++) {
      const fetched = this.peek(kind, known);
      if (fetched !== undefined) return fetched;
      const entry = this.#entries.get(id) ?? this.#made(id);
      const isJoined = entry.pending !== undefined;
      entry.pending ??= new Pending(given.fetch, (ended) => {
        // Another GET may have begun before an aborted one ends.
        if (entry.pending === ended) entry.pending = undefined;
      });
      const object = await entry.pending.wait(given.signal);
      // A GET that began before the cache knew this version may answer with an older state; the next GET cannot.
      if (object === undefined && (!isJoined || attempts > 1)) return undefined;
      if (object !== undefined && !isOlder(object, known)) return this.#kept(entry, kind, object);
      if (attempts === MAX_ATTEMPTS)
        throw new Error(`cannot get ${kind.kind} ${keyOf(known.metadata)}: the server answers with an older version than its watch`);
    }
  }

  /** Holds the object for `reader`. It is kept until all its readers {@link release} it. */
  hold(kind: Kind, ref: Ref, reader: string): void {
    const id = idOf(kind, ref);
    (this.#entries.get(id) ?? this.#made(id)).readers.add(reader);
  }

  /** Releases the object for `reader`. */
  release(kind: Kind, ref: Ref, reader: string): void {
    const id = idOf(kind, ref);
    const entry = this.#entries.get(id);
    entry?.readers.delete(reader);
    if (entry?.readers.size === 0) this.#entries.delete(id);
  }

  /** Notes the response of our own write, if some reader holds the object. */
  wrote(kind: Kind, object: KubernetesObject): void {
    const entry = this.#entries.get(idOf(kind, object.metadata));
    if (entry !== undefined && (entry.object === undefined || !isOlder(object, entry.object))) this.#kept(entry, kind, object);
  }

  /** Drops a fetched object that is deleted or being deleted. */
  removed(kind: Kind, ref: Ref): void {
    const entry = this.#entries.get(idOf(kind, ref));
    if (entry !== undefined) entry.object = undefined;
  }

  /** The number of objects that are kept. */
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
  /** The readers of the object; an object without readers is not kept. */
  readonly readers: Set<string>;
  object: KubernetesObject | undefined;
  pending: Pending | undefined;
}

/** A GET may begin before the watch delivers this version. A repeated GET returns an older version only from a broken server. */
const MAX_ATTEMPTS = 3;

/** One GET for all passes that wait for it. It is aborted when no pass waits for it. */
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
