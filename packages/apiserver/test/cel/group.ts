/** What a group of cases is, and the schemas that most of them have. */

export interface Group {
  readonly name: string;
  /** Of each value. */
  readonly schema: Readonly<Record<string, unknown>>;
  readonly values: readonly unknown[];
  /** Must hold: each is a rule of its own. */
  readonly rules: readonly string[];
  /** Texts of a rule that never holds: what the server makes of them shows what an expression is. */
  readonly shows?: readonly string[];
}

export const text = { type: "string", maxLength: 60 };
export const list = (items: object, more: object = {}): Group["schema"] => ({ type: "array", maxItems: 6, items, ...more });
