/** Reads the body of a request. Each body has a limit, and all bodies in progress have one together. */
import type { IncomingMessage } from "node:http";
import type { TurnBudget } from "@treadle/apimachinery";
import { CallError } from "../call.ts";
import { ReviewParser } from "./review-parser.ts";

/** The bytes that all bodies in progress may have together. */
export class ByteBudget {
  readonly #maxBytes: number;
  readonly #whole: ByteBudget | undefined;
  #takenBytes = 0;

  /** @param whole the budget of which this is a part; without one it is the whole */
  constructor(maxBytes: number, whole?: ByteBudget) {
    this.#maxBytes = maxBytes;
    this.#whole = whole;
  }

  /** Takes bytes. @throws CallError 503 when too many are taken */
  take(bytes: number): void {
    if (this.#takenBytes + bytes > this.#maxBytes)
      throw new CallError(
        503,
        "ERR_TOO_MANY_BYTES",
        `the reviews in progress have more than ${this.#maxBytes} bytes together: try again later, or raise maxBytes of webhookServer`,
      );
    this.#whole?.take(bytes);
    this.#takenBytes += bytes;
  }

  /** Gives bytes back when a request has ended. */
  give(bytes: number): void {
    this.#takenBytes -= bytes;
    this.#whole?.give(bytes);
  }
}

/** What a body may have, and how it is parsed. */
export interface BodyOptions {
  /** The limit of this body. */
  readonly maxBytes: number;
  /** The name of that limit in messages; undefined: it is no option. */
  readonly option?: string;
  /** The limit of all bodies. */
  readonly budget: ByteBudget;
  /** Whether the body has a long list, and is parsed while it arrives. */
  readonly isList: boolean;
}

/** A parsed body. */
export interface Body {
  /** The parsed value. */
  readonly value: unknown;
  /** Gives the bytes back: call it when the answer was sent. */
  release(): void;
}

/**
 * Reads and parses a body of JSON.
 *
 * @param turns how much one turn of the event loop parses
 * @throws CallError 400 for a body that is missing or no JSON, 413 and 503 for one that is too long, and the error of the connection
 */
export async function readBody(request: IncomingMessage, options: BodyOptions, turns: TurnBudget): Promise<Body> {
  const { maxBytes, option, budget, isList } = options;
  const announced = Number(request.headers["content-length"] ?? 0);
  if (announced > maxBytes) throw tooLong(maxBytes, option);
  const parser = isList ? new ReviewParser() : new PlainParser();
  let bytes = 0;
  try {
    // A request that is destroyed at the end of the loop could not be answered.
    for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      if (bytes + chunk.length > maxBytes) throw tooLong(maxBytes, option);
      budget.take(chunk.length);
      bytes += chunk.length;
      await turns.next();
      parser.push(chunk);
    }
    if (bytes === 0) throw new CallError(400, "ERR_INVALID_REVIEW", "the request has no body: send a review as JSON");
    return { value: parser.result(), release: () => budget.give(bytes) };
  } catch (error) {
    budget.give(bytes);
    // The text of the parser's error quotes the body.
    if (error instanceof SyntaxError) throw new CallError(400, "ERR_INVALID_REVIEW", "the body is not JSON");
    throw error;
  }
}

class PlainParser {
  readonly #chunks: Buffer[] = [];

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  result(): unknown {
    return JSON.parse(Buffer.concat(this.#chunks).toString("utf8"));
  }
}

function tooLong(maxBytes: number, option: string | undefined): CallError {
  const fix = option === undefined ? "" : `: raise ${option} of webhookServer`;
  return new CallError(413, "ERR_BODY_TOO_LONG", `the body has more than ${maxBytes} bytes${fix}`);
}
