/** Errors of a local cluster that cannot start. */

/**
 * Names the cause of a {@link LocalClusterError}.
 *
 * - `ERR_MANIFEST`: a manifest cannot be read, or the server refused it.
 * - `ERR_PORT`: the port cannot be used.
 * - `ERR_KUBECONFIG`: the kubeconfig file cannot be written, or it belongs to another program.
 */
export type LocalClusterErrorCode = "ERR_MANIFEST" | "ERR_PORT" | "ERR_KUBECONFIG";

/** Reports why a local cluster cannot start. The message names the input and the fix; for a manifest, also the file and the document. */
export class LocalClusterError extends Error {
  /** Name of the class. */
  override readonly name = "LocalClusterError";
  /** Cause of the failure. */
  readonly code: LocalClusterErrorCode;

  /** Creates an error with a cause, a message and the options of `Error`. */
  constructor(code: LocalClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Reports whether `error` is a {@link LocalClusterError}, also one of another copy of this package. */
export function isLocalClusterError(error: unknown): error is LocalClusterError {
  return typeof error === "object" && error !== null && BRAND in error;
}

const BRAND: symbol = Symbol.for("treadle.apiserver.LocalClusterError");

/** Returns the code of a system error, or the text of another error. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it, or its folder, does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "it is not a folder, or its path leads through a file",
  EROFS: "the file system is read-only",
};

/** Returns the meaning of a file system error. */
export function reasonOf(error: unknown): string {
  return REASONS[systemCode(error)] ?? (error instanceof Error ? error.message : String(error));
}
