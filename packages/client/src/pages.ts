/** Lists of any length without holding more than one page. */
import type { Kind, KubernetesList, ObjectOf } from "@treadle/apimachinery";
import type { Client, ListOptions } from "./client.ts";

/**
 * The pages of one consistent list, each asked for when the last one was used up. Holds never more than one.
 * @throws ApiError `isExpired` when the pages are used up so slowly that the server forgot the list: begin again.
 */
export async function* pages<K extends Kind>(
  client: Client,
  kind: K,
  options: Omit<ListOptions, "continue"> = {},
): AsyncGenerator<KubernetesList<ObjectOf<K>>, void, undefined> {
  const { resourceVersion, resourceVersionMatch, ...rest } = options;
  let token: string | undefined;
  do {
    // Once a list was begun its token says which version it is of; the server refuses both together.
    const version = token === undefined ? { resourceVersion, resourceVersionMatch } : { continue: token };
    const page: KubernetesList<ObjectOf<K>> = await client.list(kind, { limit: PAGE_SIZE, ...rest, ...version } as ListOptions); // undefined is left out
    yield page;
    token = page.metadata.continue;
  } while (token !== undefined && token !== "");
}

/** Parses in about 10 ms for objects of 5 KB, so that nothing else has to wait for longer. */
const PAGE_SIZE = 250;
