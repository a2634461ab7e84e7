/**
 * The events of a watch, from chunks of newline-delimited JSON.
 */
import { type ApiResponse, orAborted } from "@treadle/apimachinery";
import type { WatchEvent } from "./client.ts";
import { ConnectionError } from "./connection-error.ts";
import { callError } from "./failure.ts";
import { isFields } from "./status.ts";

const TYPES: ReadonlySet<unknown> = new Set(["ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"]);

/** Longest event: ten times the largest object of etcd, 1.5 MiB (`--max-request-bytes`). A longer line would fill the memory. */
const MAX_LINE_CHARACTERS = 16 * 1024 * 1024;

/**
 * The lines of `chunks`, without blank lines. A last line without a line end is included; the parser finds out whether it is
 * complete. A line may span any number of chunks.
 */
async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let parts: string[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      const line = parts.length === 0 ? chunk.slice(start, end) : parts.join("") + chunk.slice(start, end);
      parts = [];
      length = 0;
      start = end + 1;
      if (line.trim() !== "") yield line;
    }
    if (start === chunk.length) continue;
    parts.push(chunk.slice(start));
    length += chunk.length - start;
    if (length > MAX_LINE_CHARACTERS) {
      const message = `the stream holds a line of more than ${MAX_LINE_CHARACTERS} characters, which is not a watch event`;
      throw new ConnectionError({ code: "ERR_INVALID_RESPONSE", message });
    }
  }
  const rest = parts.join("");
  if (rest.trim() !== "") yield rest;
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
  },
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  const { target, signal, server, cut } = options;
  const source = response.stream ?? once(response.body);
  try {
    for await (const line of lines(untilAborted(source, signal))) {
      signal?.throwIfAborted();
      yield parse<T>(cut?.(line) ?? line, server);
    }
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
  let isFinished = false;
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await orAborted(iterator.next(), signal);
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
    // Not awaited, since a source that hangs in next() answers return() only after that.
    if (!isFinished) void Promise.resolve(iterator.return?.()).catch(() => {});
  }
}
