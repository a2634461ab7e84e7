/**
 * Writes the chunks of a stream to the connection of its reader. Many watchers get the same text, so its bytes are made once for all of them,
 * and with HTTP/1.1 they go to the socket in one write. This halves the processor time of an event (`bench/parts/fan-out-rate.ts`).
 */
import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { drained } from "./drained.ts";

type Encoding = "latin1" | "utf8";

/** The bytes of the newest text. Its readers follow each other, so one is enough. */
export class Frames {
  #text: string | undefined;
  #encoding: Encoding = "utf8";
  #bytes: Buffer = Buffer.alloc(0);
  #framed: Buffer | undefined;

  bytesOf(text: string, encoding: Encoding): Buffer {
    // The text of an event is the same string for all readers: this compares two addresses.
    if (text !== this.#text || encoding !== this.#encoding) {
      this.#text = text;
      this.#encoding = encoding;
      this.#bytes = Buffer.from(text, encoding);
      this.#framed = undefined;
    }
    return this.#bytes;
  }

  /** Returns the bytes as a chunk of `Transfer-Encoding: chunked`. */
  chunkOf(text: string, encoding: Encoding): Buffer {
    const bytes = this.bytesOf(text, encoding);
    return (this.#framed ??= Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`, "latin1"), bytes, END_OF_CHUNK]));
  }
}

const END_OF_CHUNK = Buffer.from("\r\n");

/** Writes chunks after the headers of a response. Resolves when the connection accepts more. */
export function chunkWriter(response: ServerResponse, encoding: Encoding, frames: Frames): (text: string) => Promise<void> | undefined {
  return (text) => {
    if (text === "" || response.destroyed) return undefined;
    // Null for an answer that waits for an earlier one of its connection.
    const { socket } = response;
    const isChunked = response.chunkedEncoding && socket !== null;
    const target: Writable = isChunked ? socket : response;
    const isReady = target.write(isChunked ? frames.chunkOf(text, encoding) : frames.bytesOf(text, encoding));
    return isReady ? undefined : drained(target);
  };
}
