/** Errors of one field, with the texts of the real API server (k8s.io/apimachinery `util/validation/field`). */
import { goFloat } from "../internal/go-float.ts";
import { goJson, goQuote } from "../internal/json.ts";

export interface FieldError {
  /** `reason` of the status cause. */
  readonly reason: string;
  readonly field: string;
  /** Message without the field. */
  readonly body: string;
}

export function required(field: string, detail = ""): FieldError {
  return fieldError("FieldValueRequired", field, "Required value", detail);
}

export function forbidden(field: string, detail: string): FieldError {
  return fieldError("FieldValueForbidden", field, "Forbidden", detail);
}

/** Value of an error that does not show it. */
export const OMITTED: unique symbol = Symbol("omitted");

export function invalid(field: string, value: unknown, detail: string): FieldError {
  if (value === OMITTED) return fieldError("FieldValueInvalid", field, "Invalid value", detail);
  return fieldError("FieldValueInvalid", field, `Invalid value: ${shown(value)}`, detail);
}

/** Like {@link invalid}, with the reason for a value of the wrong type. */
export function typeInvalid(field: string, value: unknown, detail: string): FieldError {
  return fieldError("FieldValueTypeInvalid", field, `Invalid value: ${shown(value)}`, detail);
}

export function duplicate(field: string, value: unknown, detail = ""): FieldError {
  return fieldError("FieldValueDuplicate", field, `Duplicate value: ${shown(value)}`, detail);
}

export function notSupported(field: string, value: unknown, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`;
  return fieldError("FieldValueNotSupported", field, `Unsupported value: ${shown(value)}`, detail);
}

export function notFound(field: string, value: unknown, detail = ""): FieldError {
  return fieldError("FieldValueNotFound", field, `Not found: ${shown(value)}`, detail);
}

export function tooLong(field: string, maxBytes: number): FieldError {
  const detail = maxBytes < 0 ? "value is too long" : `may not be more than ${maxBytes} ${maxBytes === 1 ? "byte" : "bytes"}`;
  return fieldError("FieldValueTooLong", field, "Too long", detail);
}

export function tooMany(field: string, actual: number, max: number): FieldError {
  return fieldError("FieldValueTooMany", field, `Too many: ${actual}`, `must have at most ${max} ${max === 1 ? "item" : "items"}`);
}

/** Joins several errors into one text, without duplicates. More than one are listed in brackets. */
export function aggregate(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map((error) => `${error.field}: ${error.body}`))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

function fieldError(reason: string, field: string, head: string, detail: string): FieldError {
  return { reason, field: field === "" ? "<nil>" : field, body: detail === "" ? head : `${head}: ${detail}` };
}

/** A struct in an error. Its fields are shown in this order, not by name. */
export class GoStruct {
  readonly fields: object;
  constructor(fields: object) {
    this.fields = fields;
  }
}

function shown(value: unknown): string {
  if (value instanceof GoStruct) return JSON.stringify(value.fields);
  if (typeof value === "string") return goQuote(value);
  if (typeof value === "number") return Number.isInteger(value) && Math.abs(value) < 2 ** 63 ? String(BigInt(value)) : goFloat(value);
  if (typeof value === "boolean") return String(value);
  return goJson(value);
}
