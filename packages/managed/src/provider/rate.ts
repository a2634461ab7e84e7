/** The limit of calls of a config, and its check. */

/** The limit of calls. Each config has its own. */
export interface Rate {
  /** The calls per second in the long run. */
  readonly perSecond: number;
  /**
   * The calls that may be made at once after a pause. One pass of an object may exceed it, if the pass alone needs more calls.
   * @defaultValue `perSecond`, at least 1
   */
  readonly burst?: number;
}

/**
 * Returns the rate with its defaults. `where` names the option in the error, such as `provider(StoreConfig)`.
 * @throws TypeError when a number is not positive and finite, or `burst` is below 1
 */
export function requireRate(rate: Rate, where: string): Required<Rate> {
  const { perSecond, burst } = (rate ?? {}) as Partial<Rate>;
  if (!isPositive(perSecond))
    throw new TypeError(`${where}: rate.perSecond must be a positive number of calls per second, such as 10, not ${String(perSecond)}`);
  if (burst !== undefined && !(isPositive(burst) && burst >= 1))
    throw new TypeError(`${where}: rate.burst must be a number of calls from 1, such as 20, not ${String(burst)}`);
  return { perSecond, burst: burst ?? Math.max(1, perSecond) };
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0 && value < Number.POSITIVE_INFINITY;
}
