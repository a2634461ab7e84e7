/** Lists of any length without holding more than one page. */
import { isApiError, isExpired, type Kind, type KubernetesList, type ObjectOf } from "@treadle/apimachinery";
import type { Client, ListOptions } from "./client.ts";

export interface PagesOptions extends Omit<ListOptions, "continue"> {
  /**
   * What to do when the pages are used up so slowly that the server forgot the state of the first one. `continue`: the rest
   * comes as it is by then: every object that was there all the time is given once, others may be. `throw`: an `ApiError`
   * with `isExpired`; for who needs one state of all, and begins again. @defaultValue "continue"
   */
  readonly onExpired?: "continue" | "throw";
}

/** The pages of one list, each asked for when the last one was used up. Holds never more than one. @throws ApiError */
export async function* pages<K extends Kind>(
  client: Client,
  kind: K,
  options: PagesOptions = {},
): AsyncGenerator<KubernetesList<ObjectOf<K>>, void, undefined> {
  const { resourceVersion, resourceVersionMatch, onExpired = "continue", ...rest } = options;
  let token: string | undefined;
  do {
    // Once a list was begun its token says which version it is of; the server refuses both together.
    const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
    const given = { limit: PAGE_SIZE, ...rest, ...version } as ListOptions; // undefined is left out
    let page: KubernetesList<ObjectOf<K>>;
    try {
      page = await client.list(kind, given);
    } catch (error) {
      const next = isExpired(error) && isApiError(error) ? error.continueToken : undefined;
      // The same token again would be refused again, for ever.
      if (onExpired === "throw" || token === undefined || next === undefined || next === token) throw error;
      token = next;
      continue;
    }
    yield page;
    token = page.metadata.continue;
  } while (token !== undefined && token !== "");
}

/** The objects of a list, one by one. Holds never more than one page; see {@link pages}. */
export async function* items<K extends Kind>(
  client: Client,
  kind: K,
  options: PagesOptions = {},
): AsyncGenerator<ObjectOf<K>, void, undefined> {
  for await (const page of pages(client, kind, options)) yield* page.items;
}

/** Parses in about 10 ms for objects of 5 KB, so that nothing else has to wait for longer. */
const PAGE_SIZE = 250;
