/** Reads a whole list, page by page. */
import { isExpired, type KubernetesList, type KubernetesObject, orAborted } from "@treadle/apimachinery";
import { checkedKey, describe, type Source, versionOf } from "./source.ts";

/** The options of {@link listAll}. */
export interface ListAllOptions<T> {
  /** Ends the list when aborted. */
  readonly signal: AbortSignal;
  /** Called before the first page, again when the list begins again. */
  readonly onBegin: () => void;
  /** Called for each page, with the number of objects from this page on, if the server reports it. */
  readonly onPage: (objects: number | undefined) => void;
  /** Prepares an object for the store. */
  readonly take: (object: T) => Promise<T>;
}

/**
 * Size of the objects of one page, as JSON. The text of a page of metadata is some three times as large, with its managedFields. A page is
 * parsed in one piece, which takes some 3 ms. Two pages are in memory at once.
 */
const PAGE_BYTES = 600_000;
/** The first page is small, since nothing is known of the size of its objects: 100 objects of 6 KB are {@link PAGE_BYTES}. */
const FIRST_PAGE = 100;
/** Objects measured on each page, to find the number of objects for that size. */
const SAMPLES = 8;

/** Number of expired continue tokens after which the list is requested in one piece (client-go's pager: one). */
const MAX_EXPIRED = 2;

/**
 * Returns all objects of `source` by key, in one version. When a continue token expires, the list begins again. The requests
 * have no resourceVersion, because with `0` the server ignores the limit.
 */
export async function listAll<T extends KubernetesObject>(
  source: Source<T>,
  pageSize: number,
  { signal, onBegin, onPage, take }: ListAllOptions<T>,
): Promise<{ readonly objects: ReadonlyMap<string, T>; readonly version: string | undefined }> {
  for (let expired = 0; ; expired++) {
    const isPaged = expired < MAX_EXPIRED;
    onBegin();
    const objects = new Map<string, T>();
    let token = "";
    let limit = Math.min(pageSize, FIRST_PAGE);
    const request = (from: string, limited: number): Promise<Partial<KubernetesList<T>> | null> => {
      const options = { ...(isPaged ? { limit: limited } : {}), ...(from === "" ? {} : { continue: from }), signal };
      return orAborted(source.list(options), signal);
    };
    let next = request(token, limit);
    try {
      for (;;) {
        const page = await next;
        const items = itemsOf(page, source);
        limit = Math.min(pageSize, objectsOf(PAGE_BYTES, items) ?? limit);
        token = page?.metadata?.continue ?? "";
        const remaining = token === "" ? 0 : page?.metadata?.remainingItemCount;
        onPage(remaining === undefined ? undefined : items.length + remaining);
        // The server makes the next page while the objects of this one are taken.
        if (token !== "") {
          next = request(token, limit);
          // It is awaited below, unless an object of this page is refused. Then the signal of the list is aborted, which ends the request.
          next.catch(() => undefined);
        }
        for (const object of items) objects.set(checkedKey(object, source), await take(object));
        if (token === "") return { objects, version: versionOf(page) };
      }
    } catch (error) {
      if (!isExpired(error) || token === "" || expired >= MAX_EXPIRED) throw error;
    }
  }
}

/** Returns the items of a page. Go writes an empty list as null. */
function itemsOf<T extends KubernetesObject>(page: Partial<KubernetesList<T>> | null, source: Source<T>): readonly T[] {
  const items: unknown = page?.items;
  if (items === null) return [];
  if (!Array.isArray(items))
    throw new Error(`the response to the list of ${describe(source)} has no items: a proxy may have answered in place of the API server`);
  return items as readonly T[]; // checkedKey checks each of them
}

/** Number of objects of this size in so many bytes of JSON. */
function objectsOf(bytes: number, items: readonly unknown[]): number | undefined {
  if (items.length === 0) return undefined;
  const step = Math.ceil(items.length / SAMPLES);
  const lengths = items.filter((_, i) => i % step === 0).map((item) => JSON.stringify(item).length);
  return Math.max(1, Math.floor((bytes * lengths.length) / lengths.reduce((sum, length) => sum + length)));
}
