/** Mistakes of a step that the engine finds. The code of each becomes the reason of the step's condition. */

/** The code of a mistake of a step. */
export type MisuseCode = "ERR_INVALID_STEP" | "ERR_INVALID_REFERENCE" | "ERR_NOT_DECLARED" | "ERR_READ_ONLY";

/** A misuse is an error of the author of a step, with a code. */
export interface Misuse extends TypeError {
  /** The code of the error. */
  readonly code: MisuseCode;
}

/** Makes a {@link Misuse}. */
export function misuse(code: MisuseCode, message: string, cause?: unknown): Misuse {
  return Object.assign(new TypeError(message, cause === undefined ? undefined : { cause }), { code });
}
