/** What the store accepts, and how it refuses the rest. */

/** A refusal is an answer with a status that is no success. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** A JSON object that is not checked yet. */
export type Body = Readonly<Record<string, unknown>>;

/** Reads a body that must be a JSON object. */
export function parsed(body: string): Body {
  try {
    const value: unknown = JSON.parse(body);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Body; // checked
  } catch {
    // Reported below.
  }
  throw new Refusal(400, "the body is not a JSON object");
}

/** Splits a path at its slashes. */
export function parsedPath(path: string): {
  readonly pathname: string;
  readonly searchParams: URLSearchParams;
  readonly parts: readonly string[];
} {
  try {
    const { pathname, searchParams } = new URL(path, "http://store");
    return { pathname, searchParams, parts: pathname.split("/").map(decodeURIComponent) };
  } catch {
    throw new Refusal(400, "the path is not valid");
  }
}

/** Returns a text of the body. */
export function text(body: Body, key: string): string {
  const value = body[key];
  if (typeof value !== "string" || value === "") throw new Refusal(422, `${key} must be a text that is not empty`);
  return value;
}

/** Returns the values of a bucket that the body names. */
export function bucketValues({ versioning, quotaGb }: Body): { readonly versioning?: boolean; readonly quotaGb?: number } {
  if (versioning !== undefined && typeof versioning !== "boolean") throw new Refusal(422, "versioning must be true or false");
  if (quotaGb !== undefined && !(typeof quotaGb === "number" && Number.isInteger(quotaGb) && quotaGb > 0))
    throw new Refusal(422, "quotaGb must be a whole number above 0");
  return { ...(versioning === undefined ? {} : { versioning }), ...(quotaGb === undefined ? {} : { quotaGb }) };
}

/** Returns the values of a user that the body names. */
export function userValues({ readOnly, password }: Body): { readonly readOnly?: boolean; readonly password?: string } {
  if (readOnly !== undefined && typeof readOnly !== "boolean") throw new Refusal(422, "readOnly must be true or false");
  if (password !== undefined && (typeof password !== "string" || password === ""))
    throw new Refusal(422, "password must be a text that is not empty");
  return { ...(readOnly === undefined ? {} : { readOnly }), ...(password === undefined ? {} : { password }) };
}
