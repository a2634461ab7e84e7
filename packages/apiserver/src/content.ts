/** Bodies and media types: reads JSON and YAML, and decides what an Accept header may get. */
import type { Tags } from "yaml";
import { goTypeOf, isObject } from "./internal/json.ts";
import { jsonProblem } from "./internal/json-text.ts";
import { badRequest, entityTooLarge, notAcceptable, unsupportedMediaType } from "./status-errors.ts";

/** The limit of the real server for a request body (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

export type Encoding = "json" | "yaml";

/** How an object is to be answered. */
export interface Accepted {
  readonly encoding: Encoding;
  /** PartialObjectMetadata instead of the object. */
  readonly isMetadataOnly: boolean;
  /** A Table instead of the object or list, in this version of meta.k8s.io. */
  readonly table?: "v1" | "v1beta1";
}

/** Nothing deeper is taken, as Go's decoder does it; V8's stack would end a little later. */
const MAX_DEPTH = 1000;

/** The form of a body: in protobuf it has a character for each byte (latin1). */
export type BodyEncoding = Encoding | "protobuf";

/** @throws StatusError 415 for a format that is not read here. */
export function encodingOf(contentType: string | undefined): BodyEncoding {
  const type = mediaTypeOf(contentType ?? "");
  if (type === PROTOBUF) return "protobuf";
  if (type === "" || type === "application/json" || type === "*/*") return "json";
  if (type === "application/yaml") return "yaml";
  throw unsupportedMediaType(KNOWN_TYPES);
}

/** What the real server names in its refusals; it reads protobuf, too. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf" as const;
const KNOWN_TYPES = ["application/json", "application/yaml", PROTOBUF] as const;

export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** @throws StatusError 413 */
export function checkSize(body: string): void {
  if (body.length > MAX_BODY_BYTES || (body.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(body) > MAX_BODY_BYTES)) {
    throw entityTooLarge(`limit is ${MAX_BODY_BYTES}`);
  }
}

/** A body that holds no object of any kind. */
export class BodyError extends Error {
  override readonly name = "BodyError";
}

/** The value of a body: an object whose kind and apiVersion are texts or absent, or null. @throws BodyError */
export async function parseBody(body: string, encoding: BodyEncoding): Promise<unknown> {
  if (encoding === "protobuf") return parseProtobuf(body);
  let value: unknown;
  try {
    value = encoding === "json" ? parseJson(body) : await parseYaml(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new BodyError(encoding === "json" ? `${HEADER_PROBLEM} ${error.message}` : `yaml: ${error.message}`);
  }
  checkHeader(value);
  return value;
}

async function parseProtobuf(body: string): Promise<unknown> {
  const { decodeProtobuf, WireError } = await import("./protobuf/decode.ts");
  try {
    const object = decodeProtobuf(body);
    // Custom resources have no messages.
    if (object === undefined) throw unsupportedMediaType(KNOWN_TYPES.slice(0, 2));
    return object;
  } catch (error) {
    if (error instanceof WireError) throw new BodyError(error.message);
    throw error;
  }
}

const HEADER_PROBLEM = "couldn't get version/kind; json parse error:";

/** The first thing that Go reads of an object are its kind and version. @throws BodyError */
export function checkHeader(value: unknown): void {
  if (value === null) return;
  if (!isObject(value)) throw new BodyError(`${HEADER_PROBLEM} json: cannot unmarshal ${goTypeOf(value)} into Go value of type ${HEADER}`);
  for (const field of ["apiVersion", "kind"]) {
    const given = value[field] ?? "";
    if (typeof given === "string") continue;
    throw new BodyError(`${HEADER_PROBLEM} json: cannot unmarshal ${goTypeOf(given)} into Go struct field .${field} of type string`);
  }
}

const HEADER = 'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** @throws SyntaxError in the words of Go. */
export function parseJson(body: string): unknown {
  // Assigning to `__proto__` would change a prototype instead of making a field; such fields are dropped.
  const isSuspect = body.includes("__proto__") || /\\u005f/i.test(body);
  let value: unknown;
  try {
    value = isSuspect ? JSON.parse(body, dropProto) : JSON.parse(body);
  } catch (error) {
    throw new SyntaxError(jsonProblem(body), { cause: error });
  }
  checkDepth(value);
  return value;
}

/** The first entry of an Accept header that can be served. @throws StatusError 406 */
export function negotiate(accept: string | undefined): Accepted {
  const clauses = (accept ?? "").split(",").map((clause) => clause.trim());
  if (accept === undefined || accept.trim() === "") return { encoding: "json", isMetadataOnly: false };
  for (const clause of clauses) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = ENCODINGS.get(type);
    if (encoding === undefined) continue;
    const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3);
    if (as === undefined) return { encoding, isMetadataOnly: false };
    if (as.startsWith("partialobjectmetadata")) return { encoding, isMetadataOnly: true };
    const version = TABLES.find((one) => parameters.includes(`v=${one}`));
    if (as === "table" && version !== undefined && parameters.includes("g=meta.k8s.io"))
      return { encoding, isMetadataOnly: false, table: version };
  }
  throw notAcceptable(KNOWN_TYPES);
}

const TABLES = ["v1", "v1beta1"] as const;

/** A JSON text in the wanted encoding. */
export async function encode(json: string, encoding: Encoding): Promise<string> {
  if (encoding === "json") return json;
  const { stringify } = await import("yaml");
  return stringify(JSON.parse(json), { version: "1.1" });
}

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/*", "json"],
  ["*/*", "json"],
  ["application/yaml", "yaml"],
]);

/** A YAML document as a JSON value. @throws SyntaxError */
export async function parseYaml(body: string): Promise<unknown> {
  const { parse } = await import("yaml");
  let value: unknown;
  try {
    // As Go reads it: by YAML 1.1 ("yes" is true), but for times, numbers with colons and a dot alone, which is no number.
    // Of a repeated key the last counts.
    const customTags = (tags: Tags): Tags => tags.filter((tag) => typeof tag === "string" || !isTime(tag)).map(withoutDot);
    value = parse(body, { version: "1.1", customTags, uniqueKeys: false, maxAliasCount: 100, logLevel: "error" });
  } catch (error) {
    // The library has errors of its own, and a ReferenceError for too many aliases.
    throw new SyntaxError(error instanceof Error ? (error.message.split("\n")[0] ?? "") : String(error), { cause: error });
  }
  // Through JSON: what YAML has beyond it (dates, maps with other keys) has no place in an object.
  return parseJson(JSON.stringify(value) ?? "null");
}

function isTime(tag: Exclude<Tags[number], string>): boolean {
  return tag.tag === "tag:yaml.org,2002:timestamp" || tag.format === "TIME";
}

function withoutDot(tag: Tags[number]): Tags[number] {
  if (typeof tag === "string" || !("test" in tag) || tag.test?.test(".") !== true) return tag;
  return { ...tag, test: new RegExp(`^(?![-+]?\\.$)(?:${tag.test.source})`) } as Tags[number]; // the same tag
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
