/** Frames of WebSocket. The cases are answers of a real server to the same bytes. */
import { describe, expect, test } from "vitest";
import { closeFrame, FrameReader, messageFrame } from "./websocket-frames.ts";

const MASK = Buffer.from([1, 2, 3, 4]);

function masked(first: number, content: Buffer): Buffer {
  const plain = messageFrame(content);
  const size = plain.length - content.length;
  const head = Buffer.from(plain.subarray(0, size));
  head[0] = first;
  head[1] = (head[1] ?? 0) | 0x80;
  return Buffer.concat([head, MASK, content.map((byte, i) => byte ^ (MASK[i % 4] ?? 0))]);
}

const hello = Buffer.from("hello");
const ping = masked(0x89, hello);

/** Returns the signals as text, when the bytes come in pieces of this size. */
function signalsOf(bytes: Buffer, size: number): readonly string[] {
  const reader = new FrameReader();
  const texts: string[] = [];
  for (let at = 0; at < bytes.length; at += size)
    for (const signal of reader.read(bytes.subarray(at, at + size)))
      texts.push(signal.type === "ping" ? `ping ${Buffer.from(signal.content).toString()}` : signal.type);
  return texts;
}

describe.for([1, 3, 7, 1_000_000])("in pieces of %d bytes", (size) => {
  test.for<readonly [name: string, frames: readonly Buffer[], signals: readonly string[]]>([
    ["a ping is reported with its content", [ping], ["ping hello"]],
    ["an empty ping is reported", [masked(0x89, Buffer.alloc(0))], ["ping "]],
    ["a text and a pong are ignored", [masked(0x81, hello), masked(0x8a, hello), ping], ["ping hello"]],
    [
      "parts of a message are ignored, with a ping between them",
      [masked(0x01, hello), ping, masked(0x80, hello), ping],
      ["ping hello", "ping hello"],
    ],
    ["a long message is ignored", [masked(0x82, Buffer.alloc(70_000)), ping], ["ping hello"]],
    ["reserved bits and types are ignored", [masked(0xc1, hello), masked(0x83, hello), masked(0x8b, hello), ping], ["ping hello"]],
    ["a ping is shortened to 125 bytes", [masked(0x89, Buffer.alloc(300, "a")), ping], [`ping ${"a".repeat(125)}`, "ping hello"]],
    ["nothing after a close is read", [masked(0x88, Buffer.from([3, 233])), ping], ["close"]],
    ["a frame without a mask is invalid", [messageFrame("hello"), ping], ["invalid"]],
  ])("%s", ([, frames, signals]) => {
    expect(signalsOf(Buffer.concat(frames), size)).toEqual(signals);
  });
});

test.for([0, 125, 126, 65_535, 65_536])("a message of %d bytes has its length in the head", (length) => {
  const bytes = messageFrame("a".repeat(length));
  const long = bytes[1] === 127 ? Number(bytes.readBigUInt64BE(2)) : bytes[1] === 126 ? bytes.readUInt16BE(2) : bytes[1];
  expect([bytes[0], long]).toEqual([0x81, length]);
  expect(bytes.subarray(-length || bytes.length).toString()).toBe("a".repeat(length));
});

test("a close has its code", () => {
  expect([...closeFrame(1002)]).toEqual([0x88, 2, 3, 234]);
});
