/** Mistakes of a step that the engine finds: each with a code, which becomes the reason of the step's condition. */

export type MisuseCode = "ERR_INVALID_STEP" | "ERR_INVALID_REFERENCE" | "ERR_NOT_DECLARED" | "ERR_READ_ONLY";

export interface Misuse extends TypeError {
  readonly code: MisuseCode;
}

export function misuse(code: MisuseCode, message: string, cause?: unknown): Misuse {
  return Object.assign(new TypeError(message, cause === undefined ? undefined : { cause }), { code });
}
