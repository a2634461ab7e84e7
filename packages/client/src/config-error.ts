const BRAND: symbol = Symbol.for("treadle.client.ConfigError");

/** Reports that no usable configuration of the cluster was found. It is thrown at start, before any request. */
export class ConfigError extends Error {
  /** The name of the class. */
  override readonly name = "ConfigError";
  /** Whether the configuration is missing or invalid. */
  readonly code: "ERR_CONFIG_NOT_FOUND" | "ERR_CONFIG_INVALID";
  /** Origin of the configuration: a file, or "in-cluster". */
  readonly source: string;
  /** What is wrong, without the origin and the fix. */
  readonly problem: string;

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
    this.problem = given.problem;
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells whether `error` is a {@link ConfigError}, also when another copy of this package made it. */
export function isConfigError(error: unknown): error is ConfigError {
  return typeof error === "object" && error !== null && BRAND in error;
}
