/** A group of cases, and the schemas that most groups have. */

export interface Group {
  readonly name: string;
  /** Schema of each value. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  /** Rules that must hold, each in its own schema. */
  readonly rules: readonly string[];
  /** Texts of a rule that never holds. Their result shows the value of an expression. */
  readonly shows?: readonly string[];
}

export const text = { type: "string", maxLength: 60 };
export const list = (items: object, more: object = {}): Group["schema"] => ({ type: "array", maxItems: 6, items, ...more });
