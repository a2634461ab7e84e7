/** What keeps a local cluster from starting. */

/** `ERR_MANIFEST`: a manifest; `ERR_PORT`: the port; `ERR_KUBECONFIG`: the file for the kubeconfig. */
export type LocalClusterErrorCode = "ERR_MANIFEST" | "ERR_PORT" | "ERR_KUBECONFIG";

/** The message says what, where and what to do; of a manifest it names the file and the document. */
export class LocalClusterError extends Error {
  override readonly name = "LocalClusterError";
  readonly code: LocalClusterErrorCode;

  constructor(code: LocalClusterErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

export function isLocalClusterError(error: unknown): error is LocalClusterError {
  return typeof error === "object" && error !== null && BRAND in error;
}

const BRAND: symbol = Symbol.for("treadle.apiserver.LocalClusterError");

/** The code of an error of the system, or the text of another. */
export function systemCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : String(error);
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: "it, or its folder, does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "it is no folder, or its path leads through a file",
  EROFS: "the file system is read-only",
};

/** What a failure of the file system means. */
export function reasonOf(error: unknown): string {
  return REASONS[systemCode(error)] ?? (error instanceof Error ? error.message : String(error));
}
