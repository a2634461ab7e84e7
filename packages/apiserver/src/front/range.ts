/** A part of a body, for a client that asks for a range of bytes. Several ranges in one request get the whole body. */
import type { IncomingHttpHeaders } from "node:http";

/** The range of an answer, and what it changes. */
export interface Ranged {
  readonly status: 206 | 416;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | string;
}

/** Returns the part that the client asks for, or `undefined` for the whole body. */
export function rangeOf(asked: IncomingHttpHeaders, etag: string | undefined, body: Buffer): Ranged | undefined {
  const { range = "", "if-range": condition } = asked;
  if (range === "" || range.includes(",") || (condition !== undefined && condition !== etag)) return undefined;
  const [, first, last] = /^bytes=\s*(\d*)\s*-\s*(\d*)\s*$/.exec(range) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return refused("invalid range\n");
  const size = body.length;
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size - 1 : Math.min(Number(last), size - 1);
  if (first !== "" && last !== "" && Number(last) < start) return refused("invalid range\n");
  if (first !== "" && start >= size) return refused("invalid range: failed to overlap\n", { "content-range": `bytes */${size}` });
  return { status: 206, headers: { "content-range": `bytes ${start}-${end}/${size}` }, body: body.subarray(start, end + 1) };
}

function refused(body: string, headers: Readonly<Record<string, string>> = {}): Ranged {
  return { status: 416, headers: { ...headers, "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" }, body };
}
