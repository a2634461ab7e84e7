/**
 * Validates the versions of a CRD. Go's internal type keeps what all versions have in common only once, so errors of it have
 * their own path: {@link sharedErrors}.
 */
import { dns1035LabelProblems, jsonEqual } from "@treadle/apimachinery";
import { duplicate, type FieldError, GoStruct, invalid, required, tooMany } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt } from "../internal/read.ts";
import { rootSchemaErrors } from "./check-schema.ts";
import { isKnownFormat } from "../schema/string-formats.ts";

/** Returns the errors of the names of versions, and of fields that differ between versions. */
export function versionErrors(spec: JsonObject): FieldError[] {
  const versions = listAt(spec, "versions");
  const errors = versions.flatMap((version, i) => {
    const at = `spec.versions[${i}]`;
    const name = textAt(version, "name");
    const problems = labelProblems(name);
    const own = PARTS.filter(({ field }) => !isShared(versions, field)).flatMap((part) => partErrors(part, version, at));
    const found = [...warningErrors(version, `${at}.deprecationWarning`), ...own];
    // The real server reports a missing schema at the version that has none.
    if (!isObject(objectAt(version, "schema")["openAPIV3Schema"])) found.push(required(`${at}.schema.openAPIV3Schema`));
    return problems.length === 0 ? found : [invalid(`${at}.name`, name, problems.join(",")), ...found];
  });
  const names = versions.map((version) => textAt(version, "name"));
  const shown = versions.length === 0 ? (spec["versions"] ?? null) : new GoStruct(versions.map((version) => asInGo(versions, version)));
  if (new Set(names).size < names.length) errors.push(invalid("spec.versions", shown, "must contain unique version names"));
  if (versions.filter((version) => version["storage"] === true).length !== 1)
    errors.push(invalid("spec.versions", shown, "must have exactly one version marked as storage version"));
  const [first = ""] = names;
  const problems = first === "" ? [] : labelProblems(first);
  if (problems.length > 0) errors.push(invalid("spec.version", first, problems.join(",")));
  return errors;
}

/** Returns the errors of fields that are equal in all versions. */
export function sharedErrors(spec: JsonObject): FieldError[] {
  const versions = listAt(spec, "versions");
  const [first] = versions;
  if (first === undefined) return [];
  return PARTS.filter(({ field }) => isShared(versions, field)).flatMap((part) => partErrors(part, first, "spec"));
}

/** Returns warnings about formats that the real server does not check; for an update only about new ones. */
export function formatWarnings(spec: JsonObject, previous: JsonObject): readonly string[] {
  const known = unknownFormats(previous);
  const formats = [...unknownFormats(spec)].filter((format) => !known.has(format));
  return formats.toSorted().map((format) => `unrecognized format ${JSON.stringify(format)}`);
}

function unknownFormats(spec: JsonObject): ReadonlySet<string> {
  const formats = new Set<string>();
  const walk = (schema: unknown): void => {
    if (!isObject(schema)) return;
    const format = textAt(schema, "format");
    if (format !== "" && !isKnownFormat(format, textAt(schema, "type"))) formats.add(format);
    for (const part of [...Object.values(objectAt(schema, "properties")), schema["items"], schema["additionalProperties"], schema["not"]])
      walk(part);
    for (const keyword of ["allOf", "anyOf", "oneOf"]) for (const part of listAt(schema, keyword)) walk(part);
  };
  for (const version of listAt(spec, "versions")) walk(objectAt(version, "schema")["openAPIV3Schema"]);
  return formats;
}

/** Returns the problems of a label. apiextensions-apiserver gives its length in characters. */
export function labelProblems(text: string): readonly string[] {
  return dns1035LabelProblems(text).map((problem) => problem.replace("63 bytes", "63 characters"));
}

interface Part {
  readonly field: string;
  readonly shared: string;
  readonly errors: (value: unknown, at: string, version: JsonObject) => FieldError[];
}

const PARTS: readonly Part[] = [
  {
    field: "schema",
    shared: "validation",
    errors: (value, at) => {
      const schema = objectAt(value)["openAPIV3Schema"];
      return isObject(schema) ? rootSchemaErrors(schema, `${at}.openAPIV3Schema`) : [];
    },
  },
  { field: "subresources", shared: "subresources", errors: (value, at) => scaleErrors(objectAt(value)["scale"], `${at}.scale`) },
  { field: "additionalPrinterColumns", shared: "additionalPrinterColumns", errors: columnErrors },
  { field: "selectableFields", shared: "selectableFields", errors: selectableErrors },
];

function isShared(versions: readonly JsonObject[], field: string): boolean {
  return versions.every((version) => jsonEqual(version[field], versions[0]?.[field]));
}

function partErrors({ field, shared, errors }: Part, version: JsonObject, at: string): FieldError[] {
  return errors(version[field], `${at}.${at === "spec" ? shared : field}`, version);
}

/** Returns a version as Go prints it, without the fields that all versions share. */
function asInGo(versions: readonly JsonObject[], version: JsonObject): object {
  const own = (field: string): unknown => (isShared(versions, field) ? null : (version[field] ?? null));
  return {
    Name: textAt(version, "name"),
    Served: version["served"] === true,
    Storage: version["storage"] === true,
    Deprecated: version["deprecated"] === true,
    DeprecationWarning: version["deprecationWarning"] ?? null,
    Schema: own("schema"),
    Subresources: own("subresources"),
    AdditionalPrinterColumns: own("additionalPrinterColumns"),
    SelectableFields: own("selectableFields"),
  };
}

const MAX_WARNING = 256;

function warningErrors({ deprecated, deprecationWarning: text }: JsonObject, at: string): FieldError[] {
  if (typeof text !== "string") return [];
  const errors: FieldError[] = [];
  if (deprecated !== true) errors.push(invalid(at, text, "can only be set for deprecated versions"));
  if (text === "") errors.push(invalid(at, text, "must not be an empty string"));
  if (Buffer.byteLength(text) > MAX_WARNING) errors.push(invalid(at, text, `must be <= ${MAX_WARNING} characters long`));
  const odd = text.search(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u);
  if (odd >= 0) {
    const index = Buffer.byteLength(text.slice(0, odd));
    errors.push(invalid(at, text, `must only contain printable UTF-8 characters; non-printable character found at index ${index}`));
  }
  return errors;
}

function scaleErrors(scale: unknown, at: string): FieldError[] {
  if (!isObject(scale)) return [];
  const errors: FieldError[] = [];
  for (const [field, root] of [
    ["specReplicasPath", ".spec"],
    ["statusReplicasPath", ".status"],
  ] as const) {
    const path = textAt(scale, field);
    if (path === "") errors.push(required(`${at}.${field}`));
    else if (!path.startsWith(`${root}.`)) errors.push(invalid(`${at}.${field}`, path, `should be a json path under ${root}`));
  }
  const labels = textAt(scale, "labelSelectorPath");
  if (labels !== "" && !/^\.(spec|status)\./.test(labels))
    errors.push(invalid(`${at}.labelSelectorPath`, labels, "should be a json path under either .spec or .status"));
  return errors;
}

const COLUMN_TYPES: readonly string[] = ["boolean", "date", "integer", "number", "string"];
const COLUMN_FORMATS: readonly string[] = ["byte", "date", "date-time", "double", "float", "int32", "int64", "password"];

function columnErrors(columns: unknown, at: string): FieldError[] {
  return listAt(columns).flatMap((column, i) => {
    const place = `${at}[${i}]`;
    const errors: FieldError[] = [];
    if (textAt(column, "name") === "") errors.push(required(`${place}.name`));
    const [type, format, path] = [textAt(column, "type"), textAt(column, "format"), textAt(column, "jsonPath")];
    const types = `must be one of ${COLUMN_TYPES.join(",")}`;
    if (type === "") errors.push(required(`${place}.type`, types));
    else if (!COLUMN_TYPES.includes(type)) errors.push(invalid(`${place}.type`, type, types));
    if (format !== "" && !COLUMN_FORMATS.includes(format))
      errors.push(invalid(`${place}.format`, format, `must be one of ${COLUMN_FORMATS.join(",")}`));
    if (path === "") errors.push(required(`${place}.JSONPath`));
    else if (!path.startsWith(".")) errors.push(invalid(`${place}.JSONPath`, path, "must be a simple json path starting with ."));
    return errors;
  });
}

const MAX_SELECTABLE = 8;

function selectableErrors(fields: unknown, at: string, version: JsonObject): FieldError[] {
  const all = listAt(fields);
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  for (const [i, field] of all.entries()) {
    const place = `${at}[${i}].jsonPath`;
    const path = textAt(field, "jsonPath");
    if (path === "") {
      errors.push(required(place));
      continue;
    }
    const problem = pathProblem(path, objectAt(version, "schema", "openAPIV3Schema"));
    if (problem !== undefined) errors.push(invalid(place, path, problem));
    else if (seen.has(path)) errors.push(duplicate(place, path));
    seen.add(path);
  }
  if (all.length > MAX_SELECTABLE) errors.push(tooMany(at, all.length, MAX_SELECTABLE));
  return errors;
}

/** Returns the reason why a field cannot be used in a field selector. */
function pathProblem(path: string, schema: JsonObject): string | undefined {
  if (!/^[.[]/.test(path)) return `is an invalid path: expected [ or . but got: ${/^[^.[]*/.exec(path)?.[0] ?? ""}`;
  if (path.includes("[")) return "is an invalid path: array notation is not allowed";
  let sub: unknown = schema;
  for (const name of path.slice(1).split(".")) {
    const { properties, additionalProperties } = objectAt(sub);
    sub = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
  }
  if (!isObject(sub) || /^\.metadata(\.|$)/.test(path)) return "is an invalid path: does not refer to a valid field";
  if (["string", "boolean", "integer"].includes(textAt(sub, "type"))) return undefined;
  return "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.";
}
