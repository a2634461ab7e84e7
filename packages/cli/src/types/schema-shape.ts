/** Checks that a schema of a file has the form that its type promises: a file may hold anything. Pure. */
import type { JsonSchema } from "@treadle/apimachinery";
import { isRecord } from "../json.ts";

/** The forms of the fields that types are made of, with what a message calls them. */
const FORMS = {
  text: [(value: unknown) => typeof value === "string", "a text"],
  number: [(value: unknown) => typeof value === "number", "a number"],
  texts: [(value: unknown) => Array.isArray(value) && value.every((each) => typeof each === "string"), "a list of texts"],
  list: [Array.isArray, "a list"],
  rules: [
    (value: unknown) =>
      Array.isArray(value) &&
      value.every((each) => isRecord(each) && typeof each["rule"] === "string" && typeof (each["message"] ?? "") === "string"),
    "a list of rules with texts",
  ],
  record: [isRecord, "an object"],
} as const satisfies Record<string, readonly [(value: unknown) => boolean, string]>;

const FIELDS: Readonly<Record<string, keyof typeof FORMS>> = {
  type: "text",
  description: "text",
  format: "text",
  pattern: "text",
  minimum: "number",
  maximum: "number",
  minLength: "number",
  maxLength: "number",
  minItems: "number",
  maxItems: "number",
  minProperties: "number",
  maxProperties: "number",
  multipleOf: "number",
  required: "texts",
  enum: "list",
  properties: "record",
  items: "record",
  "x-kubernetes-list-type": "text",
  "x-kubernetes-list-map-keys": "texts",
  "x-kubernetes-validations": "rules",
};

/** Returns what is wrong with a schema, with the path in it; `undefined`: nothing of what types need. The schema has no cycles. */
export function schemaProblem(schema: unknown, path: string): string | undefined {
  if (!isRecord(schema)) return `${path} is not a schema`;
  for (const [field, name] of Object.entries(FIELDS)) {
    const [isOfForm, what] = FORMS[name];
    const value = schema[field];
    if (value !== undefined && !isOfForm(value)) return `${path}.${field} is not ${what}`;
  }
  const { properties = {}, items, additionalProperties } = schema as JsonSchema; // These have the right forms, but for the last one.
  for (const [name, inner] of Object.entries(properties)) {
    const problem = schemaProblem(inner, `${path}.properties[${JSON.stringify(name)}]`);
    if (problem !== undefined) return problem;
  }
  const inItems = items === undefined ? undefined : schemaProblem(items, `${path}.items`);
  if (inItems !== undefined || additionalProperties === undefined || typeof additionalProperties === "boolean") return inItems;
  return schemaProblem(additionalProperties, `${path}.additionalProperties`);
}
