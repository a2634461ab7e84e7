/**
 * Texts of errors for a status or a log: one line without secrets, and without what differs each time (ids, times, addresses), so
 * that a status does not change at every retry.
 */
import { isApiError, isConditionReason } from "@treadle/apimachinery";

/** The maximum length of an error text in a condition, in characters. */
export const MAX_ERROR_LENGTH = 1_024;

/** The ends of names of secret values: `db_password`, `clientSecret`, `PGPASSWORD`. A search for the whole name would be slow. */
const SECRET_KEY = "(?:password|passwd|passphrase|pwd|token|secret|(?:api|access|private|secret|signing|encryption)[_-]?key|credentials?)";

/** `cannot watch Secret: why`, `watch of Secret: why`: after the name of the kind follows a reason, and no value. */
const SECRET_NAME = `${SECRET_KEY}(?<!\\b(?:cannot (?:list|watch)|of) \\w{0,40}${SECRET_KEY})`;

/** What may follow the name of a field without being its value: the words of Kubernetes and zod for a field that is wrong. */
const NO_VALUE =
  "(?:required|forbidden|not found|too (?:long|short|many|few|big|small)|invalid|unsupported|duplicate|internal error|unexpected|expected |must |is |they |the |an? |cannot |could |failed|fetch |request |connect|timed out|timeout|unauthorized|already exists|secrets? )";

/** A quoted text, the quotes escaped or not (JSON within JSON). A row of backslashes is looked at from its beginning only. */
const QUOTED = String.raw`\\+"[\s\S]*?(?<!\\)\\+"|\\+'[\s\S]*?(?<!\\)\\+'|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;

/** A name and its value: `name: value`, `name=value`, or, as in JSON, a quoted name with a quoted value. */
function named(name: string, value: string): readonly [RegExp, string] {
  const quotedName = `${name}\\\\*["']\\s*[:=]\\s*(?=\\\\*["'\\d])`;
  return [new RegExp(`(${quotedName}|${name}\\s*[:=]\\s*(?!${NO_VALUE}|<redacted>))(${QUOTED}|${value})`, "gi"), "$1<redacted>"];
}

const SECRETS: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z0-9 ]+-----[\s\S]*?(-----END [A-Z0-9 ]+-----|$)/g, "<redacted>"],
  // From the first character of a word: from each `eyJ` in it, the time would grow with the square of its length.
  [/(?<![\w-])((?:(?!\beyJ)[\w-])*)\beyJ[\w-]{6,}(?:\.[\w-]*){1,4}/g, "$1<redacted>"],
  named("\\bauthorization", "(?:[a-z]+ +)?[^\\s,;&}]+"),
  named("\\bcookie", "[^\\s\"'}][^\\r\\n\"'}]*"),
  [/\b(bearer|basic)\s+(?!auth|token|credential|realm)[A-Za-z0-9._~+/=-]{6,}/gi, "$1 <redacted>"],
  // Up to the last @ before a blank: passwords may hold @ and /. A port and a path are none (`oci://host:5000/image@sha256:...`).
  [/(:\/\/[^\s/:@"'<>]*):(?!\d+\/)(?:(?!:\/\/)[^\s"'<>])+@/g, "$1:<redacted>@"],
  // Tokens with a known prefix.
  [/\b(?:gh[opsur]_|github_pat_|glpat-|xox[abeprs]-|sk[-_]|npm_|hvs\.|dop_v1_)[A-Za-z0-9_-]{16,}/g, "<redacted>"],
  [
    new RegExp(`(${SECRET_KEY}\\\\*["']?\\s*[:=]\\s*(?:invalid|unsupported|duplicate) value:\\s*)(${QUOTED}|[^\\s,;&}:]+)`, "gi"),
    "$1<redacted>",
  ],
  named(SECRET_NAME, "[^\\s,;&}]+"),
  // Keys and certificates in base64: long, of mixed case, with digits. Digests are of lower case only.
  [/(?<![A-Za-z0-9+/])(?=[A-Z0-9+/]*[a-z])(?=[a-z0-9+/]*[A-Z])(?=[A-Za-z+/]*\d)[A-Za-z0-9+/]{40,}={0,2}/g, "<redacted>"],
];

const CHURN: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, "<id>"],
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?/g, "<time>"],
  [/\b(\d{1,3}(?:\.\d{1,3}){3}):\d{4,5}(?=->|\s*->)/g, "$1"],
  [/\b0x[0-9a-f]{6,}\b/gi, "<id>"],
  [/\b(request[ _-]?id["']?\s*(?:[:=]\s*)?["']?)[\w-]{8,}/gi, "$1<id>"],
  [/\b(resourceVersion["']?\s*(?:[:=]\s*)?["']?)\d+/g, "$1<version>"],
];

/** Returns `text` without secrets, for a log; only the beginning of a very long text. */
export function withoutSecrets(text: string): string {
  const beginning = beginningOf(text);
  // Most texts have nothing in them that any pattern needs: one look instead of a dozen.
  if (!MAYBE_SECRET.test(beginning)) return beginning;
  return SECRETS.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), beginning);
}

/** What a text must contain for a pattern of {@link SECRETS} to match. */
const MAYBE_SECRET =
  /-----BEGIN|eyJ|auth|cookie|bearer|basic|:\/\/|gh[opsur]_|github_pat_|glpat-|xox|sk[-_]|npm_|hvs\.|dop_v1_|pass|pwd|token|secret|key|credential|[A-Z0-9+/]{40}/i;

/** The answer of a server may have megabytes, and the cost of the patterns may grow faster than the text. */
const MAX_TEXT_LENGTH = 16_384;

/** Cuts between two words if possible, because half a secret may not look like a secret. */
function beginningOf(text: string): string {
  if (text.length <= MAX_TEXT_LENGTH) return text;
  const blank = text.lastIndexOf(" ", MAX_TEXT_LENGTH);
  return `${text.slice(0, blank > MAX_TEXT_LENGTH / 2 ? blank : MAX_TEXT_LENGTH)}…`;
}

/**
 * Returns the text of an error for a condition: without secrets, without what changes each time, one line of at most
 * {@link MAX_ERROR_LENGTH} characters. Never throws.
 */
export function statusMessage(error: unknown): string {
  return truncate(onOneLine(withoutChurn(withoutSecrets(describe(error)))), MAX_ERROR_LENGTH);
}

/** Returns the fields of a log line about an error: its message, and where it was thrown. Each text is in the line once. Never throws. */
export function errorFields(error: unknown): object {
  const stack = textOf(() => (error instanceof Error ? error.stack : undefined)) ?? "";
  const frames = stack.split("\n").filter((line) => /^\s+at /.test(line));
  return { error: withoutSecrets(describe(error)), ...(frames.length === 0 ? {} : { stack: withoutSecrets(frames.join("\n")) }) };
}

/** Returns a text without ids, times and numbers, to compare reasons that repeat. */
export function essenceOf(text: string): string {
  return withoutChurn(beginningOf(text)).replace(/\d+(?:\.\d+)?/g, "0");
}

function withoutChurn(text: string): string {
  return CHURN.reduce((rest, [pattern, replacement]) => rest.replace(pattern, replacement), text);
}

function onOneLine(text: string): string {
  const lines = text.split(/[\r\n]+/);
  const trimmed = lines.map((line, i) => (i === 0 ? line.trimEnd() : i === lines.length - 1 ? line.trimStart() : line.trim()));
  return lines.length === 1 ? text : trimmed.join(" ");
}

/** Returns the message of an error; the messages of all errors of an AggregateError. Never throws. */
export function describe(error: unknown): string {
  return errorsIn(error).map(describeOne).join("; ");
}

/** Returns the errors in an AggregateError, at any depth; another error itself. Never throws. */
export function errorsIn(error: unknown, above: readonly unknown[] = []): readonly unknown[] {
  try {
    if (!(error instanceof AggregateError) || above.includes(error)) return [error];
    const found = error.errors.flatMap((inner) => errorsIn(inner, [...above, error]));
    return found.length === 0 ? [error] : found;
  } catch {
    return [error];
  }
}

/** Cuts `text` to `max` characters. A cut ends with an ellipsis and never splits a character. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text;
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join("")}…`;
}

/** Returns the reason of a condition for an error: its code in CamelCase, or `Error` without a code. Never throws. */
export function reasonOf(error: unknown): string {
  const reasons = new Set(errorsIn(error).map(reasonOfOne));
  return reasons.size === 1 ? ([...reasons][0] as string) : "SeveralErrors";
}

function describeOne(error: unknown): string {
  if (error === "") return "";
  return (
    textOf(() => (error instanceof Error ? error.message : String(error))) ??
    textOf(() => (error as Error).name) ??
    `a value of type ${typeof error} that cannot be shown`
  );
}

function reasonOfOne(error: unknown): string {
  const candidates = [
    () => (isApiError(error) ? error.reason : undefined),
    () => (typeof error === "object" && error !== null && "code" in error ? error.code : undefined),
    () => (error instanceof Error ? error.name : undefined),
  ];
  const reasons = candidates.map((candidate) => camelCase(textOf(candidate)));
  return reasons.find((reason) => reason !== undefined && isConditionReason(reason)) ?? "Error";
}

/** The result of `read` if it is a text that is not empty. A thrown value may throw when it is inspected. */
function textOf(read: () => unknown): string | undefined {
  try {
    const text = read();
    return typeof text === "string" && text !== "" ? text : undefined;
  } catch {
    return undefined;
  }
}

/** `ERR_STEP_TIMEOUT` -> `StepTimeout`, `auth/not-found` -> `AuthNotFound`; a single word like `ECONNREFUSED` stays. */
function camelCase(code: string | undefined): string | undefined {
  if (code === undefined) return undefined;
  const words = code.split(/[^\p{L}\p{N}]+/u);
  if (words.length === 1) return capitalised(code);
  const [first, ...rest] = words;
  return (first === "ERR" ? rest : words).map((word) => capitalised(word === word.toUpperCase() ? word.toLowerCase() : word)).join("");
}

function capitalised(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1);
}
