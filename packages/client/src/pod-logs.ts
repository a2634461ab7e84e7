/** The logs of a pod, line by line. */
import { orAborted, pathOf, type Ref } from "@treadle/apimachinery";
import { Pod } from "@treadle/apimachinery/kinds";
import type { Client } from "./client.ts";
import { isConnectionError } from "./connection-error.ts";
import { apiError, callError } from "./failure.ts";
import { queryOf } from "./query.ts";
import { objectTarget } from "./target.ts";
import { once, untilAborted } from "./watch-stream.ts";

/** Options of {@link podLogs}. */
export interface PodLogOptions {
  /** Name of the container; required for a pod with several. @defaultValue the only container */
  readonly container?: string;
  /** Whether to continue with new lines until the container ends. @defaultValue false */
  readonly follow?: boolean;
  /** Number of lines, counted from the end of the log. @defaultValue all */
  readonly tailLines?: number;
  /** Time from which lines are read, or the seconds before now. @defaultValue the start of the log */
  readonly since?: Date | { readonly seconds: number };
  /** Whether to read the log of the container before its last restart. @defaultValue false */
  readonly previous?: boolean;
  /** Whether each line begins with its time (RFC 3339). @defaultValue false */
  readonly timestamps?: boolean;
  /** Approximate number of bytes after which the server ends the log, maybe inside a line. @defaultValue no limit */
  readonly limitBytes?: number;
  /** Ends the log. Reading rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Longest line, in characters. A longer one is split, so that a log without line ends does not fill the memory. */
export const MAX_LOG_LINE: number = 1024 * 1024;

/**
 * Reads the log of a container, line by line and without line ends. It reads from the connection as fast as the loop takes the
 * lines. It sends the request with the first line, and leaving the loop closes the connection. It ends when the server ends the log.
 * @throws ApiError when the pod or container does not exist or has not started; ConnectionError when the connection breaks
 */
export async function* podLogs(client: Client, pod: Ref, options: PodLogOptions = {}): AsyncGenerator<string, void, undefined> {
  const { signal } = options;
  const { text: target } = objectTarget("get", Pod, pod, "log");
  const about = { verb: "get", target, kind: Pod, subresource: "log" };
  const path = pathOf(Pod, { ...pod, subresource: "log" }) + logQuery(options);
  const response = await client.raw(
    { method: "GET", path, headers: { accept: "text/plain, application/json" }, stream: true, ...(signal === undefined ? {} : { signal }) },
    about,
  );
  const chunks = response.stream ?? once(response.body);
  if (response.status < 200 || response.status > 299)
    throw apiError({ ...about, nowMs: Date.now() }, response, await orAborted(beginningOf(chunks), signal));
  try {
    yield* linesOf(chunks, signal);
  } catch (cause) {
    if (signal?.aborted === true) throw signal.reason;
    throw isConnectionError(cause) ? callError(about, cause, undefined) : cause;
  }
}

function logQuery(options: PodLogOptions): string {
  const { container, follow, tailLines, since, previous, timestamps, limitBytes } = options;
  if (since instanceof Date && Number.isNaN(since.getTime()))
    throw new TypeError("cannot read logs: since is not a valid date; give a Date with a time, or { seconds }");
  return queryOf({
    container,
    follow,
    previous,
    timestamps,
    tailLines,
    limitBytes,
    ...(since instanceof Date ? { sinceTime: since.toISOString() } : { sinceSeconds: since?.seconds }),
  });
}

async function* linesOf(chunks: AsyncIterable<string>, signal: AbortSignal | undefined): AsyncGenerator<string, void, undefined> {
  let rest = "";
  for await (const chunk of untilAborted(chunks, signal)) {
    let start = 0;
    for (let end = chunk.indexOf("\n"); end >= 0; end = chunk.indexOf("\n", start)) {
      yield withoutReturn(rest + chunk.slice(start, end));
      signal?.throwIfAborted();
      rest = "";
      start = end + 1;
    }
    rest += chunk.slice(start);
    while (rest.length >= MAX_LOG_LINE) {
      yield rest.slice(0, MAX_LOG_LINE);
      rest = rest.slice(MAX_LOG_LINE);
    }
  }
  if (rest !== "") yield withoutReturn(rest);
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}

const MAX_ERROR_CHARACTERS = 64 * 1024;

async function beginningOf(chunks: AsyncIterable<string>): Promise<string> {
  let text = "";
  for await (const chunk of chunks) {
    text += chunk;
    if (text.length > MAX_ERROR_CHARACTERS) break;
  }
  return text;
}
