/** Hides the values of confidential kinds, such as Secret, in conditions and logs. The names of their fields stay. */
import { ApiError, groupKindOf, isApiError, type Kind } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";

/** Checks the values of a Secret before it is sent: the server's error would repeat an invalid one. @throws TypeError */
export function requireTexts(where: string, kind: Kind, fields: Readonly<Record<string, unknown>>): void {
  if (groupKindOf(kind) !== "Secret") return;
  for (const field of ["data", "stringData"] as const) {
    const values = fields[field];
    if (values === undefined || values === null) continue;
    if (typeof values !== "object" || Array.isArray(values))
      throw misuse("ERR_INVALID_STEP", `${where}: ${field} of a Secret must be an object`);
    for (const [key, value] of Object.entries(values)) {
      if (typeof value !== "string")
        throw misuse("ERR_INVALID_STEP", `${where}: ${field}.${key} of a Secret must be a text, not ${nameOf(value)}: it is not sent`);
      if (field === "data" && !isBase64(value))
        throw misuse("ERR_INVALID_STEP", `${where}: data.${key} of a Secret must be base64: encode it, or use stringData`);
    }
  }
}

/** Returns the error to show. For a confidential kind it leaves out the server's message if that repeats values. */
export function shownError(kind: Kind, body: object, error: unknown): unknown {
  if (kind.cachedAs !== "metadata" || !isApiError(error)) return error;
  const { metadata: _metadata, apiVersion: _apiVersion, kind: _kind, ...fields } = body as Readonly<Record<string, unknown>>;
  const said = [error.message, ...error.causes.map(({ message }) => message ?? "")].join("\n");
  const isQuoting = /\bvalue\b/i.test(said) || valuesIn(fields).some((value) => said.includes(value));
  if (!isQuoting) return error;
  const at = [...new Set(error.causes.map(({ field }) => field).filter((field) => field !== undefined && field !== ""))];
  const where = at.length === 0 ? "" : ` at ${at.join(", ")}`;
  return new ApiError({
    message: `the server refused the ${kind.kind}${where} (${error.reason === "" ? error.status : error.reason}): its message is left out, because it repeats values`,
    status: error.status,
    reason: error.reason,
    retryAfterMs: error.retryAfterMs,
    ...(error.details === undefined
      ? {}
      : { details: { ...error.details, causes: error.causes.map(({ message: _message, ...rest }) => rest) } }),
  });
}

/** Returns all scalar values, in the forms in which a text may repeat them. */
function valuesIn(value: unknown): readonly string[] {
  if (typeof value === "object" && value !== null) return Object.values(value).flatMap(valuesIn);
  if (typeof value !== "string" && typeof value !== "number") return [];
  const text = String(value);
  const decoded = typeof value === "string" && isBase64(value) ? Buffer.from(value, "base64").toString() : "";
  return [text, JSON.stringify(text).slice(1, -1), decoded].filter((each) => each !== "");
}

/** As Kubernetes decodes base64: with padding, and without line breaks. */
function isBase64(text: string): boolean {
  return /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text.replace(/[\r\n]/g, ""));
}

function nameOf(value: unknown): string {
  return value === null ? "null" : Array.isArray(value) ? "a list" : `a ${typeof value}`.replace("a object", "an object");
}
