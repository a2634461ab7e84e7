/**
 * Limits how much a target can send for one list or one watch. A single answer has a limit of its own, but a hostile target can send pages
 * and events without end, and the watches keep them.
 */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { ConnectionError } from "@treadle/client";

/** Maximum size of all pages of a list, and of the events of a watch between two lists, in characters. */
const MAX_CHARACTERS = 256 * 1024 * 1024;
/** What a page counts at least, in characters, so that empty pages end too. */
const MIN_PAGE = 64 * 1024;

/** The sizes of the lists of one connection that are under way. */
export class AnswerSizes {
  readonly #max: number;
  /** The characters of the pages so far, by the path of the list. */
  readonly #lists = new Map<string, number>();

  constructor(max: number = MAX_CHARACTERS) {
    this.#max = max;
  }

  /** Counts an answer, and returns it. @throws ConnectionError for a list that is too long */
  counted(request: ApiRequest, answer: ApiResponse): ApiResponse {
    if (answer.stream !== undefined) return { ...answer, stream: this.#counting(answer.stream) };
    if (request.method === "GET") this.#addPage(request.path, answer.body);
    return answer;
  }

  #addPage(path: string, body: string): void {
    const [resource = "", query] = path.split("?");
    const parameters = new URLSearchParams(query);
    const isNext = parameters.has("continue");
    const hasMore = body.includes('"continue"');
    if (!isNext && !hasMore) return;
    parameters.delete("continue");
    parameters.delete("limit");
    const key = `${resource}?${parameters.toString()}`;
    const size = (isNext ? (this.#lists.get(key) ?? 0) : 0) + Math.max(body.length, MIN_PAGE);
    if (hasMore && size <= this.#max) this.#lists.set(key, size);
    else this.#lists.delete(key);
    if (size > this.#max) throw tooMuch("a list");
  }

  /** No generator: the end of one waits for its source. */
  #counting(stream: AsyncIterable<string>): AsyncIterable<string> {
    return {
      [Symbol.asyncIterator]: () => {
        const chunks = stream[Symbol.asyncIterator]();
        const end = async (): Promise<IteratorResult<string>> => (await chunks.return?.()) ?? { done: true, value: undefined };
        let size = 0;
        const next = async (): Promise<IteratorResult<string>> => {
          const chunk = await chunks.next();
          size += chunk.done === true ? 0 : chunk.value.length;
          if (size <= this.#max) return chunk;
          await end();
          throw tooMuch("a watch");
        };
        return { next, return: end };
      },
    };
  }
}

function tooMuch(what: string): ConnectionError {
  return new ConnectionError({ code: "ERR_INVALID_RESPONSE", message: `the target cluster sends too much in answer to ${what}` });
}
