/**
 * Frames of WebSocket (RFC 6455), as Go's `golang.org/x/net/websocket` reads and writes them. It is lenient: reserved bits and types are
 * ignored, and so is the content of messages, however long they are. Only a frame without a mask is an error.
 */

const TEXT = 1;
const BINARY = 2;
const CLOSE = 8;
const PING = 9;
const PONG = 10;
/** Maximum length of the content of a control frame, in bytes. */
const MAX_CONTROL = 125;

/** Makes the frame of a message. */
export function messageFrame(content: string | Uint8Array): Buffer {
  return typeof content === "string" ? frame(TEXT, Buffer.from(content)) : frame(BINARY, content);
}

/** Makes the frame that ends a connection. */
export function closeFrame(code: number): Buffer {
  return frame(CLOSE, Buffer.from([code >> 8, code & 0xff]));
}

export function pongFrame(content: Uint8Array): Buffer {
  return frame(PONG, content);
}

function frame(type: number, content: Uint8Array): Buffer {
  const { length } = content;
  const head = Buffer.alloc(length <= MAX_CONTROL ? 2 : length < 0x1_0000 ? 4 : 10);
  head[0] = 0x80 | type;
  if (head.length === 2) head[1] = length;
  else if (head.length === 4) {
    head[1] = 126;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = 127;
    head.writeBigUInt64BE(BigInt(length), 2);
  }
  return Buffer.concat([head, content]);
}

/** What a client sent that needs an answer. `invalid`: a frame without a mask. */
export type ClientSignal =
  | { readonly type: "ping"; readonly content: Uint8Array }
  | { readonly type: "close" }
  | { readonly type: "invalid" };

/** Reads the frames of a client. Keeps at most the head and the beginning of one control frame. */
export class FrameReader {
  #head: Buffer = Buffer.alloc(0);
  #left = 0n;
  /** Masked content of the current ping. */
  #ping: { readonly mask: Buffer; content: Buffer } | undefined;
  #hasEnded = false;

  /** Returns the signals in the next bytes. After `close` and `invalid` all bytes are ignored. */
  read(bytes: Buffer): readonly ClientSignal[] {
    const signals: ClientSignal[] = [];
    let rest = bytes;
    while (rest.length > 0 && !this.#hasEnded) {
      rest = this.#left > 0n ? this.#skip(rest) : this.#begin(rest, signals);
      if (this.#left === 0n && this.#ping !== undefined) {
        const { mask, content } = this.#ping;
        this.#ping = undefined;
        signals.push({ type: "ping", content: content.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) });
      }
    }
    return signals;
  }

  #skip(bytes: Buffer): Buffer {
    const count = BigInt(bytes.length) < this.#left ? bytes.length : Number(this.#left);
    this.#left -= BigInt(count);
    if (this.#ping !== undefined) {
      const missing = MAX_CONTROL - this.#ping.content.length;
      this.#ping.content = Buffer.concat([this.#ping.content, bytes.subarray(0, Math.min(count, missing))]);
    }
    return bytes.subarray(count);
  }

  /** Adds bytes to the head of a frame, and begins the frame when the head is complete. Returns the other bytes. */
  #begin(bytes: Buffer, signals: ClientSignal[]): Buffer {
    const head = Buffer.concat([this.#head, bytes.subarray(0, MAX_HEAD)]);
    const size = head.length < 2 ? MAX_HEAD : headSize(head);
    if (head.length < size) {
      this.#head = head;
      return bytes.subarray(MAX_HEAD);
    }
    const rest = bytes.subarray(size - this.#head.length);
    this.#head = Buffer.alloc(0);
    const [first = 0, second = 0] = head;
    const type = first & 0x0f;
    if ((second & 0x80) === 0 || type === CLOSE) {
      this.#hasEnded = true;
      signals.push({ type: (second & 0x80) === 0 ? "invalid" : "close" });
      return rest;
    }
    const short = second & 0x7f;
    this.#left = short === 127 ? head.readBigUInt64BE(2) & MAX_LENGTH : BigInt(short === 126 ? head.readUInt16BE(2) : short);
    if (type === PING) this.#ping = { mask: Buffer.from(head.subarray(size - 4, size)), content: Buffer.alloc(0) };
    return rest;
  }
}

/** Two bytes, a length of eight bytes, and a mask of four. */
const MAX_HEAD = 14;
const MAX_LENGTH = 0x7fff_ffff_ffff_ffffn;

function headSize(head: Buffer): number {
  const second = head[1] ?? 0;
  const short = second & 0x7f;
  return 2 + (short === 127 ? 8 : short === 126 ? 2 : 0) + ((second & 0x80) === 0 ? 0 : 4);
}
