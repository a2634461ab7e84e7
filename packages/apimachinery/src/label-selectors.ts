/**
 * Label selectors: the text of `kubectl -l` and objects with matchLabels and matchExpressions. Both are parsed into the
 * same form. Grammar and error texts are those of the API server (k8s.io/apimachinery/pkg/labels).
 */
import { labelKeyProblems, labelValueProblems } from "./names.ts";
import { type LabelOperator, type LabelRequirement, parseRequirements } from "./internal/label-selector-parser.ts";

export type { LabelOperator, LabelRequirement };

/** A parsed label selector, sorted by key. Every requirement must hold; an empty list selects everything. */
export type LabelRequirements = readonly LabelRequirement[];

/** One entry of `matchExpressions`. */
export interface LabelSelectorRequirement {
  /** Key of the label. */
  readonly key: string;
  /** How the label is compared with the values. */
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  /** Values of `In` and `NotIn`; absent for the other operators. */
  readonly values?: readonly string[];
}

/** A label selector as it is in objects. An empty one selects everything. Where an object has no selector, nothing is selected. */
export interface LabelSelector {
  /** Labels that an object must have, with these values. */
  readonly matchLabels?: Readonly<Record<string, string>>;
  /** Requirements that an object must meet. */
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

const BRAND: symbol = Symbol.for("treadle.apimachinery.SelectorError");

/** A label or field selector that cannot be parsed. `message` is the text of the API server. */
export class SelectorError extends Error {
  /** The name of the class. */
  override readonly name = "SelectorError";
  /** The code of the error. */
  readonly code = "ERR_SELECTOR";

  /** @param message the text of the API server */
  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Tells whether `error` is a {@link SelectorError}, of this copy of the package or another. */
export function isSelectorError(error: unknown): error is SelectorError {
  return error instanceof Error && BRAND in error;
}

/**
 * Parses a label selector such as `a=b,c!=d,e in (x,y),f notin (z),!g,h,i>3`.
 *
 * @throws SelectorError with the text of the API server
 */
export function parseLabelSelector(text: string): LabelRequirements {
  return sorted(parseRequirements(text, (message) => new SelectorError(message), requirement));
}

/**
 * Returns the requirements of a selector object. For plain pairs of label and value, pass `{ matchLabels }`.
 *
 * @throws SelectorError for an unknown operator, an invalid key or value, or values that do not fit the operator
 */
export function labelRequirements(selector: LabelSelector): LabelRequirements {
  const found = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => requirement(key, "=", [value]));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const known = OPERATORS.get(operator);
    if (known === undefined) throw new SelectorError(`"${operator}" is not a valid label selector operator`);
    found.push(requirement(key, known, values));
  }
  return sorted(found);
}

/** Formats a label selector as text, as in the query parameter `labelSelector`. {@link parseLabelSelector} parses it. */
export function formatLabelSelector(selector: LabelRequirements | LabelSelector): string {
  return toRequirements(selector).map(formatRequirement).join(",");
}

/** Tells whether the selector selects an object with these labels. Parse the selector once when you match many objects. */
export function matchesLabels(selector: LabelRequirements | LabelSelector, labels: Readonly<Record<string, string>> | undefined): boolean {
  return toRequirements(selector).every((one) => matches(one, labels ?? {}));
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ["In", "in"],
  ["NotIn", "notin"],
  ["Exists", "exists"],
  ["DoesNotExist", "!"],
]);

function toRequirements(selector: LabelRequirements | LabelSelector): LabelRequirements {
  // Array.isArray does not narrow a readonly array out of a union.
  return Array.isArray(selector) ? (selector as LabelRequirements) : labelRequirements(selector as LabelSelector);
}

function sorted(requirements: readonly LabelRequirement[]): LabelRequirements {
  return requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
}

/** Makes one requirement, with the checks of the server's NewRequirement. */
function requirement(key: string, operator: LabelOperator, given: readonly string[]): LabelRequirement {
  const values = [...new Set(given)].toSorted();
  const problems = labelKeyProblems(key).length > 0 ? [`key: Invalid value: ${quote(key)}: ${labelKeyProblems(key).join("; ")}`] : [];
  const count = countProblem(operator, values);
  if (count !== undefined) problems.push(`values: Invalid value: [${values.map(quote).join(", ")}]: ${count}`);
  values.forEach((value, i) => {
    if ((operator === "gt" || operator === "lt") && toInt64(value) === undefined)
      problems.push(`values[${i}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
  });
  values.forEach((value, i) => {
    const wrong = labelValueProblems(value);
    if (wrong.length > 0) problems.push(`values[${i}][${key}]: Invalid value: ${quote(value)}: ${wrong.join("; ")}`);
  });
  if (problems.length > 0) throw new SelectorError(problems.length === 1 ? (problems[0] ?? "") : `[${problems.join(", ")}]`);
  return { key, operator, values };
}

function countProblem(operator: LabelOperator, values: readonly string[]): string | undefined {
  switch (operator) {
    case "in":
    case "notin":
      return values.length === 0 ? "for 'in', 'notin' operators, values set can't be empty" : undefined;
    case "=":
    case "!=":
      return values.length === 1 ? undefined : "exact-match compatibility requires one single value";
    case "exists":
    case "!":
      return values.length === 0 ? undefined : "values set must be empty for exists and does not exist";
    case "gt":
    case "lt":
      return values.length === 1 ? undefined : "for 'Gt', 'Lt' operators, exactly one value is required";
  }
}

function matches({ key, operator, values }: LabelRequirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "=":
    case "in":
      return value !== undefined && values.includes(value);
    case "!=":
    case "notin":
      return value === undefined || !values.includes(value);
    case "exists":
      return value !== undefined;
    case "!":
      return value === undefined;
    case "gt":
    case "lt": {
      const [ours, theirs] = [toInt64(value ?? ""), toInt64(values[0] ?? "")];
      if (ours === undefined || theirs === undefined) return false;
      return operator === "gt" ? ours > theirs : ours < theirs;
    }
  }
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case "=":
    case "!=":
      return `${key}${operator}${values[0]}`;
    case "in":
    case "notin":
      return `${key} ${operator} (${values.join(",")})`;
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    case "gt":
      return `${key}>${values[0]}`;
    case "lt":
      return `${key}<${values[0]}`;
  }
}

/** Integers are 64 bits wide on the server; a JavaScript number would compare large ones as equal. */
function toInt64(text: string): bigint | undefined {
  if (!/^[+-]?\d+$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

function quote(text: string): string {
  return JSON.stringify(text);
}
