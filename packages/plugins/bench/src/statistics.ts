/** Figures about lists of numbers. */

/** The value below which a part of the others is, such as 0.99; 0 for none. */
export function quantile(values: readonly number[], part: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? 0;
}

/** The middle value; 0 for none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
