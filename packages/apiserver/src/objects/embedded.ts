/** Validates objects inside objects (`x-kubernetes-embedded-resource`). They need apiVersion, kind and valid metadata. */
import { dns1035LabelProblems } from "@treadle/apimachinery";
import { type FieldError, invalid, required } from "../errors/field-errors.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { readMeta } from "./object-meta.ts";
import { type CompiledSchema, fieldSchema } from "../schema/schema.ts";

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
  try {
    readMeta(object["metadata"]);
  } catch (error) {
    if (!(error instanceof MetaTypeError)) throw error;
    errors.push(invalid(`${path}.metadata`, object["metadata"], error.message));
  }
  return errors;
}
