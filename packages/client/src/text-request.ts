/**
 * One request over a dispatcher of undici whose answer is text. undici's own `request()` makes a stream, an async resource and
 * several promises for each answer. This handler has a list of chunks instead: with it, and with the parts of the URL made once, a
 * request takes 143 us in place of 178 (docs/benchmarks.md, Causes). Watches need a stream, so they use `request()`.
 */
import type { Dispatcher } from "undici";

/** A whole answer. */
export interface TextAnswer {
  readonly status: number;
  /** Headers by lower-case name; repeated ones are joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Sends a request and reads its answer, of any status.
 * @throws the error of undici, or the signal's reason
 */
export function requestText(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | undefined,
): Promise<TextAnswer> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    dispatcher.dispatch(options, new TextHandler({ resolve, reject, signal }));
  });
}

interface TextHandlerOptions {
  readonly resolve: (answer: TextAnswer) => void;
  readonly reject: (error: unknown) => void;
  readonly signal: AbortSignal | undefined;
}

class TextHandler implements Dispatcher.DispatchHandler {
  readonly #options: TextHandlerOptions;
  readonly #onAbort = (): void => this.#controller?.abort(this.#options.signal?.reason as Error); // undici passes any reason on
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: TextAnswer["headers"] = {};
  #chunks: Buffer[] = [];

  constructor(options: TextHandlerOptions) {
    this.#options = options;
    options.signal?.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** May be called again for a request that undici sends on another connection. */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    this.#chunks = [];
    // Aborted while it waited for a connection.
    if (this.#options.signal?.aborted === true) this.#onAbort();
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return; // Information, such as 103; the answer follows.
    this.#status = status;
    this.#headers = flatten(headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#options.resolve({ status: this.#status, headers: this.#headers, body: textOf(this.#chunks) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#options.signal?.removeEventListener("abort", this.#onAbort);
    this.#options.reject(error);
  }
}

/** Joins repeated headers. Most answers have none, and their headers are returned as they are. */
export function flatten(headers: Readonly<Record<string, string | string[] | undefined>>): Readonly<Record<string, string>> {
  for (const name in headers) if (typeof headers[name] !== "string") return joined(headers);
  return headers as Readonly<Record<string, string>>; // each value is a text
}

function joined(headers: Readonly<Record<string, string | string[] | undefined>>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) flat[name] = typeof value === "string" ? value : value.join(", ");
  return flat;
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Decodes the whole body at once, since a character may be split between two chunks. A byte order mark is no part of the text. */
function textOf(chunks: readonly Buffer[]): string {
  const [first] = chunks;
  if (first === undefined) return "";
  const bytes = chunks.length === 1 ? first : Buffer.concat(chunks);
  const isMarked = BYTE_ORDER_MARK.every((byte, at) => bytes[at] === byte);
  return bytes.toString("utf8", isMarked ? BYTE_ORDER_MARK.length : 0);
}
