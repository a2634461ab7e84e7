/** Bodies and media types: parses JSON, YAML and protobuf, and negotiates the representation of the answer. */
import { goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { jsonProblem } from "../internal/json-text.ts";
import { badRequest, entityTooLarge, noRepresentation, notAcceptable, unsupportedMediaType } from "../errors/status-errors.ts";

/** Maximum size of a request body, as on the real server (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

/** Encoding of a body. A string in protobuf has one character for each byte (latin1). */
export type Encoding = "json" | "yaml" | "protobuf";

/** The negotiated representation of an answer. */
export interface Accepted {
  readonly encoding: Encoding;
  /** Set when the client accepts PartialObjectMetadata instead of the object, or a list of it. */
  readonly metadataOf?: "object" | "list";
  /** Set when the client accepts a Table: the version of meta.k8s.io. */
  readonly table?: "v1" | "v1beta1";
}

/** Maximum depth of a value, so that V8's stack suffices. Go's decoder has such a limit, too. */
const MAX_DEPTH = 1000;

/** Returns the encoding of a body. @throws StatusError 415 */
export function encodingOf(contentType: string | undefined): Encoding {
  const type = mediaTypeOf(contentType ?? "");
  if (type === "" && contentType !== undefined && contentType.trim() !== "") throw unsupportedMediaType(KNOWN_TYPES);
  if (type === PROTOBUF) return "protobuf";
  if (type === "" || type === "application/json" || type === "*/*") return "json";
  if (type === "application/yaml") return "yaml";
  throw unsupportedMediaType(KNOWN_TYPES);
}

/** Media type of protobuf, which refusals of the real server name. */
export const PROTOBUF = "application/vnd.kubernetes.protobuf" as const;
const KNOWN_TYPES = ["application/json", "application/yaml", PROTOBUF] as const;

export function mediaTypeOf(contentType: string): string {
  return (contentType.split(";")[0] ?? "").trim().toLowerCase();
}

/** Returns the encoding of a body's text. Bodies in protobuf have one character for each byte. */
export function textEncodingOf(contentType = ""): "latin1" | "utf8" {
  const type = mediaTypeOf(contentType);
  return type === PROTOBUF || type.endsWith("+protobuf") ? "latin1" : "utf8";
}

/** Checks the size of a body. @throws StatusError 413 */
export function checkSize(body: string): void {
  if (body.length > MAX_BODY_BYTES || (body.length * 3 > MAX_BODY_BYTES && Buffer.byteLength(body) > MAX_BODY_BYTES)) {
    throw entityTooLarge(`limit is ${MAX_BODY_BYTES}`);
  }
}

/** A body that contains no object. */
export class BodyError extends Error {
  override readonly name = "BodyError";
}

/** Parses a body: an object whose kind and apiVersion are strings or absent, or null. @throws BodyError */
export async function parseBody(body: string, encoding: Encoding): Promise<unknown> {
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
  const { decodeProtobuf, WireError } = await import("../protobuf/decode.ts");
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

/** Checks the kind and apiVersion, which Go reads first. @throws BodyError */
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

/** Parses JSON. @throws SyntaxError with Go's text */
export function parseJson(body: string): unknown {
  // JavaScript reads some rare values differently from Go. Each of these leaves a trace in the text.
  const isSuspect = body.includes("__proto__") || /\\u(005f|d[89a-f])/i.test(body);
  let value: unknown;
  try {
    value = isSuspect ? JSON.parse(body, asGoReads) : JSON.parse(body);
  } catch (error) {
    throw new SyntaxError(jsonProblem(body), { cause: error });
  }
  checkNumbers(body);
  checkDepth(value);
  return value;
}

/**
 * Checks an Accept header before the route is known. For built-in kinds the real server compares media types exactly and
 * ignores their parameters.
 * @throws StatusError 406
 */
export function checkAccept(accept: string | undefined, isList: boolean): void {
  if (accept === undefined || accept === "") return;
  const types = accept.split(",").map((clause) => (clause.split(";")[0] ?? "").trim());
  if (types.some((type) => type === "*/*" || KNOWN_TYPES.some((known) => known === type))) return;
  throw noRepresentation([...KNOWN_TYPES, ...(isList ? ["application/json;stream=watch", `${PROTOBUF};stream=watch`] : [])]);
}

/**
 * Returns the first representation of an Accept header that can be served. Custom resources have no protobuf, but their
 * metadata has. Reviews have no table.
 * @throws StatusError 406
 */
export function negotiate(
  accept: string | undefined,
  { isCustom, isReview = false }: { readonly isCustom: boolean; readonly isReview?: boolean },
): Accepted {
  if (accept === undefined || accept.trim() === "") return { encoding: "json" };
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = ENCODINGS.get(type);
    if (encoding === undefined) continue;
    const as = parameters.find((parameter) => parameter.startsWith("as="))?.slice(3);
    if (as === undefined) {
      if (encoding === "protobuf" && isCustom) continue;
      return { encoding };
    }
    const version = META_VERSIONS.find((one) => parameters.includes(`v=${one}`));
    if (version === undefined || !parameters.includes("g=meta.k8s.io")) continue;
    if (as === "partialobjectmetadata") return { encoding, metadataOf: "object" };
    if (as === "partialobjectmetadatalist") return { encoding, metadataOf: "list" };
    if (as === "table" && !isReview && encoding !== "protobuf") return { encoding, table: version };
  }
  throw notAcceptable(KNOWN_TYPES);
}

const META_VERSIONS = ["v1", "v1beta1"] as const;

/** Returns the encoding of a refusal. The Accept header may ask for an encoding that does not exist. */
export function encodingOfRefusal(accept: string | undefined): Encoding {
  for (const clause of (accept ?? "").split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = ENCODINGS.get(type);
    if (encoding !== undefined && !parameters.some((parameter) => parameter.startsWith("as="))) return encoding;
  }
  return "json";
}

/** Encodes a JSON text. */
export async function encode(json: string, encoding: Encoding): Promise<string> {
  if (encoding === "json") return json;
  if (encoding === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(JSON.parse(json), { version: "1.1" });
  }
  const { encodeProtobuf } = await import("../protobuf/encode.ts");
  return encodeProtobuf(JSON.parse(json) as JsonObject); // objects and lists are answered
}

/** Returns the media type of an encoding. */
export function typeOf(encoding: Encoding): string {
  return encoding === "protobuf" ? PROTOBUF : `application/${encoding}`;
}

const ENCODINGS: ReadonlyMap<string, Encoding> = new Map([
  ["application/json", "json"],
  ["application/*", "json"],
  ["*/*", "json"],
  ["application/yaml", "yaml"],
  [PROTOBUF, "protobuf"],
]);

/** Parses the first document of a YAML text as a JSON value. @throws SyntaxError */
export async function parseYaml(body: string): Promise<unknown> {
  const { parseFirstDocument } = await import("./yaml-body.ts");
  // Converted to JSON, because dates and maps with other keys than strings cannot be in an object.
  return sorted(parseJson(JSON.stringify(await parseFirstDocument(body)) ?? "null"));
}

/** Sorts the members of maps, as Go does when it makes JSON of YAML. Unknown fields are reported in this order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  const names = Object.keys(value).toSorted((a, b) => (a < b ? -1 : 1));
  return Object.fromEntries(names.map((name) => [name, sorted(value[name])]));
}

/** Replaces half a surrogate pair by the replacement character. Drops `__proto__`, because an assignment would change a prototype. */
function asGoReads(this: unknown, key: string, value: unknown): unknown {
  if (key === "__proto__") return undefined;
  if (typeof value === "string") return value.toWellFormed();
  if (!isObject(value) || Object.keys(value).every((member) => member.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member.toWellFormed(), inner]));
}

/** Refuses numbers that are too big: JavaScript reads them as infinite, and JSON would store null. @throws SyntaxError */
function checkNumbers(body: string): void {
  // Uids can look like such numbers, and a body can contain many. So the strings are removed once for all of them.
  const number = tooBigIn(body) === undefined ? undefined : tooBigIn(body.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
  if (number !== undefined) throw new SyntaxError(`json: cannot unmarshal number ${number} into Go value of type float64`);
}

function tooBigIn(text: string): string | undefined {
  for (const [number] of text.matchAll(/-?\d+(\.\d+)?[eE]\+?\d{3,}/g)) if (!Number.isFinite(Number(number))) return number;
  return undefined;
}

/** Refuses a value that is nested too deeply. @throws StatusError 400 */
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
