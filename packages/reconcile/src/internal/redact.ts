/**
 * Errors as texts that may stand in a status or a log: one line of what went wrong, without secrets and without what
 * differs each time (ids, times, addresses), so that a status does not change on every try.
 */
import { isApiError, isConditionReason } from "@treadle/apimachinery";

/** Longest error text in a condition, in characters. */
export const MAX_ERROR_LENGTH = 1_024;

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]+-----[\s\S]*?(-----END [A-Z ]+-----|$)/g, "<redacted>"],
  [/\bey[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g, "<redacted>"],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, "$1 <redacted>"],
  [/(:\/\/[^\s/:@]+):[^\s/@]+@/g, "$1:<redacted>@"],
  [
    /\b((?:[\w-]*[_-])?(?:password|passwd|pwd|token|secret|api[_-]?key|access[_-]?key|private[_-]?key|credentials?)["']?\s*[:=]\s*)("[^"]*"|'[^']*'|[^\s,;&}]+)/gi,
    "$1<redacted>",
  ],
];

const CHURN: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b(\d{1,3}(?:\.\d{1,3}){3}):\d{4,5}(?=->|\s*->)/g, "$1"],
  [/\b0x[0-9a-f]{6,}\b/gi, "<id>"],
  [/\b(request[ _-]?id["']?\s*[:=]?\s*["']?)[\w-]{8,}/gi, "$1<id>"],
  [/\b(resourceVersion["']?\s*[:=]?\s*["']?)\d+/g, "$1<version>"],
];

/** `text` without secrets, as it may stand in a log. */
export function withoutSecrets(text: string): string {
  return SECRETS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

/** What a condition says of an error: no secrets, nothing that changes each time, {@link MAX_ERROR_LENGTH} at most. */
export function statusMessage(error: unknown): string {
  const stable = CHURN.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), withoutSecrets(describe(error)));
  return truncate(stable, MAX_ERROR_LENGTH);
}

/** The message of an error; the messages of all where it holds several. */
export function describe(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(describe).join("; ");
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  return String(error);
}

/** `text` cut to so many characters; a cut shows as an ellipsis and never splits a character. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** The reason that a condition gives for an error: its code in CamelCase, `Error` where it has none. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) {
    const reasons = new Set(error.errors.map(reasonOf));
    return reasons.size === 1 ? ([...reasons][0] as string) : "SeveralErrors";
  }
  const candidates = [
    isApiError(error) ? error.reason : undefined,
    camelCase(codeOf(error)),
    error instanceof Error ? error.name : undefined,
  ];
  return candidates.find((reason) => reason !== undefined && reason !== "" && isConditionReason(reason)) ?? "Error";
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null && "code" in error ? error.code : undefined;
  return typeof code === "string" ? code : undefined;
}

/** `ERR_STEP_TIMEOUT` -> `StepTimeout`; what is CamelCase, or a single word like `ECONNREFUSED`, stays. */
function camelCase(code: string | undefined): string | undefined {
  if (code === undefined || !/[_\s-]/.test(code)) return code;
  return code
    .replace(/^ERR_/, "")
    .split(/[_\s-]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join("");
}
