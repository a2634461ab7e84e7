/** Bodies and media types: reads JSON and YAML, and decides what an Accept header may get. */
import type { Tags } from "yaml";
import { goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { jsonProblem } from "../internal/json-text.ts";
import { badRequest, entityTooLarge, noRepresentation, notAcceptable, unsupportedMediaType } from "../errors/status-errors.ts";

/** The limit of the real server for a request body (3 MiB). */
export const MAX_BODY_BYTES: number = 3 * 1024 * 1024;

/** In protobuf a text has a character for each byte (latin1). */
export type Encoding = "json" | "yaml" | "protobuf";

/** How an object is to be answered. */
export interface Accepted {
  readonly encoding: Encoding;
  /** PartialObjectMetadata instead of the object, or the list of it instead of the list. */
  readonly metadataOf?: "object" | "list";
  /** A Table instead of the object or list, in this version of meta.k8s.io. */
  readonly table?: "v1" | "v1beta1";
}

/** Nothing deeper is taken, as Go's decoder does it; V8's stack would end a little later. */
const MAX_DEPTH = 1000;

/** @throws StatusError 415 for a format that is not read here. */
export function encodingOf(contentType: string | undefined): Encoding {
  const type = mediaTypeOf(contentType ?? "");
  if (type === "" && contentType !== undefined && contentType.trim() !== "") throw unsupportedMediaType(KNOWN_TYPES);
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
  // What JavaScript takes otherwise than Go is rare, and each kind of it leaves a trace in the text.
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
 * The paths of built-in kinds are found by what they can answer with, letter by letter and without looking at parameters.
 * @throws StatusError 406
 */
export function checkAccept(accept: string | undefined, isList: boolean): void {
  if (accept === undefined || accept === "") return;
  const types = accept.split(",").map((clause) => (clause.split(";")[0] ?? "").trim());
  if (types.some((type) => type === "*/*" || KNOWN_TYPES.some((known) => known === type))) return;
  throw noRepresentation([...KNOWN_TYPES, ...(isList ? ["application/json;stream=watch", `${PROTOBUF};stream=watch`] : [])]);
}

/**
 * The first entry of an Accept header that can be served; custom resources have no protobuf, but their metadata do, and what is
 * only asked has no table.
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

/** In which form a refusal is told, by an Accept header that may ask for what there is not. */
export function encodingOfRefusal(accept: string | undefined): Encoding {
  for (const clause of (accept ?? "").split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim().toLowerCase());
    const encoding = ENCODINGS.get(type);
    if (encoding !== undefined && !parameters.some((parameter) => parameter.startsWith("as="))) return encoding;
  }
  return "json";
}

/** A JSON text in the wanted encoding. */
export async function encode(json: string, encoding: Encoding): Promise<string> {
  if (encoding === "json") return json;
  if (encoding === "yaml") {
    const { stringify } = await import("yaml");
    return stringify(JSON.parse(json), { version: "1.1" });
  }
  const { encodeProtobuf } = await import("../protobuf/encode.ts");
  return encodeProtobuf(JSON.parse(json) as JsonObject); // objects and lists are answered
}

/** The media type of an answer. */
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

/** Half a surrogate pair becomes the sign for it. Assigning to `__proto__` would change a prototype, so such fields are dropped. */
function asGoReads(this: unknown, key: string, value: unknown): unknown {
  if (key === "__proto__") return undefined;
  if (typeof value === "string") return value.toWellFormed();
  if (!isObject(value) || Object.keys(value).every((member) => member.isWellFormed())) return value;
  return Object.fromEntries(Object.entries(value).map(([member, inner]) => [member.toWellFormed(), inner]));
}

/** To JavaScript a number that is too big is infinite, and would be stored as null. @throws SyntaxError */
function checkNumbers(body: string): void {
  // Uids look like such numbers, and a body may hold many: the texts are taken out once for all of them.
  const number = tooBigIn(body) === undefined ? undefined : tooBigIn(body.replaceAll(/"(?:[^"\\]|\\.)*"/g, '""'));
  if (number !== undefined) throw new SyntaxError(`json: cannot unmarshal number ${number} into Go value of type float64`);
}

function tooBigIn(text: string): string | undefined {
  for (const [number] of text.matchAll(/-?\d+(\.\d+)?[eE]\+?\d{3,}/g)) if (!Number.isFinite(Number(number))) return number;
  return undefined;
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
