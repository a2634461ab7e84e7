/**
 * What the front of a kube-apiserver adds to an answer: headers of each answer, indentation for people, the line break after JSON, ranges of
 * documents, and compression. Callers in this process do not get these.
 */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ApiResponse } from "@treadle/apimachinery";
import { mediaTypeOf, textEncodingOf } from "../request/content.ts";
import { rangeOf } from "./range.ts";

type Asked = Pick<IncomingMessage, "headers" | "url" | "method">;

/** A body and its headers, ready to be sent. */
export interface Finished {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** The encoding of a text. */
  readonly encoding: BufferEncoding;
}

/** Returns the headers of an answer with those that each answer has. The id of the audit log is the client's, if it sent one. */
export function frontHeaders({ headers }: Pick<Asked, "headers">, answer: Pick<ApiResponse, "headers">): Readonly<Record<string, string>> {
  const given = headers["audit-id"];
  const auditId = typeof given === "string" && given !== "" ? given : randomUUID();
  return { "audit-id": auditId, "cache-control": "no-cache, private", ...answer.headers };
}

/** Returns the body and the headers for a client. */
export async function finished(request: Asked, answer: ApiResponse): Promise<Finished> {
  const headers = frontHeaders(request, answer);
  const type = answer.headers["content-type"] ?? "";
  const encoding = textEncodingOf(type);
  const { body: text = "" } = answer;
  // The refusal of a media type is written by another part, too.
  const isPlain = (isDocument(request) && answer.status < 400) || answer.status === 406;
  const body = mediaTypeOf(type) === "application/json" && !isPlain ? jsonOf(request, text) : text;
  const whole = { status: answer.status, headers, body, encoding };
  const part = headers["accept-ranges"] === undefined ? whole : rangeIn(request, whole);
  if (!wantsGzip(request, part)) return part;
  const { gzip } = process.getBuiltinModule("node:zlib");
  const packed = await new Promise<Buffer>((resolve, reject) => {
    const bytes = typeof part.body === "string" ? Buffer.from(part.body, encoding) : part.body;
    gzip(bytes, { level: GZIP_LEVEL }, (error, data) => (error === null ? resolve(data) : reject(error)));
  });
  return { ...part, headers: { vary: "Accept-Encoding", ...part.headers, "content-encoding": "gzip" }, body: packed };
}

/** Returns the range of a document that the client asks for, or the whole document. */
function rangeIn({ headers: asked }: Asked, whole: Finished): Finished {
  if (asked.range === undefined) return whole;
  const { etag, ...rest } = whole.headers;
  const range = rangeOf(asked, etag, Buffer.from(whole.body as string, whole.encoding)); // documents are texts here
  if (range === undefined) return whole;
  if (range.status === 206) return { ...whole, ...range, headers: { ...whole.headers, ...range.headers } };
  const { "accept-ranges": _, "last-modified": __, ...kept } = rest;
  return { ...whole, ...range, headers: { ...kept, ...range.headers } };
}

/** Documents that other parts of the real server write: their form does not depend on the client. */
function isDocument({ url = "" }: Asked): boolean {
  return /^\/(?:version|openapi|openid|\.well-known)?(?:[/?]|$)/.test(url);
}

/** JSON ends with a line break, unless it is indented. */
function jsonOf(request: Asked, body: string): string {
  if (body === "") return body;
  return isForPeople(request) ? JSON.stringify(JSON.parse(body), undefined, 2) : `${body}\n`;
}

/** By the parameter `pretty`, as Go reads a boolean, else by the program that asks. */
function isForPeople({ url = "", headers }: Asked): boolean {
  const pretty = url.includes("pretty") ? new URL(url, "http://localhost").searchParams.get("pretty") : null;
  if (pretty !== null && pretty !== "") return /^(?:1|t|T|TRUE|true|True)$/.test(pretty);
  return /^(?:curl|Wget|Mozilla\/5\.0)/.test(headers["user-agent"] ?? "");
}

/**
 * For objects, the real server compares the name of the encoding exactly. `/openapi/v2` is compressed by a library, which reads weights. Other
 * documents are not compressed.
 */
function wantsGzip(request: Asked, { status, body }: Finished): boolean {
  const accepted = String(request.headers["accept-encoding"] ?? "").split(",");
  if (/^\/openapi\/v2(?:\?|$)/.test(request.url ?? "")) {
    const isAccepted = accepted.some((each) => /^gzip(?!\s*;\s*q=0(?:\.0*)?$)(?:\s*;|$)/i.test(each.trim()));
    return isAccepted && request.method !== "HEAD" && status < 300 && body.length > 0;
  }
  return body.length >= MIN_GZIP_BYTES && !isDocument(request) && accepted.some((each) => each.trim() === "gzip");
}

/** As in the real server: shorter answers are sent faster than they are compressed. */
const MIN_GZIP_BYTES = 128 * 1024;
const GZIP_LEVEL = 4;
