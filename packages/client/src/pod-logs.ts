/** The logs of a pod as they are written. */
import { orAborted, pathOf, type Ref } from "@treadle/apimachinery";
import { Pod } from "@treadle/apimachinery/kinds";
import type { Client } from "./client.ts";
import { isConnectionError } from "./connection-error.ts";
import { apiError, callError } from "./failure.ts";
import { queryOf } from "./query.ts";
import { objectTarget } from "./target.ts";
import { once, untilAborted } from "./watch-stream.ts";

export interface PodLogOptions {
  /** @defaultValue the only container; a pod of several refuses without it */
  readonly container?: string;
  /** Goes on with what is written from now on, until the container ends. @defaultValue false */
  readonly follow?: boolean;
  /** The last so many lines. @defaultValue all */
  readonly tailLines?: number;
  /** What was written since then. */
  readonly since?: Date | { readonly seconds: number };
  /** The logs of the container before its last restart. */
  readonly previous?: boolean;
  /** Begins each line with its time (RFC 3339). */
  readonly timestamps?: boolean;
  /** The server ends after about so many bytes, perhaps within a line. */
  readonly limitBytes?: number;
  /** Ends the logs; reading rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** A line that is longer comes in pieces, so that a program that writes no line ends does not fill the memory. */
export const MAX_LOG_LINE: number = 1024 * 1024;

/**
 * The lines of a container's log, without line ends. They are read from the connection as fast as the loop takes them. Nothing
 * is asked for before the first one is, and leaving the loop closes the connection. Ends when the server ends the log.
 * @throws ApiError for a pod or container that there is not, or that has not started; ConnectionError when the connection breaks
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
  if (since instanceof Date && Number.isNaN(since.getTime())) throw new TypeError("cannot read logs: since is no valid date");
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
