/**
 * From what a client sent to what may be stored: kind and version checked, metadata read, unknown fields pruned,
 * defaults applied, everything validated. The client's object is not kept.
 */
import { jsonEqual, type ManagedFieldsEntry } from "@treadle/apimachinery";
import { applyDefaults, pruneObject } from "./crd/coerce.ts";
import { ruleErrorsAfter } from "./cel/validate.ts";
import { embeddedErrors } from "./crd/embedded.ts";
import { listErrors, schemaErrors } from "./crd/validate.ts";
import { type FieldError, invalid } from "./field-errors.ts";
import { cloneJson, goQuote, isObject, type JsonObject, valueAt, goDynamicType, goValue } from "./internal/json.ts";
import { managedAfterUpdate, managedBefore } from "./managed-fields/update.ts";
import { MetaTypeError } from "./meta-type-error.ts";
import { metaErrors, metaUpdateErrors, readMeta, secondsOf } from "./object-meta.ts";
import { decodeObject, emptyOf } from "./builtin/decode.ts";
import { definitionOf } from "./builtin/schemas.ts";
import type { Call } from "./context.ts";
import type { FieldValidation, WriteOptions } from "./options.ts";
import type { ScalePaths, Served } from "./registry.ts";
import { badRequest, invalidObject, type StatusError } from "./status-errors.ts";
import type { Draft, StoredObject } from "./storage.ts";
import { modelOf } from "./managed-fields/model.ts";
import { NO_RESIDUE, type Residue } from "./verbs/residue.ts";
import type { CompiledSchema } from "./crd/schema.ts";

/** An object as a client sent it, read and completed; `unknown` names the fields that it does not have. */
export interface Incoming {
  readonly draft: Draft;
  readonly unknown: readonly string[];
}

/** Reads a parsed body as an object of the served kind; `text` is what the client sent. @throws StatusError 400, 422 */
export function readObject(served: Served, body: unknown, text: string): Incoming {
  const { type, version } = served;
  const object = isObject(body) ? body : {};
  // Built-in kinds are what their path says, unless the body says otherwise.
  const implied = type.isCustom ? { kind: "", apiVersion: "" } : { kind: type.kind, apiVersion: version.apiVersion };
  const kind = object["kind"] || implied.kind;
  const apiVersion = object["apiVersion"] || implied.apiVersion;
  if (kind === "") throw badRequest(unrecognized(served, `Object 'Kind' is missing in '${text}'`, text));
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

/** The kind that an object says it is must be the one of its path. @throws StatusError 422 */
export function checkKind({ type }: Served, object: JsonObject): void {
  const kind = String(object["kind"]);
  if (kind === type.kind) return;
  throw invalidObject({ group: type.group, kind }, nameIn(object), [invalid("kind", kind, `must be ${type.kind}`)]);
}

/** Why an object of that kind cannot be taken as one of a built-in kind. */
export function foreign({ type, version }: Served, kind: string, apiVersion: string): string {
  if (apiVersion !== version.apiVersion || kind === type.kind)
    return `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in ${SCHEME}`;
  const goPackage = type.group === "" ? "core" : (type.group.split(".")[0] ?? "");
  return `converting (${version.version}.${kind}) to (${goPackage}.${type.kind}): unknown conversion`;
}

/** How the real server names its table of kinds. */
export const SCHEME = 'scheme "pkg/runtime/scheme.go:111"';

/** Refuses or reports fields that are unknown or repeated, as the client asked. @throws what `refuse` makes of them */
export function checkFields(
  call: Call,
  {
    problems,
    validation,
    refuse,
  }: {
    readonly problems: readonly string[];
    readonly validation: FieldValidation;
    readonly refuse: (cause: string) => StatusError;
  },
): void {
  if (problems.length === 0 || validation === "Ignore") return;
  if (validation === "Warn") call.warnings.push(...problems);
  else throw refuse(`strict decoding error: ${problems.join(", ")}`);
}

/** What is said of fields, in the order of the real server. */
export function fieldProblems(duplicates: readonly string[], unknown: readonly string[]): readonly string[] {
  return [...duplicates.map((path) => `duplicate field "${path}"`), ...unknown.map((path) => `unknown field "${path}"`)];
}

/** A body that cannot be decoded as what it says it is. */
export function undecodable(
  { type, version }: Served,
  cause: string,
  given: { readonly kind: string; readonly apiVersion: string } = { kind: type.kind, apiVersion: version.apiVersion },
): StatusError {
  const name = given.apiVersion.split("/").at(-1) ?? "";
  return badRequest(`${given.kind} in version ${goQuote(name)} cannot be handled as a ${type.kind}: ${cause}`);
}

/** A body of which not even the kind can be read. */
export function unrecognized(served: Served, cause: string, text: string): string {
  return `the object provided is unrecognized (must be of type ${served.type.kind}): ${cause} (${summary(text)})`;
}

/** What validation needs to know of a write. */
export interface Written {
  readonly draft: Draft;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
}

/**
 * Checks all that is to be stored. `warnings` gets what is wrong and passes, because it was so before.
 * @throws StatusError 422 with everything that is wrong.
 */
export function validateDraft(served: Served, { draft, live, subresource }: Written, warnings: string[]): void {
  const { type, version } = served;
  const errors: FieldError[] = [];
  if (live !== undefined) {
    const found = metaUpdateErrors(draft.metadata, live.metadata);
    // The real server checks them twice, for all kinds and for this one, and says so in the causes.
    errors.push(...found, ...found);
  }
  if (version.schema !== undefined) {
    errors.push(...metaErrors(type, draft));
    errors.push(...structureErrors(version.schema, draft, live, subresource));
    errors.push(...ruleErrorsAfter(errors, version.schema, draft, { old: live, warnings }));
  }
  if (version.scale !== undefined) errors.push(...scaleErrors(version.scale, draft, subresource));
  if (subresource === "") errors.push(...(type.hooks.validate?.(draft, live) ?? []));
  if (errors.length === 0) errors.push(...metaErrors(type, draft));
  if (errors.length > 0) throw invalidObject({ group: type.group, kind: type.kind }, draft.metadata.name ?? "", errors);
}

/** Who owns what after an apply. */
export interface AppliedOwnership {
  readonly managed: readonly ManagedFieldsEntry[];
  /** Empty metadata that the apply leaves in the store, see `verbs/residue.ts`. */
  readonly residue: Residue;
}

/** Completes a draft by the rules of its kind. Ownership of fields goes by what it was before the server's own additions. */
export function prepareDraft({ served, parts }: Pick<Call, "served" | "parts">, draft: Draft, live: StoredObject | undefined): void {
  const { convert, prepare } = served.type.hooks;
  convert?.(draft, live as JsonObject | undefined);
  if (prepare === undefined) return;
  const { managedFields: _, ...metadata } = draft.metadata;
  SENT.set(draft, cloneJson({ ...draft, metadata }));
  prepare(draft, live as JsonObject | undefined, parts);
}

/** Notes what a write would have made, where it is to own by that and not by what is stored. */
export function noteSent(draft: Draft, sent: JsonObject): void {
  SENT.set(draft, sent);
}

/** Drafts as they were before `prepare`. */
const SENT = new WeakMap<Draft, JsonObject>();

/** Who owns what after a write: to be found out, of an update, or known, of an apply. */
export type Ownership = { readonly options: WriteOptions; readonly requested: unknown } | AppliedOwnership;

/** Records who wrote what into the draft. */
export function recordOwner(call: Call, written: Written, ownership: Ownership): void {
  const { draft, live } = written;
  const { managed, residue } =
    "options" in ownership ? { managed: managedByUpdate(call, written, ownership), residue: NO_RESIDUE } : ownership;
  delete draft.metadata["managedFields"];
  if (managed.length > 0) draft.metadata["managedFields"] = managed;
  if (live !== undefined && residue === NO_RESIDUE && isSameButForTimes(draft, live))
    draft.metadata["managedFields"] = live.metadata["managedFields"];
}

function managedByUpdate(
  call: Call,
  written: Written,
  { requested, options }: { readonly requested: unknown; readonly options: WriteOptions },
): readonly ManagedFieldsEntry[] {
  const { draft, live, subresource } = written;
  delete draft.metadata["managedFields"];
  return managedAfterUpdate({
    before: live as JsonObject | undefined,
    after: SENT.get(draft) ?? draft,
    empty: emptyOf(call.served),
    model: modelOf(call.served, subresource),
    managed: managedBefore(requested, live?.metadata["managedFields"], subresource !== ""),
    writer: {
      manager: options.fieldManager,
      subresource,
      time: secondsOf(call.parts.clock.now()),
    },
  });
}

/** Times of managedFields do not move when nothing else does, so that such a write is none. */
function isSameButForTimes(draft: Draft, live: StoredObject): boolean {
  const { managedFields: given, ...meta } = draft.metadata;
  const { managedFields: stored, ...liveMeta } = live.metadata;
  if (!Array.isArray(given) || !Array.isArray(stored) || given.length !== stored.length) return false;
  const timeless = (entries: readonly ManagedFieldsEntry[]): readonly unknown[] => entries.map((entry) => ({ ...entry, time: 0 }));
  if (!jsonEqual(timeless(given), timeless(stored)) || !jsonEqual(meta, liveMeta)) return false;
  return jsonEqual({ ...draft, metadata: 0 }, { ...live, metadata: 0 });
}

/**
 * Completes an object whose kind is known to be right. `keepsNulls`: a null that the schema does not allow stays where it
 * has no default, to be refused; else it is taken as absent.
 *
 * @throws MetaTypeError
 */
export function complete(served: Served, body: JsonObject, { keepsNulls = false }: { readonly keepsNulls?: boolean } = {}): Incoming {
  const { type, version } = served;
  const unknown: string[] = [];
  const { apiVersion: _, kind: __, metadata: rawMeta, ...rest } = body;
  const metadata = readMeta(rawMeta, unknown);
  // In Go's structs an empty list is not an absent one: it resets them, as an empty entry does.
  if (!type.isCustom && isEmptyList(valueAt(rawMeta, ["managedFields"]))) metadata["managedFields"] = [{}];
  let object: JsonObject = { apiVersion: version.apiVersion, kind: type.kind, metadata, ...rest };
  const definition = type.isCustom ? undefined : definitionOf(type, version);
  if (definition !== undefined) object = decodeObject(definition, object, unknown);
  if (version.schema !== undefined) object = applyDefaults(pruneObject(object, version.schema, unknown), version.schema, keepsNulls);
  // Of custom resources the real server sorts them.
  return { draft: object as Draft, unknown: type.isCustom ? unknown.toSorted() : unknown };
}

function structureErrors(schema: CompiledSchema, draft: Draft, live: StoredObject | undefined, subresource: string): FieldError[] {
  if (subresource === "status") {
    const sub = schema.properties.get("status");
    if (sub === undefined || draft["status"] === undefined) return [];
    const old = live?.["status"] === undefined ? undefined : { value: live["status"] };
    return [...schemaErrors({ value: draft["status"], schema: sub, path: "", old }, "status"), ...repeatedErrors(schema, draft, live)];
  }
  const old = live === undefined ? undefined : { value: live };
  return [
    ...schemaErrors({ value: draft, schema, path: "", old }),
    ...embeddedErrors(draft, schema),
    ...repeatedErrors(schema, draft, live),
  ];
}

/** Repeated items are let through where the stored object has some already. */
function repeatedErrors(schema: CompiledSchema, draft: Draft, live: StoredObject | undefined): FieldError[] {
  const errors = listErrors(draft, schema);
  return errors.length > 0 && live !== undefined && listErrors(live, schema).length > 0 ? [] : errors;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function scaleErrors(scale: ScalePaths, draft: Draft, subresource: string): FieldError[] {
  const errors: FieldError[] = [];
  const paths = subresource === "status" ? [scale.statusReplicas] : [scale.specReplicas, scale.statusReplicas];
  for (const path of paths) {
    const value = valueAt(draft, path);
    const at = `.${path.join(".")}`;
    if (value === undefined || value === null) continue;
    if (typeof value !== "number")
      errors.push(invalid(at, 0, `${at} accessor error: ${goValue(value)} is of the type ${goDynamicType(value)}, expected int64`));
    else if (value < 0) errors.push(invalid(at, value, "should be a non-negative integer"));
    else if (value > 2 ** 31 - 1) errors.push(invalid(at, value, `should be less than or equal to ${2 ** 31 - 1}`));
  }
  return errors;
}

/** The beginning of a body; of one that does not look like JSON as hexadecimal digits. */
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
