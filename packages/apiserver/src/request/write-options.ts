/** The query parameters of writes, with the refusals of the real server. */
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

/** Reads the options. `kind` names them in errors. @throws StatusError 422 for unknown values */
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
  // The server treats an apply as a patch.
  const shown = kind === "ApplyOptions" ? "PatchOptions" : kind;
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: shown }, "", errors);
  return {
    fieldManager: fieldManager === "" ? managerOfAgent(userAgent) : fieldManager,
    fieldValidation: VALIDATIONS.get(fieldValidation) ?? "Warn",
    isDryRun: query.has("dryRun"),
  };
}

/** Checks `force`, which only an apply may have. */
function forceErrors(query: URLSearchParams, kind: string): FieldError[] {
  return kind === "PatchOptions" && query.has("force") ? [forbidden("force", "may not be specified for non-apply patch")] : [];
}

/** Checks that an apply has a field manager. The User-Agent is not enough. */
function requiredErrors(manager: string, kind: string): FieldError[] {
  return kind === "ApplyOptions" && manager === "" ? [required("fieldManager", "is required for apply patch")] : [];
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  return values.every((value) => value === "All") ? [] : [notSupported("dryRun", values, ["All"])];
}

/** Reads a boolean parameter as Go does: without a value it is true. @throws StatusError 400 */
export function readBoolean(query: URLSearchParams, name: string): boolean | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  return !(value === "0" || value.toLowerCase() === "false");
}

/** Reads an integer parameter. @throws StatusError 400 */
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

/** Returns the errors of the name of a field manager. */
export function managerErrors(manager: string, at = "fieldManager"): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MAX_MANAGER_LENGTH) errors.push(tooLong(at, MAX_MANAGER_LENGTH));
  const bad = [...manager].findIndex((character) => !/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character));
  if (bad >= 0) {
    const code = (manager.codePointAt(bad) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    errors.push(invalid(at, manager, `invalid character U+${code} (at position ${bad})`));
  }
  return errors;
}

/** Returns the name of the program in a User-Agent header: the text before the first slash. */
function managerOfAgent(userAgent = ""): string {
  const name = (userAgent.split("/")[0] ?? "").replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu, "");
  return [...name].slice(0, MAX_MANAGER_LENGTH).join("") || "unknown";
}
