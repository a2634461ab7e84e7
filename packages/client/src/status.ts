/**
 * The Status in an answer. Fields of a wrong type are dropped, since a proxy may send anything.
 */
import type { Status, StatusCause } from "@treadle/apimachinery";

/** The parts of a Status that an error uses. */
export type Failure = Pick<Status, "message" | "reason" | "details"> & {
  /** As in `ApiError`. */
  readonly continueToken?: string;
};

/** The Status in `body`, or `undefined` without one. */
export function parseStatus(body: string): Failure | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (!isFields(parsed) || parsed["kind"] !== "Status") return undefined;
  const { details, metadata } = parsed;
  const token = isFields(metadata) ? metadata["continue"] : undefined;
  return {
    ...texts(parsed, ["message", "reason"]),
    ...(isFields(details) ? { details: detailsOf(details) } : {}),
    ...(typeof token === "string" && token !== "" ? { continueToken: token } : {}),
  };
}

/** Whether `value` is a JSON object: not null, a list or a plain value. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function detailsOf(details: Readonly<Record<string, unknown>>): NonNullable<Status["details"]> {
  const { causes, retryAfterSeconds } = details;
  const isTime = typeof retryAfterSeconds === "number" && Number.isFinite(retryAfterSeconds) && retryAfterSeconds >= 0;
  return {
    ...texts(details, ["name", "group", "kind", "uid"]),
    ...(Array.isArray(causes) ? { causes: causes.filter(isFields).map(causeOf) } : {}),
    ...(isTime ? { retryAfterSeconds } : {}),
  };
}

function causeOf(cause: Readonly<Record<string, unknown>>): StatusCause {
  return texts(cause, ["reason", "message", "field"]);
}

function texts<Key extends string>(from: Readonly<Record<string, unknown>>, keys: readonly Key[]): { readonly [K in Key]?: string } {
  const found = keys.filter((key) => typeof from[key] === "string").map((key) => [key, from[key]]);
  return Object.fromEntries(found) as { readonly [K in Key]?: string }; // only strings were kept
}
