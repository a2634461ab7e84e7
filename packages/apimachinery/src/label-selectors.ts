/**
 * Label selectors: the text of `kubectl -l`, the objects with matchLabels and matchExpressions, one form for both, and
 * matching. Grammar and error texts are those of the API server (k8s.io/apimachinery/pkg/labels).
 */
import { labelKeyProblems, labelValueProblems } from "./names.ts";
import { type LabelOperator, type LabelRequirement, parseRequirements } from "./internal/label-selector-parser.ts";

export type { LabelOperator, LabelRequirement };

/** A parsed selector: every requirement must hold; none at all selects everything. Sorted by key. */
export type LabelRequirements = readonly LabelRequirement[];

export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
  readonly values?: readonly string[];
}

/** The selector as it stands in objects. Empty selects everything; a selector that is absent altogether selects nothing. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

const BRAND: symbol = Symbol.for("treadle.apimachinery.SelectorError");

/** A selector that cannot be read; `message` is what the API server answers. */
export class SelectorError extends Error {
  override readonly name = "SelectorError";
  readonly code = "ERR_SELECTOR";

  constructor(message: string) {
    super(message);
    Object.defineProperty(this, BRAND, { value: true });
  }
}

/** Whether `error` is a {@link SelectorError}, of this copy of the package or another. */
export function isSelectorError(error: unknown): error is SelectorError {
  return error instanceof Error && BRAND in error;
}

/**
 * Parses the text form, e.g. `a=b,c!=d,e in (x,y),f notin (z),!g,h,i>3`.
 *
 * @throws SelectorError with the API server's words.
 */
export function parseLabelSelector(text: string): LabelRequirements {
  return sorted(parseRequirements(text, (message) => new SelectorError(message), requirement));
}

/**
 * The requirements of a selector object, or of bare equality pairs given as `{ matchLabels }`.
 *
 * @throws SelectorError on an unknown operator, a bad key or value, or values that do not fit the operator.
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

/** The text form, for a `labelSelector` query parameter; {@link parseLabelSelector} reads it back. */
export function formatLabelSelector(selector: LabelRequirements | LabelSelector): string {
  return toRequirements(selector).map(formatRequirement).join(",");
}

/** Whether an object with these labels is selected. Parse a selector once when many objects are matched. */
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

/** Builds one requirement, with the checks of the server's NewRequirement. */
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
