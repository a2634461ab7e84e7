/**
 * Makes an object of its kind from what a client sent: checks kind and version, reads metadata, prunes unknown fields,
 * applies defaults. Does not keep the client's object.
 */
import { decodeObject } from "../builtin/decode-object.ts";
import { KINDS } from "../builtin/schema-data.ts";
import { definitionOf } from "../builtin/schemas.ts";
import { applyDefaults, pruneObject } from "../schema/coerce.ts";
import { invalid } from "../errors/field-errors.ts";
import { goQuote, type JsonObject, valueAt } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { readEmbedded } from "../objects/embedded.ts";
import { readMeta } from "../objects/object-meta.ts";
import { repeatedKeysText } from "./yaml-body.ts";
import type { FieldValidation } from "./write-options.ts";
import type { Served } from "../storage/registry.ts";
import { badRequest, invalidObject, type StatusError } from "../errors/status-errors.ts";
import type { Draft } from "../storage/stored-object.ts";

/** An object that a client sent, after it was read and completed. `unknown` lists its unknown fields. */
export interface Incoming {
  readonly draft: Draft;
  readonly unknown: readonly string[];
}

/** The text of a body, for errors. */
export interface BodyText {
  readonly text: string;
  /** The text as JSON. Absent for the usual check of fields, whose errors show the beginning of the text. */
  readonly json?: string | undefined;
}

/** Reads a parsed body as an object of the served kind. @throws StatusError 400, 422 */
export function readObject(served: Served, body: unknown, { text, json }: BodyText): Incoming {
  const { type, version } = served;
  const object = objectAt(body);
  // A built-in kind follows from the path, unless the body names one.
  const implied = type.isCustom ? { kind: "", apiVersion: "" } : { kind: type.kind, apiVersion: version.apiVersion };
  const kind = object["kind"] || implied.kind;
  const apiVersion = object["apiVersion"] || implied.apiVersion;
  if (kind === "" && json !== undefined) throw undecodable(served, `Object 'Kind' is missing in '${json}'`);
  if (kind === "") throw badRequest(unrecognized(served, `Object 'Kind' is missing in '${text}'`, text));
  if (String(apiVersion).split("/").length > 2)
    throw badRequest(unrecognized(served, `unexpected GroupVersion string: ${String(apiVersion)}`, text));
  if (type.isCustom) {
    if (apiVersion !== version.apiVersion)
      throw badRequest(
        `the API version in the data (${String(apiVersion)}) does not match the expected API version (${version.apiVersion})`,
      );
    checkKind(served, object);
  } else if (kind !== type.kind || apiVersion !== version.apiVersion) {
    throw undecodable(served, foreign(served, String(kind), String(apiVersion)), { kind: String(kind), apiVersion: String(apiVersion) });
  }
  try {
    return complete(served, object);
  } catch (error) {
    if (error instanceof MetaTypeError) throw undecodable(served, error.describe(type));
    throw error;
  }
}

/** Checks that the kind of an object is that of the path. @throws StatusError 422 */
export function checkKind({ type }: Served, object: JsonObject): void {
  const kind = String(object["kind"]);
  if (kind === type.kind) return;
  throw invalidObject({ group: type.group, kind }, nameIn(object), [invalid("kind", kind, `must be ${type.kind}`)]);
}

/** Returns the reason why an object of another kind cannot be read as this built-in kind. */
export function foreign({ type }: Served, kind: string, apiVersion: string): string {
  if (!isRegistered(apiVersion, kind)) return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in ${SCHEME}`;
  const goPackage = type.group === "" ? "core" : (type.group.split(".")[0] ?? "");
  return `converting (${apiVersion.split("/").at(-1) ?? ""}.${kind}) to (${goPackage}.${type.kind}): unknown conversion`;
}

/** Reports whether the real server knows the kind: objects, their lists, and kinds of each version. */
function isRegistered(apiVersion: string, kind: string): boolean {
  const has = (name: string): boolean => Object.hasOwn(KINDS, `${apiVersion} ${name}`);
  if (has(kind) || (kind.endsWith("List") && has(kind.slice(0, -4)))) return true;
  if (apiVersion === "v1" && UNVERSIONED.has(kind)) return true;
  return EVERYWHERE.has(kind) && Object.keys(KINDS).some((known) => known.startsWith(`${apiVersion} `));
}

const UNVERSIONED: ReadonlySet<string> = new Set(["Status", "APIVersions", "APIGroup", "APIGroupList", "APIResourceList", "List"]);
const EVERYWHERE: ReadonlySet<string> = new Set([
  "ListOptions",
  "GetOptions",
  "DeleteOptions",
  "CreateOptions",
  "UpdateOptions",
  "PatchOptions",
  "WatchEvent",
]);

/** Name of the table of kinds in errors of the real server. */
export const SCHEME = 'scheme "pkg/runtime/scheme.go:111"';

/** Refuses or reports unknown and duplicate fields, as `fieldValidation` asks. @throws the error of `refuse` */
export function checkFields(
  { warnings }: { readonly warnings: string[] },
  {
    repeated = [],
    problems,
    validation,
    refuse,
  }: {
    /** Problems of repeated keys in YAML. */
    readonly repeated?: readonly string[];
    readonly problems: readonly string[];
    readonly validation: FieldValidation;
    readonly refuse: (cause: string) => StatusError;
  },
): void {
  if (repeated.length + problems.length === 0 || validation === "Ignore") return;
  const causes = [...(repeated.length === 0 ? [] : [repeatedKeysText(repeated)]), ...problems];
  if (validation === "Strict") throw refuse(`strict decoding error: ${causes.join(", ")}`);
  warnings.push(...repeated, ...problems);
}

/** Returns the problems of fields, in the order of the real server. */
export function fieldProblems(duplicates: readonly string[], unknown: readonly string[]): readonly string[] {
  return [...duplicates.map((path) => `duplicate field "${path}"`), ...unknown.map((path) => `unknown field "${path}"`)];
}

/** Makes the refusal of a body that cannot be decoded as its kind. */
export function undecodable(
  { type, version }: Served,
  cause: string,
  given: { readonly kind: string; readonly apiVersion: string } = { kind: type.kind, apiVersion: version.apiVersion },
): StatusError {
  const name = given.apiVersion.split("/").at(-1) ?? "";
  return badRequest(`${given.kind} in version ${goQuote(name)} cannot be handled as a ${type.kind}: ${cause}`);
}

/** Returns the text for a body whose kind cannot be read. */
export function unrecognized(served: Served, cause: string, text: string): string {
  return `the object provided is unrecognized (must be of type ${served.type.kind}): ${cause} (${summary(text)})`;
}

/**
 * Completes an object of the right kind. A null that the schema does not allow counts as absent. With `keepsNulls` it stays
 * where there is no default, so that the validation refuses it.
 *
 * @throws MetaTypeError
 */
export function complete(served: Served, body: JsonObject, { keepsNulls = false }: { readonly keepsNulls?: boolean } = {}): Incoming {
  const { type, version } = served;
  const unknown: string[] = [];
  const { apiVersion: _, kind: __, metadata: rawMeta, ...rest } = body;
  const metadata = readMeta(rawMeta, unknown);
  // In Go's structs an empty list is not an absent one: it resets managedFields, as an empty entry does.
  if (!type.isCustom && isEmptyList(valueAt(rawMeta, ["managedFields"]))) metadata["managedFields"] = [{}];
  let object: JsonObject = { apiVersion: version.apiVersion, kind: type.kind, metadata, ...rest };
  const definition = type.isCustom ? undefined : definitionOf(type, version);
  if (definition !== undefined) object = decodeObject(definition, object, unknown);
  if (version.schema === undefined) return { draft: object as Draft, unknown };
  const [pruned, embedded]: [string[], string[]] = [[], []];
  object = pruneObject(object, version.schema, pruned);
  object = readEmbedded(object, version.schema, embedded) as JsonObject; // an object stays one
  object = applyDefaults(object, version.schema, keepsNulls);
  // The real server reads these one after the other, and sorts the fields of each.
  return { draft: object as Draft, unknown: [unknown, pruned, embedded].flatMap((paths) => paths.toSorted()) };
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Returns the beginning of a body; in hexadecimal digits unless it looks like JSON. */
function summary(text: string): string {
  if (text === "") return "<empty>";
  const bytes = Buffer.from(text);
  const head = bytes.subarray(0, SUMMARY_BYTES);
  return `${head.toString(text.startsWith("{") ? "utf8" : "hex")}${bytes.length > SUMMARY_BYTES ? " ..." : ""}`;
}

const SUMMARY_BYTES = 30;

function nameIn(body: JsonObject): string {
  const name = valueAt(body, ["metadata", "name"]);
  return typeof name === "string" ? name : "";
}
