/** The query parameters of writes: read once, refused as the real server refuses them. */
import { type FieldError, forbidden, invalid, notSupported, required, tooLong } from "../errors/field-errors.ts";
import { goQuote } from "../internal/json.ts";
import { badRequest, invalidObject } from "../errors/status-errors.ts";

export type FieldValidation = "Ignore" | "Warn" | "Strict";

export interface WriteOptions {
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly isDryRun: boolean;
}

/** k8s.io/apimachinery `FieldManagerMaxLength`. */
const MAX_MANAGER_LENGTH = 128;

/** @throws StatusError 422 on values that are not known. `kind` names the options in the error. */
export function readWriteOptions(
  query: URLSearchParams,
  userAgent: string | undefined,
  kind: "CreateOptions" | "UpdateOptions" | "PatchOptions" | "ApplyOptions",
): WriteOptions {
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const errors = [
    ...forceErrors(query, kind),
    ...requiredErrors(fieldManager, kind),
    ...managerErrors(fieldManager),
    ...dryRunErrors(query.getAll("dryRun")),
  ];
  if (!VALIDATIONS.has(fieldValidation)) errors.push(notSupported("fieldValidation", fieldValidation, ["", "Ignore", "Strict", "Warn"]));
  // To the server an apply is a patch.
  const shown = kind === "ApplyOptions" ? "PatchOptions" : kind;
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: shown }, "", errors);
  return {
    fieldManager: fieldManager === "" ? managerOfAgent(userAgent) : fieldManager,
    fieldValidation: VALIDATIONS.get(fieldValidation) ?? "Warn",
    isDryRun: query.has("dryRun"),
  };
}

/** Only an apply may force. */
function forceErrors(query: URLSearchParams, kind: string): FieldError[] {
  return kind === "PatchOptions" && query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
}

/** Who applies must say so; the name of the program does not do. */
function requiredErrors(manager: string, kind: string): FieldError[] {
  return kind === "ApplyOptions" && manager === "" ? [required("fieldManager", "is required for apply patch")] : [];
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

/** A boolean parameter as Go reads it: present without a value is true. @throws StatusError 400 */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return !(value === "0" || value.toLowerCase() === "false");
}

/** @throws StatusError 400 */
export function readInteger(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  if (!/^[-+]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: invalid syntax`);
  const number = BigInt(value.replace(/^\+/, ""));
  if (BigInt.asIntN(64, number) !== number) throw badRequest(`strconv.ParseInt: parsing ${goQuote(value)}: value out of range`);
  return Number(number);
}

const VALIDATIONS: ReadonlyMap<string, FieldValidation> = new Map([
  ["", "Warn"],
  ["Ignore", "Ignore"],
  ["Warn", "Warn"],
  ["Strict", "Strict"],
]);

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_MANAGER_LENGTH) errors.push(tooLong("fieldManager", MAX_MANAGER_LENGTH));
  const bad = [...manager].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (bad >= 0) {
    const code = (manager.codePointAt(bad) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    errors.push(invalid("fieldManager", manager, `invalid character U+${code} (at position ${bad})`));
  }
  return errors;
}

/** The program's name in a User-Agent header: what stands before the first slash. */
function managerOfAgent(userAgent = ""): string {
  const name = (userAgent.split("/")[0] ?? "").replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return [...name].slice(0, MAX_MANAGER_LENGTH).join("") || "unknown";
}
