/** Lists of any length. They hold one page at a time. */
import { isApiError, isExpired, type Kind, type KubernetesList, type ObjectOf } from "@treadle/apimachinery";
import type { Client, ListOptions } from "./client.ts";

/** Options of {@link pages} and {@link items}. */
export interface PagesOptions extends Omit<ListOptions, "continue"> {
  /**
   * What happens when the reader is so slow that the server no longer has the version of the first page. `continue`: the other
   * pages are of a newer version. Every object that existed all the time is listed once. `throw`: an `ApiError` with
   * `isExpired`, for a reader that needs one version of all objects. @defaultValue "continue"
   */
  readonly onExpired?: "continue" | "throw";
}

/** Lists page by page. It requests each page when the one before was read, and holds one page. @throws ApiError */
export async function* pages<K extends Kind>(
  client: Client,
  kind: K,
  options: PagesOptions = {},
): AsyncGenerator<KubernetesList<ObjectOf<K>>, void, undefined> {
  const { resourceVersion, resourceVersionMatch, onExpired = "continue", ...rest } = options;
  let token: string | undefined;
  do {
    // The continue token names the version, and the server refuses both together.
    const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
    const given = { limit: PAGE_SIZE, ...rest, ...version } as ListOptions; // undefined is left out
    let page: KubernetesList<ObjectOf<K>>;
    try {
      page = await client.list(kind, given);
    } catch (error) {
      const next = isExpired(error) && isApiError(error) ? error.continueToken : undefined;
      // The server would refuse the same token forever.
      if (onExpired === "throw" || token === undefined || next === undefined || next === token) throw error;
      token = next;
      continue;
    }
    yield page;
    token = page.metadata.continue;
  } while (token !== undefined && token !== "");
}

/** Lists object by object. It holds one page; see {@link pages}. */
export async function* items<K extends Kind>(
  client: Client,
  kind: K,
  options: PagesOptions = {},
): AsyncGenerator<ObjectOf<K>, void, undefined> {
  for await (const page of pages(client, kind, options)) yield* page.items;
}

/** A page of objects of 5 KB is parsed in about 10 ms, so it does not block the process for longer. */
const PAGE_SIZE = 250;
