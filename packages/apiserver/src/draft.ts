/**
 * From what a client sent to what may be stored: kind and version checked, metadata read, unknown fields pruned,
 * defaults applied, everything validated. The client's object is not kept.
 */
import { applyDefaults, pruneObject } from "./crd/coerce.ts";
import { embeddedErrors } from "./crd/embedded.ts";
import { listErrors, schemaErrors } from "./crd/validate.ts";
import { type FieldError, invalid } from "./field-errors.ts";
import { isObject, type JsonObject, valueAt } from "./internal/json.ts";
import { managedAfterUpdate, managedBefore } from "./managed-fields/update.ts";
import { MetaTypeError, metaErrors, metaUpdateErrors, readMeta, secondsOf } from "./object-meta.ts";
import type { Call } from "./context.ts";
import type { FieldValidation, WriteOptions } from "./options.ts";
import type { ScalePaths, Served } from "./registry.ts";
import { badRequest, invalidObject } from "./status-errors.ts";
import type { Draft, StoredObject } from "./storage.ts";
import { ownershipSchema } from "./managed-fields/schemas.ts";
import type { CompiledSchema } from "./crd/schema.ts";

/** An object as a client sent it, read and completed; `unknown` names the fields that it does not have. */
export interface Incoming {
  readonly draft: Draft;
  readonly unknown: readonly string[];
}

/** Reads a decoded body as an object of the served kind. @throws StatusError 400, 422 */
export function readObject(served: Served, body: unknown): Incoming {
  if (!isObject(body)) throw badRequest(unrecognized(served, "json: cannot unmarshal into Go value of type map[string]interface {}"));
  const { type, version } = served;
  const kind = body["kind"];
  const apiVersion = body["apiVersion"];
  if (typeof kind !== "string" || kind === "") throw badRequest(unrecognized(served, `Object 'Kind' is missing in '${clip(body)}'`));
  if (typeof apiVersion !== "string" || apiVersion === "") {
    throw badRequest(unrecognized(served, `Object 'apiVersion' is missing in '${clip(body)}'`));
  }
  if (apiVersion !== version.apiVersion) {
    throw badRequest(`the API version in the data (${apiVersion}) does not match the expected API version (${version.apiVersion})`);
  }
  if (kind !== type.kind) {
    if (type.isCustom)
      throw invalidObject({ group: type.group, kind: type.kind }, nameIn(body), [invalid("kind", kind, `must be ${type.kind}`)]);
    throw badRequest(
      `${kind} in version ${JSON.stringify(version.version)} cannot be handled as a ${type.kind}: converting to ${type.kind}: unknown conversion`,
    );
  }
  return complete(served, body);
}

/** Refuses or reports unknown fields, as the client asked. @throws StatusError 400 */
export function checkUnknown(call: Call, unknown: readonly string[], validation: FieldValidation): void {
  if (unknown.length === 0 || validation === "Ignore") return;
  const texts = unknown.toSorted().map((path) => `unknown field "${path}"`);
  if (validation === "Warn") {
    call.warnings.push(...texts);
    return;
  }
  const { type, version } = call.served;
  throw badRequest(
    `${type.kind} in version ${JSON.stringify(version.version)} cannot be handled as a ${type.kind}: strict decoding error: ${texts.join(", ")}`,
  );
}

/** What validation needs to know of a write. */
export interface Written {
  readonly draft: Draft;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
}

/** @throws StatusError 422 with everything that is wrong. */
export function validateDraft(served: Served, { draft, live, subresource }: Written): void {
  const { type, version } = served;
  const errors: FieldError[] = [];
  if (live !== undefined) errors.push(...metaUpdateErrors(draft.metadata, live.metadata));
  if (version.schema !== undefined) errors.push(...customErrors(version.schema, draft, live, subresource));
  if (version.scale !== undefined) errors.push(...scaleErrors(version.scale, draft, subresource));
  if (subresource === "") errors.push(...(type.hooks.validate?.(draft, live) ?? []));
  if (errors.length === 0) errors.push(...metaErrors(type, draft));
  if (errors.length > 0) throw invalidObject({ group: type.group, kind: type.kind }, draft.metadata.name ?? "", errors);
}

/** Records who wrote what into the draft. `requested` is the managedFields of the request. */
export function recordOwner(call: Call, written: Written, requested: unknown, options: WriteOptions): void {
  const { draft, live, subresource } = written;
  const { version } = call.served;
  delete draft.metadata["managedFields"];
  const managed = managedAfterUpdate({
    before: live as JsonObject | undefined,
    after: draft,
    schema: ownershipOf(version),
    managed: managedBefore(requested, live?.metadata["managedFields"], subresource !== ""),
    writer: {
      manager: options.fieldManager,
      operation: "Update",
      apiVersion: version.apiVersion,
      subresource,
      time: secondsOf(call.parts.clock.now()),
    },
  });
  if (managed.length > 0) draft.metadata["managedFields"] = managed;
}

/** The draft in the form in which the kind is stored. */
export function toStored(served: Served, draft: Draft): Draft {
  const { type, version } = served;
  const storage = type.storage;
  let stored: JsonObject = version.toStored === undefined ? draft : version.toStored(draft);
  if (storage.apiVersion !== version.apiVersion) {
    stored = { ...stored, apiVersion: storage.apiVersion };
    if (storage.schema !== undefined) stored = applyDefaults(pruneObject(stored, storage.schema), storage.schema);
  }
  return stored as Draft; // kind and metadata are those of the draft
}

/** Completes an object whose kind is known to be right. @throws StatusError 400 */
export function complete(served: Served, body: JsonObject): Incoming {
  const { type, version } = served;
  const unknown: string[] = [];
  const { apiVersion: _, kind: __, metadata: rawMeta, ...rest } = body;
  let metadata: JsonObject;
  try {
    metadata = readMeta(rawMeta, unknown);
  } catch (error) {
    if (!(error instanceof MetaTypeError)) throw error;
    throw badRequest(`${type.kind} in version ${JSON.stringify(version.version)} cannot be handled as a ${type.kind}: ${error.message}`);
  }
  let object: JsonObject = { apiVersion: version.apiVersion, kind: type.kind, metadata, ...rest };
  if (version.schema !== undefined) object = applyDefaults(pruneObject(object, version.schema, unknown), version.schema);
  return { draft: object as Draft, unknown };
}

const OWNERSHIP = new WeakMap<object, CompiledSchema>();

/** The ownership schema of a version, made once. */
function ownershipOf(version: Served["version"]): CompiledSchema {
  let schema = OWNERSHIP.get(version);
  if (schema === undefined) {
    schema = ownershipSchema(version.schema);
    OWNERSHIP.set(version, schema);
  }
  return schema;
}

function customErrors(schema: CompiledSchema, draft: Draft, live: StoredObject | undefined, subresource: string): FieldError[] {
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

function scaleErrors(scale: ScalePaths, draft: Draft, subresource: string): FieldError[] {
  const errors: FieldError[] = [];
  const paths = subresource === "status" ? [scale.statusReplicas] : [scale.specReplicas, scale.statusReplicas];
  for (const path of paths) {
    const value = valueAt(draft, path);
    const at = `.${path.join(".")}`;
    if (value === undefined || value === null) continue;
    if (typeof value !== "number")
      errors.push(invalid(at, 0, `${at} accessor error: ${JSON.stringify(value)} is of the type ${typeof value}, expected int64`));
    else if (value < 0) errors.push(invalid(at, value, "should be a non-negative integer"));
    else if (value > 2 ** 31 - 1) errors.push(invalid(at, value, `should be less than or equal to ${2 ** 31 - 1}`));
  }
  return errors;
}

function unrecognized(served: Served, cause: string): string {
  return `the object provided is unrecognized (must be of type ${served.type.kind}): ${cause}`;
}

function clip(body: JsonObject): string {
  const text = JSON.stringify(body);
  return text.length > 500 ? `${text.slice(0, 500)}...` : text;
}

function nameIn(body: JsonObject): string {
  const name = valueAt(body, ["metadata", "name"]);
  return typeof name === "string" ? name : "";
}
