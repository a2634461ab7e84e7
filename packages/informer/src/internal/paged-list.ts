/** A list of everything, page by page. */
import { isExpired, type KubernetesList, type KubernetesObject, orAborted } from "@treadle/apimachinery";
import { checkedKey, describe, type Source, versionOf } from "./source.ts";

export interface ListAllOptions<T> {
  readonly signal: AbortSignal;
  /** Called for each answer of the server, with what it says of how many objects there are from this page on. */
  readonly onPage: (objects: number | undefined) => void;
  /** What is kept of an object. */
  readonly take: (object: T) => Promise<T>;
}

/** Of JSON in a page: it is parsed in one piece, which takes some 3 ms, and held in memory as a whole. */
const PAGE_BYTES = 600_000;
/** Measured in each page, to know how many of the kind make one of that size. */
const SAMPLES = 8;

/** After so many expired continue tokens the list is asked for in one piece (client-go's pager: after the first). */
const MAX_EXPIRED = 2;

/**
 * Everything in `source` by key, of one version: when a continue token expires the list begins anew.
 * Without resourceVersion, because with `0` the server ignores the limit.
 */
export async function listAll<T extends KubernetesObject>(
  source: Source<T>,
  pageSize: number,
  { signal, onPage, take }: ListAllOptions<T>,
): Promise<{ readonly objects: ReadonlyMap<string, T>; readonly version: string | undefined }> {
  for (let expired = 0; ; expired++) {
    const isPaged = expired < MAX_EXPIRED;
    const objects = new Map<string, T>();
    let token = "";
    let limit = pageSize;
    try {
      for (;;) {
        const page = await orAborted(
          source.list({ ...(isPaged ? { limit } : {}), ...(token === "" ? {} : { continue: token }), signal }),
          signal,
        );
        const items = itemsOf(page, source);
        limit = Math.min(pageSize, objectsOf(PAGE_BYTES, items) ?? limit);
        const remaining = (page.metadata?.continue ?? "") === "" ? 0 : page.metadata?.remainingItemCount;
        onPage(remaining === undefined ? undefined : items.length + remaining);
        for (const object of items) objects.set(checkedKey(object, source), await take(object));
        token = page.metadata?.continue ?? "";
        if (token === "") return { objects, version: versionOf(page) };
      }
    } catch (error) {
      if (!isExpired(error) || token === "" || expired >= MAX_EXPIRED) throw error;
    }
  }
}

/** Go writes a list that was never filled as null. */
function itemsOf<T extends KubernetesObject>(page: Partial<KubernetesList<T>> | null, source: Source<T>): readonly T[] {
  const items: unknown = page?.items;
  if (items === null) return [];
  if (!Array.isArray(items)) throw new Error(`the server answered the list of ${describe(source)} with something that has no items`);
  return items as readonly T[]; // each is checked as it is taken
}

/** How many objects like these are so many bytes of JSON. */
function objectsOf(bytes: number, items: readonly unknown[]): number | undefined {
  if (items.length === 0) return undefined;
  const step = Math.ceil(items.length / SAMPLES);
  const lengths = items.filter((_, i) => i % step === 0).map((item) => JSON.stringify(item).length);
  return Math.max(1, Math.floor((bytes * lengths.length) / lengths.reduce((sum, length) => sum + length)));
}
