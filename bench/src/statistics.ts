/** Medians, quartiles and percentiles of a few numbers. */

/** The value below which `share` (0 to 1) of the values lie: one of them, the nearest by rank. NaN for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(sorted.length * share) - 1))] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle. NaN for none. */
export function median(values: readonly number[]): number {
  return between(values, 0.5);
}

/** The first and the third quartile, interpolated between the nearest values, as R and NumPy do by default. NaN for none. */
export function quartiles(values: readonly number[]): readonly [number, number] {
  return [between(values, 0.25), between(values, 0.75)];
}

/** The ratio of each pair of values; a value without a partner is left out. */
export function ratios(values: readonly number[], partners: readonly number[]): number[] {
  return values.slice(0, partners.length).map((value, index) => value / (partners[index] ?? Number.NaN));
}

/** The median, and in parentheses the quartiles; the value alone where there is one. Empty for none. */
export function spread(values: readonly number[] = []): string {
  if (values.length === 0) return "";
  const short = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toFixed(2));
  const [low, high] = quartiles(values);
  return values.length === 1 ? short(median(values)) : `${short(median(values))} (${short(low)} to ${short(high)})`;
}

function between(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
  return low === undefined || high === undefined ? Number.NaN : low + (high - low) * (place - Math.floor(place));
}
