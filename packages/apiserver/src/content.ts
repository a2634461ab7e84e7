/** Bodies and media types: reads JSON and YAML, and decides what an Accept header may get. */
import { badRequest, entityTooLarge, notAcceptable, unsupportedMediaType } from "./status-errors.ts";

/** The limit of the real server for a request body (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

export type Encoding = "json" | "yaml";

/** How an object is to be answered. */
export interface Accepted {
  readonly encoding: Encoding;
  /** PartialObjectMetadata instead of the object. */
  readonly isMetadataOnly: boolean;
}

/** Nothing deeper is taken, as Go's decoder does it; V8's stack would end a little later. */
const MAX_DEPTH = 1000;

/** @throws StatusError 415 for a format that is not read here. */
export function encodingOf(contentType: string | undefined): Encoding {
  const type = mediaTypeOf(contentType ?? "");
  if (type === "" || type === "application/json" || type === "*/*") return "json";
  if (type === "application/yaml") return "yaml";
  throw unsupportedMediaType(["application/json", "application/yaml"]);
}

export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** @throws StatusError 413 */
export function checkSize(body: string): void {
  if (body.length > MAX_BODY_BYTES || (body.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(body) > MAX_BODY_BYTES)) {
    throw entityTooLarge(`limit is ${MAX_BODY_BYTES}`);
  }
}

/** The value of a body. @throws SyntaxError where it is not of that encoding. */
export async function parseBody(body: string, encoding: Encoding): Promise<unknown> {
  return encoding === "json" ? parseJson(body) : parseYaml(body);
}

/** @throws SyntaxError */
export function parseJson(body: string): unknown {
  // Assigning to `__proto__` would change a prototype instead of making a field; such fields are dropped.
  const isSuspect = body.includes("__proto__") || /\\u005f/i.test(body);
  const value: unknown = isSuspect ? JSON.parse(body, dropProto) : JSON.parse(body);
  checkDepth(value);
  return value;
}

/** The first entry of an Accept header that can be served. @throws StatusError 406 */
export function negotiate(accept: string | undefined): Accepted {
  const clauses = (accept ?? "").split(",").map((clause) => clause.trim());
  if (accept === undefined || accept.trim() === "") return { encoding: "json", isMetadataOnly: false };
  for (const clause of clauses) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = ENCODINGS[type];
    if (encoding === undefined) continue;
    const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3);
    if (as === undefined) return { encoding, isMetadataOnly: false };
    if (as.startsWith("partialobjectmetadata")) return { encoding, isMetadataOnly: true };
  }
  throw notAcceptable(["application/json", "application/yaml"]);
}

/** A JSON text in the wanted encoding. */
export async function encode(json: string, encoding: Encoding): Promise<string> {
  if (encoding === "json") return json;
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(json));
}

const ENCODINGS: Readonly<Record<string, Encoding>> = {
  "application/json": "json",
  "application/*": "json",
  "*/*": "json",
  "application/yaml": "yaml",
};

async function parseYaml(body: string): Promise<unknown> {
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    value = parse(body, { maxAliasCount: 100, logLevel: "error" });
  } catch (error) {
    // The library has errors of its own, and a ReferenceError for too many aliases.
    throw new SyntaxError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error), { cause: error });
  }
  // Through JSON: what YAML has beyond it (dates, maps with other keys) has no place in an object.
  return parseJson(JSON.stringify(value) ?? "null");
}

function dropProto(this: unknown, key: string, value: unknown): unknown {
  return key === "__proto__" ? undefined : value;
}

/** @throws StatusError 400 when the value nests too deep. */
export function checkDepth(value: unknown): void {
  let level: unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) throw badRequest("exceeded max depth");
    const next: unknown[] = [];
    for (const item of level) {
      if (typeof item !== "object" || item === null) continue;
      for (const member of Array.isArray(item) ? item : Object.values(item)) {
        if (typeof member === "object" && member !== null) next.push(member);
      }
    }
    level = next;
  }
}
