const BRAND: symbol = Symbol.for("treadle.client.ConfigError");

/** How to reach the cluster could not be found out. Thrown at start, before any request. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly code: "ERR_CONFIG_NOT_FOUND" | "ERR_CONFIG_INVALID";
  /** The file, or "in-cluster". */
  readonly source: string;

  constructor(given: {
    readonly source: string;
    readonly problem: string;
    readonly fix: string;
    readonly code?: "ERR_CONFIG_NOT_FOUND" | "ERR_CONFIG_INVALID";
    readonly cause?: unknown;
  }) {
    super(`cannot use ${given.source}: ${given.problem}; ${given.fix}`, given.cause === undefined ? undefined : { cause: given.cause });
    this.code = given.code ?? "ERR_CONFIG_INVALID";
    this.source = given.source;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tests a brand, so errors of two copies of this package are recognised by each other. */
export function isConfigError(error: unknown): error is ConfigError {
  return typeof error === "object" && error !== null && BRAND in error;
}
