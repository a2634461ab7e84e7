/** The TypeScript type of a structural schema. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import { commentOf, linesAbout } from "./comment.ts";

/**
 * Returns the type of the values of a schema. `indent` is that of the line on which the type begins.
 *
 * A structural schema has its types outside of `oneOf`, `anyOf`, `allOf` and `not`, so these are only rules and change no type.
 */
export function typeOf(schema: JsonSchema, indent: string): string {
  const type = withoutNull(schema, indent);
  if (schema.nullable !== true || type === "unknown" || schema.enum?.includes(null) === true) return type;
  return `${type} | null`;
}

/** Returns the fields of an object, one for each line, with their comments. */
export function fieldsOf({ properties = {}, required = [] }: JsonSchema, indent: string): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const mark = required.includes(name) ? "" : "?";
      return `${commentOf(linesAbout(schema), indent)}${indent}readonly ${key(name)}${mark}: ${typeOf(schema, indent)};\n`;
    })
    .join("");
}

function withoutNull(schema: JsonSchema, indent: string): string {
  const { type, items } = schema;
  if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
  if (schema.enum !== undefined && schema.enum.every(isScalar))
    return [...new Set(schema.enum)].map((each) => JSON.stringify(each)).join(" | ");
  switch (type) {
    case "string":
      return "string";
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "array":
      return items === undefined ? "readonly unknown[]" : `readonly ${inList(typeOf(items, indent))}[]`;
    case "object":
      return objectType(schema, indent);
    default:
      return schema.properties === undefined ? "unknown" : objectType(schema, indent);
  }
}

function objectType(schema: JsonSchema, indent: string): string {
  const { properties = {}, additionalProperties } = schema;
  const isOpen = schema["x-kubernetes-preserve-unknown-fields"] === true;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const inner = `${indent}  `;
  if (Object.keys(properties).length === 0 && !isEmbedded) {
    if (typeof additionalProperties === "object") return `{ readonly [key: string]: ${typeOf(additionalProperties, indent)} }`;
    // Without fields in the schema the server removes all fields.
    return isOpen || additionalProperties === true ? "{ readonly [key: string]: unknown }" : "{ readonly [key: string]: never }";
  }
  const embedded = Object.entries(EMBEDDED).filter(([name]) => isEmbedded && properties[name] === undefined);
  const lines = embedded.map(([, text]) => `${inner}${text}\n`).join("");
  return `{\n${lines}${fieldsOf(embeddedSchema(schema, isEmbedded), inner)}${isOpen ? `${inner}readonly [field: string]: unknown;\n` : ""}${indent}}`;
}

/** The fields of a whole object in a field. */
const EMBEDDED = {
  apiVersion: "readonly apiVersion: string;",
  kind: "readonly kind: string;",
  metadata:
    "readonly metadata?: { readonly name?: string; readonly namespace?: string; readonly labels?: { readonly [key: string]: string }; " +
    "readonly annotations?: { readonly [key: string]: string }; readonly [field: string]: unknown };",
} as const;

/** The server requires both of a whole object. */
function embeddedSchema(schema: JsonSchema, isEmbedded: boolean): JsonSchema {
  return isEmbedded ? { ...schema, required: [...(schema.required ?? []), "apiVersion", "kind"] } : schema;
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

/** A union needs parentheses as an element. */
function inList(type: string): string {
  const isPlain = /^[a-zA-Z]+$/.test(type) || (type.startsWith("{") && type.endsWith("}"));
  return isPlain ? type : `(${type})`;
}

function key(name: string): string {
  return isIdentifier(name) ? name : JSON.stringify(name);
}

/** Returns whether a name can be written without quotes. */
export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name);
}
