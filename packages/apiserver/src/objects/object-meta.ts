/**
 * Reads and validates `metadata` as the API server does: known fields, immutable fields, names, labels, finalizers. The texts
 * are those of k8s.io/apimachinery `api/validation`.
 */
import { dns1123LabelProblems, dns1123SubdomainProblems, jsonEqual, labelKeyProblems, labelValueProblems } from "@treadle/apimachinery";
import { type FieldError, forbidden, invalid, required, tooLong } from "../errors/field-errors.ts";
import { goQuote, goTypeOf, isObject, type JsonObject } from "../internal/json.ts";
import { MetaTypeError, TIME } from "../errors/meta-type-error.ts";
import type { NameRule, ResourceType } from "../storage/registry.ts";
import type { Draft } from "../storage/stored-object.ts";

/**
 * Copies the known fields of `metadata`. Empty fields are omitted, as Go does. The names of unknown fields are added to
 * `unknown`.
 *
 * @throws MetaTypeError
 */
export function readMeta(raw: unknown, unknown: string[] = []): JsonObject {
  if (raw === undefined || raw === null) return {};
  if (!isObject(raw)) throw wrongType(raw, [], "v1.ObjectMeta");
  const meta: JsonObject = {};
  for (const field in raw) {
    const value = raw[field];
    const read = READERS[field];
    if (read === undefined || !Object.hasOwn(READERS, field)) {
      unknown.push(`metadata.${field}`);
      continue;
    }
    if (value === null || value === undefined) continue;
    const clean = read(value, [field]);
    if (clean !== undefined) meta[field] = clean;
  }
  return meta;
}

/** Returns the problems of a name. `isPrefix`: more characters will follow (generateName). */
export function nameProblems(rule: NameRule, name: string, isPrefix: boolean): readonly string[] {
  // The limits of names count characters, those of labels bytes. The same check serves both.
  return problemsOf(rule, name, isPrefix).map((problem) => problem.replace(/ bytes$/, " characters"));
}

function problemsOf(rule: NameRule, name: string, isPrefix: boolean): readonly string[] {
  // A trailing dash is allowed when more characters follow.
  const whole = isPrefix && name.length > 1 && name.endsWith("-") ? `${name.slice(0, -2)}a` : name;
  switch (rule) {
    case "subdomain":
      return dns1123SubdomainProblems(whole);
    case "label":
      return hasOnlyDots(whole) ? [NO_DOTS] : dns1123LabelProblems(whole);
    case "segment":
      return segmentProblems(name, isPrefix);
  }
}

const NO_DOTS = "must not contain dots";

/** Reports whether a name is a valid sequence of labels where one label is required. */
function hasOnlyDots(name: string): boolean {
  return name.includes(".") && dns1123SubdomainProblems(name).length === 0;
}

/** Returns all errors of the metadata of an object to store. */
export function metaErrors(type: ResourceType, draft: Draft): FieldError[] {
  const meta = draft.metadata;
  const errors: FieldError[] = [];
  const generateName = meta["generateName"];
  if (typeof generateName === "string") {
    for (const text of nameProblems(type.nameRule, generateName, true)) errors.push(invalid("metadata.generateName", generateName, text));
  }
  if (!meta.name) errors.push(required("metadata.name", "name or generateName is required"));
  else for (const text of nameProblems(type.nameRule, meta.name, false)) errors.push(invalid("metadata.name", meta.name, text));
  if (type.isNamespaced) {
    if (!meta.namespace) errors.push(required("metadata.namespace"));
    else for (const text of dns1123LabelProblems(meta.namespace)) errors.push(invalid("metadata.namespace", meta.namespace, text));
  }
  const { generation } = meta;
  if (typeof generation === "number" && generation < 0)
    errors.push(invalid("metadata.generation", generation, "must be greater than or equal to 0"));
  errors.push(...metaContentErrors(meta), ...finalizerErrors(meta["finalizers"]));
  return errors;
}

/** Returns the errors of labels, annotations and owner references. */
export function metaContentErrors(meta: JsonObject): FieldError[] {
  return [...labelErrors(meta["labels"]), ...annotationErrors(meta["annotations"]), ...ownerErrors(meta["ownerReferences"])];
}

/** Returns the errors of an update of the metadata. */
export function metaUpdateErrors(meta: JsonObject, old: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  if (old["deletionTimestamp"] !== undefined) {
    const before = new Set(stringsOf(old["finalizers"]));
    const added = stringsOf(meta["finalizers"]).filter((name) => !before.has(name));
    if (added.length > 0) {
      const shown = `[]string{${added.toSorted().map(goQuote).join(", ")}}`;
      errors.push(
        forbidden("metadata.finalizers", `no new finalizers can be added if the object is being deleted, found new finalizers ${shown}`),
      );
    }
  }
  for (const field of IMMUTABLE) {
    if (!jsonEqual(meta[field], old[field])) errors.push(invalid(`metadata.${field}`, meta[field] ?? null, "field is immutable"));
  }
  return errors;
}

export function stringsOf(value: unknown): readonly string[] {
  // readMeta has read the lists of strings in metadata.
  return Array.isArray(value) ? (value as string[]) : [];
}

const IMMUTABLE = ["name", "namespace", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

/** k8s.io/apimachinery `TotalAnnotationSizeLimitB`. */
const MAX_ANNOTATION_BYTES = 256 * 1024;

type Reader = (value: unknown, path: readonly string[]) => unknown;

const textOf: (goType: string) => Reader = (goType) => (value, path) => {
  if (typeof value !== "string") throw wrongType(value, path, goType);
  return value === "" ? undefined : value;
};
const text = textOf("string");
const uid = textOf("types.UID");
const integer: Reader = (value, path) => {
  if (typeof value !== "number" || !Number.isInteger(value)) throw wrongType(value, path, "int64");
  return value;
};
const time: Reader = (value, path) => {
  if (typeof value !== "string") throw wrongType(value, path, "string");
  const at = Date.parse(value);
  if (!/^\d{4}-\d\d-\d\dT/.test(value) || Number.isNaN(at)) {
    const layout = '"2006-01-02T15:04:05Z07:00"';
    throw new MetaTypeError(path, TIME, `parsing time ${goQuote(value)} as ${layout}: cannot parse ${goQuote(value)} as "2006"`);
  }
  return secondsOf(at);
};
const textMap: Reader = (value, path) => {
  if (!isObject(value)) throw wrongType(value, path, "map[string]string");
  const map: Record<string, string> = {};
  let isEmpty = true;
  for (const key in value) {
    const item = value[key] ?? "";
    if (typeof item !== "string") throw wrongType(item, path, "string");
    map[key] = item;
    isEmpty = false;
  }
  return isEmpty ? undefined : map;
};
const textList: Reader = (value, path) => {
  if (!Array.isArray(value)) throw wrongType(value, path, "[]string");
  for (const item of value) if (typeof item !== "string") throw wrongType(item, path, "string");
  return value.length === 0 ? undefined : [...value];
};
const objectList: (goType: string, fields: Readonly<Record<string, Reader>>) => Reader = (goType, fields) => (value, path) => {
  if (!Array.isArray(value)) throw wrongType(value, path, `[]${goType}`);
  const list = value.map((item) => {
    if (!isObject(item)) throw wrongType(item, path, goType);
    const clean: JsonObject = {};
    for (const key in fields) {
      const given = Object.hasOwn(item, key) ? item[key] : undefined;
      const read = given === undefined || given === null ? undefined : fields[key]?.(given, [...path, key]);
      if (read !== undefined) clean[key] = read;
    }
    return clean;
  });
  return list.length === 0 ? undefined : list;
};
const boolean: Reader = (value, path) => {
  if (typeof value !== "boolean") throw wrongType(value, path, "bool");
  return value;
};
const anyObject: Reader = (value, path) => {
  if (!isObject(value)) throw wrongType(value, path, "v1.FieldsV1");
  return value;
};

const READERS: Readonly<Record<string, Reader>> = {
  name: text,
  generateName: text,
  namespace: text,
  selfLink: text,
  uid,
  resourceVersion: text,
  generation: (value, path) => integer(value, path) || undefined,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: integer,
  labels: textMap,
  annotations: textMap,
  ownerReferences: objectList("v1.OwnerReference", {
    apiVersion: text,
    kind: text,
    name: text,
    uid,
    controller: boolean,
    blockOwnerDeletion: boolean,
  }),
  finalizers: textList,
  managedFields: objectList("v1.ManagedFieldsEntry", {
    manager: text,
    operation: textOf("v1.ManagedFieldsOperationType"),
    apiVersion: text,
    time,
    fieldsType: text,
    fieldsV1: anyObject,
    subresource: text,
  }),
};

/** Returns a time as the API writes it: RFC 3339 in whole seconds. */
export function secondsOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

function wrongType(value: unknown, path: readonly string[], goType: string): MetaTypeError {
  // Go shows a number where a number of another type is needed.
  const number = goType === "int64" && typeof value === "number" ? ` ${value}` : "";
  return new MetaTypeError(path, goType, `${goTypeOf(value)}${number}`);
}

function segmentProblems(name: string, isPrefix: boolean): readonly string[] {
  if (!isPrefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

/** Returns the errors of labels, whose values are strings. */
export function labelErrors(labels: unknown): FieldError[] {
  const errors: FieldError[] = [];
  if (!isObject(labels)) return errors;
  for (const key in labels) {
    for (const problem of labelKeyProblems(key)) errors.push(invalid("metadata.labels", key, problem));
    const value = labels[key] as string; // read by textMap
    for (const problem of labelValueProblems(value)) errors.push(invalid("metadata.labels", value, problem));
  }
  return errors;
}

/** Returns the errors of annotations, whose values are strings. */
export function annotationErrors(annotations: unknown, at = "metadata.annotations"): FieldError[] {
  const errors: FieldError[] = [];
  if (!isObject(annotations)) return errors;
  let bytes = 0;
  for (const key in annotations) {
    for (const problem of labelKeyProblems(key.toLowerCase())) errors.push(invalid(at, key, problem));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(annotations[key] as string); // read by textMap
  }
  if (bytes > MAX_ANNOTATION_BYTES) errors.push(tooLong(at, MAX_ANNOTATION_BYTES));
  return errors;
}

function ownerErrors(references: unknown): FieldError[] {
  if (!Array.isArray(references)) return [];
  const errors: FieldError[] = [];
  let controller: string | undefined;
  references.forEach((reference: JsonObject) => {
    const at = "metadata.ownerReferences";
    const { apiVersion = "" } = reference;
    if (apiVersion === "" || String(apiVersion).split("/").length > 2)
      errors.push(invalid(`${at}.apiVersion`, apiVersion, "version must not be empty"));
    for (const field of ["kind", "name", "uid"]) if (!reference[field]) errors.push(invalid(`${at}.${field}`, "", "must not be empty"));
    if (apiVersion === "v1" && reference["kind"] === "Event")
      errors.push(withReferences(invalid(at, null, "/v1, Kind=Event is disallowed from being an owner"), reference));
    if (reference["controller"] !== true) return;
    const name = `${String(reference["kind"])}/${String(reference["name"])}`;
    if (controller === undefined) controller = name;
    else {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${name}`;
      errors.push(withReferences(invalid(at, null, detail), references));
    }
  });
  return errors;
}

/** Go prints owner references in the order of its struct, not by name. */
function withReferences(error: FieldError, references: JsonObject | readonly JsonObject[]): FieldError {
  const order = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"];
  return { ...error, body: error.body.replace("null", () => JSON.stringify(references, order)) };
}

/** Returns the warnings about new finalizers of a custom resource. For built-in kinds such names are errors. */
export function finalizerWarnings(meta: JsonObject, old: JsonObject = {}): readonly string[] {
  const known = new Set([...stringsOf(old["finalizers"]), ...STANDARD_FINALIZERS]);
  const added = new Set(stringsOf(meta["finalizers"]).filter((name) => !name.includes("/") && !known.has(name)));
  const advice = (name: string): string =>
    `prefer a domain-qualified finalizer name ${name.includes(".") ? "including a path (/) " : ""}to avoid accidental conflicts with other finalizer writers`;
  return [...added].toSorted().map((name) => `metadata.finalizers: ${goQuote(name)}: ${advice(name)}`);
}

const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"] as const;

function finalizerErrors(finalizers: unknown): FieldError[] {
  const names = stringsOf(finalizers);
  const errors = names.flatMap((name) => labelKeyProblems(name).map((problem) => invalid("metadata.finalizers", name, problem)));
  if (names.includes("orphan") && names.includes("foregroundDeletion")) {
    errors.push(invalid("metadata.finalizers", names, "finalizer orphan and foregroundDeletion cannot be both set"));
  }
  return errors;
}
