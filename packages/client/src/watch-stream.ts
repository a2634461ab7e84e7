/**
 * The events of a watch, from chunks of newline-delimited JSON.
 */
import { AbortableWaits, type ApiResponse } from "@treadle/apimachinery";
import type { WatchEvent } from "./client.ts";
import { ConnectionError } from "./connection-error.ts";
import { callError } from "./failure.ts";
import { isFields } from "./status.ts";

const TYPES: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** Longest event: ten times the largest object of etcd, 1.5 MiB (`--max-request-bytes`). A longer line would fill the memory. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/** Splits chunks into lines, without blank lines. A line may span any number of chunks. */
class LineSplitter {
  #parts: string[] = [];
  #length = 0;

  /** The lines that end in this chunk. @throws ConnectionError for a line that is too long */
  *take(chunk: string): Generator<string, void, undefined> {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const line = this.#parts.length === 0 ? chunk.slice(start, end) : this.rest() + chunk.slice(start, end);
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    if (start === chunk.length) return;
    this.#parts.push(chunk.slice(start));
    this.#length += chunk.length - start;
    if (this.#length <= MAX_LINE_CHARACTERS) return;
    const message = `the stream holds a line of more than ${MAX_LINE_CHARACTERS} characters, which is not a watch event`;
    throw new ConnectionError({ code: "ERR_INVALID_RESPONSE", message });
  }

  /** A last line without a line end. The parser finds out whether it is complete. */
  rest(): string {
    const rest = this.#parts.join("");
    this.#parts = [];
    this.#length = 0;
    return rest;
  }
}

/**
 * The events of an open watch. It ends when the server ends the stream, and leaving the loop closes the stream.
 * @throws the signal's reason on abort; ConnectionError when the connection breaks, an event is cut, or a line is not an event
 */
export async function* watchEvents<T>(
  response: ApiResponse,
  options: {
    readonly target: string;
    readonly signal: AbortSignal | undefined;
    readonly server: string | undefined;
    /** Makes lines smaller before they are parsed. */
    readonly cut?: ((line: string) => string) | undefined;
    /** Makes objects smaller. */
    readonly reduce?: ((object: T) => T) | undefined;
  },
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { target, signal, server, cut, reduce } = options;
  const read = (line: string): WatchEvent<T> => {
    const event = parse<T>(cut?.(line) ?? line, server);
    return reduce === undefined || event.type === "BOOKMARK" || event.type === "ERROR" ? event : { ...event, object: reduce(event.object) };
  };
  const splitter = new LineSplitter();
  try {
    for await (const chunk of untilAborted(response.stream ?? once(response.body), signal))
      for (const line of splitter.take(chunk)) {
        signal?.throwIfAborted();
        yield read(line);
      }
    const rest = splitter.rest();
    if (rest.trim() !== "") yield read(rest);
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw callError({ verb: "watch", target }, cause, server);
  }
}

function parse<T>(line: string, server: string | undefined): WatchEvent<T> {
  let event: unknown;
  try {
    event = JSON.parse(line);
  } catch {
    // The message of the parser would quote the object.
    const message = `the stream of ${server ?? "the server"} was cut inside an event of ${line.length} characters`;
    throw new ConnectionError({ code: "ERR_STREAM_TRUNCATED", server, message });
  }
  if (isFields(event) && TYPES.has(event["type"]) && isFields(event["object"])) {
    // A bookmark has metadata as well, for its version.
    if (event["type"] === "ERROR" || isFields(event["object"]["metadata"])) {
      return event as unknown as WatchEvent<T>; // as the API of the server promises
    }
  }
  const message = `the stream of ${server ?? "the server"} holds a line of ${line.length} characters that is not a watch event`;
  throw new ConnectionError({ code: "ERR_INVALID_RESPONSE", server, message });
}

/** A complete body as one chunk. */
export async function* once(body: string): AsyncGenerator<string, void, undefined> {
  yield body;
}

/** The same chunks. It throws as soon as the signal is aborted, also while the source is silent. */
export async function* untilAborted(
  source: AsyncIterable<string>,
  signal: AbortSignal | undefined,
): AsyncGenerator<string, void, undefined> {
  const iterator = source[Symbol.asyncIterator]();
  const waits = new AbortableWaits(signal);
  let isFinished = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await waits.until(iterator.next());
      if (next.done === true) {
        isFinished = true;
        return;
      }
      yield next.value;
    }
  } catch (error) {
    isFinished = signal?.aborted !== true;
    throw error;
  } finally {
    waits.end();
    // Not awaited, since a source that hangs in next() answers return() only after that.
    if (!isFinished) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
