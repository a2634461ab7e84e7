/**
 * Objects inside objects (`x-kubernetes-embedded-resource`). Their metadata is read as that of an object: unknown fields are
 * removed, and a wrong type is a refusal. They need apiVersion, kind and valid metadata.
 */
import { dns1035LabelProblems, jsonEqual } from "@treadle/apimachinery";
import { aggregate, type FieldError, invalid, required } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import type { Draft } from "../storage/stored-object.ts";
import { metaErrors, readMeta } from "./object-meta.ts";
import { type CompiledSchema, fieldSchema } from "../schema/schema.ts";

/**
 * Returns `value` with the metadata of its embedded objects as the server stores it. The same reference is returned when nothing
 * changes. The paths of unknown fields are added to `unknown`. The object itself was read before.
 *
 * @throws MetaTypeError
 */
export function readEmbedded(value: unknown, schema: CompiledSchema | undefined, unknown: string[], path = ""): unknown {
  if (schema === undefined || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    const items = value.map((item, i) => readEmbedded(item, schema.items, unknown, `${path}[${i}]`));
    return items.every((item, i) => item === value[i]) ? value : items;
  }
  const object = value as JsonObject; // neither null nor a list
  let result: JsonObject | undefined;
  for (const field in object) {
    const at = path === "" ? field : `${path}.${field}`;
    const isMetadata = schema.isEmbedded && path !== "" && field === "metadata";
    const before = object[field];
    const after = isMetadata ? readMetaAt(before, at, unknown) : readEmbedded(before, fieldSchema(schema, field), unknown, at);
    if (after !== before) (result ??= { ...object })[field] = after;
  }
  return result ?? object;
}

function readMetaAt(raw: unknown, at: string, unknown: string[]): unknown {
  const found: string[] = [];
  try {
    const metadata = readMeta(raw, found);
    unknown.push(...found.map((path) => `${at}${path.slice("metadata".length)}`));
    return jsonEqual(metadata, raw) ? raw : metadata;
  } catch (error) {
    if (error instanceof MetaTypeError) throw new EmbeddedMetaError(error, raw, at);
    throw error;
  }
}

/** Metadata of an embedded object that cannot be decoded. */
class EmbeddedMetaError extends MetaTypeError {
  readonly #text: string;

  constructor(error: MetaTypeError, raw: unknown, at: string) {
    super(error.path, error.goType, error.given);
    const kind = { isCustom: true, kind: "ObjectMeta" };
    const target = error.path.length === 0 ? "v1.ObjectMeta" : undefined;
    const text = target === undefined ? error.describe(kind) : `json: cannot unmarshal ${error.given} into Go value of type ${target}`;
    this.#text = aggregate([invalid(at, raw, text)]);
  }

  override describe(): string {
    return this.#text;
  }
}

/** Returns the errors of the embedded objects below `value`. The object itself was checked when it was read. */
export function embeddedErrors(value: unknown, schema: CompiledSchema | undefined, path = ""): FieldError[] {
  if (schema === undefined) return [];
  if (Array.isArray(value)) return value.flatMap((item, i) => embeddedErrors(item, schema.items, `${path}[${i}]`));
  if (!isObject(value)) return [];
  const errors = schema.isEmbedded && path !== "" ? resourceErrors(value, path) : [];
  for (const field in value) {
    const found = embeddedErrors(value[field], fieldSchema(schema, field), path === "" ? field : `${path}.${field}`);
    if (found.length > 0) errors.push(...found);
  }
  return errors;
}

function resourceErrors(object: JsonObject, path: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const field of ["apiVersion", "kind"]) {
    const value = object[field];
    const at = `${path}.${field}`;
    if (!Object.hasOwn(object, field)) errors.push(required(at));
    else if (typeof value !== "string") errors.push(invalid(at, value, "must be a string"));
    else if (value === "") errors.push(invalid(at, value, "must not be empty"));
    else if (field === "apiVersion" && value.split("/").length > 2)
      errors.push(invalid(at, value, `unexpected GroupVersion string: ${value}`));
    else if (field === "kind") {
      const problems = dns1035LabelProblems(value.toLowerCase());
      if (problems.length > 0) errors.push(invalid(at, value, `may have mixed case, but should otherwise match: ${problems.join(",")}`));
    }
  }
  const metadata = object["metadata"];
  if (isObject(metadata)) for (const error of embeddedMetaErrors(metadata)) errors.push({ ...error, field: `${path}.${error.field}` });
  return errors;
}

/** Returns the errors of the metadata of an object inside another one. Such an object needs no name. */
function embeddedMetaErrors(meta: JsonObject): FieldError[] {
  const { namespace } = meta;
  const isNamespaced = typeof namespace === "string" && namespace !== "";
  const type = { nameRule: "segment", isNamespaced } as const;
  return metaErrors(type, { metadata: { ...meta, name: meta["name"] || "unnamed" } } as unknown as Draft); // has only metadata
}
