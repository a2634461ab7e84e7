/**
 * Runs the rules of a schema on an object (apiextensions-apiserver `apiserver/schema/cel`). The rules of a node see it as
 * `self`. Rules with `oldSelf` run only when there is an old value. A failing rule passes if its value did not change, unless
 * it uses `oldSelf`.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { child, correlateItems } from "../schema/correlate.ts";
import type { CompiledSchema } from "../schema/schema.ts";
import { type FieldError, invalid } from "../errors/field-errors.ts";
import { isObject } from "../internal/json.ts";
import { type CompiledRule, compileRule } from "./compile-rule.ts";
import { toValue } from "./data.ts";
import { type Budget, BudgetError } from "./budget.ts";
import { normalFieldPath } from "./field-path.ts";
import type { Rule } from "../schema/rule.ts";
import { typeOfSchema } from "./types.ts";
import { CelError, Optional, type Value } from "./values.ts";

/** Cost limits of an expression and of an object (k8s.io/apiserver `pkg/apis/cel/config.go`). */
const CALL_LIMIT = 1_000_000;
const OBJECT_BUDGET = 10_000_000;
/** Maximum length of the result of a messageExpression, in bytes. */
const MAX_MESSAGE_BYTES = 5 * 1024;

/** Options of a run. */
export interface RuleOptions {
  /** Old object; absent on create. */
  readonly old?: unknown;
  /** Receives the errors of unchanged values, which pass. */
  readonly warnings?: string[];
}

/** Returns the errors of the rules of a schema. */
function ruleErrors(schema: CompiledSchema, value: unknown, { old, warnings = [] }: RuleOptions = {}): FieldError[] {
  if (!hasRules(schema)) return [];
  const run = new Run(warnings);
  run.visit({ schema, isRoot: true, path: "", value, old, origin: { value, old: old === undefined ? undefined : { value: old } } });
  return run.errors;
}

/**
 * Returns the errors of the rules after all other checks. When an earlier error could make rules fail, the rules do not run,
 * and one more error reports that.
 */
export function ruleErrorsAfter(
  found: readonly FieldError[],
  schema: CompiledSchema,
  value: unknown,
  options: RuleOptions = {},
): FieldError[] {
  if (!hasRules(schema)) return [];
  if (!found.some(({ reason }) => BLOCKING.has(reason))) return ruleErrors(schema, value, options);
  const text = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation";
  return [{ reason: "FieldValueInvalid", field: "<nil>", body: `Invalid value: null: ${text}` }];
}

const BLOCKING: ReadonlySet<string> = new Set([
  "FieldValueNotSupported",
  "FieldValueRequired",
  "FieldValueTooLong",
  "FieldValueTooMany",
  "FieldValueTypeInvalid",
]);

/** Reports whether a schema has rules at any depth. Computed once for each schema. */
function hasRules(schema: CompiledSchema): boolean {
  let found = withRules.get(schema);
  if (found === undefined) {
    const { properties, items, additional } = schema;
    found =
      schema.rules.length > 0 ||
      [...properties.values()].some(hasRules) ||
      (items !== undefined && hasRules(items)) ||
      (additional !== undefined && additional !== true && hasRules(additional));
    withRules.set(schema, found);
  }
  return found;
}

const withRules = new WeakMap<CompiledSchema, boolean>();

interface Node {
  readonly schema: CompiledSchema;
  readonly isRoot: boolean;
  readonly path: string;
  readonly value: unknown;
  /** Value of `oldSelf`; absent when there is none. */
  readonly old: unknown;
  /** The nearest value, here or above, with an old value to ratchet against. */
  readonly origin: Origin;
}

interface Origin {
  readonly value: unknown;
  readonly old: { readonly value: unknown } | undefined;
  /** Whether the value has no counterpart, so that its parent decides. */
  readonly isAbove?: boolean;
}

class Run {
  readonly errors: FieldError[] = [];
  readonly #warnings: string[];
  #remaining = OBJECT_BUDGET;
  #isOver = false;

  constructor(warnings: string[]) {
    this.#warnings = warnings;
  }

  visit(node: Node): void {
    const { schema, value } = node;
    if (this.#isOver || value === null || value === undefined || !hasRules(schema)) return;
    if (schema.rules.length > 0) this.#runRules(node);
    if (Array.isArray(value)) this.#visitItems(node, value);
    else if (isObject(value)) this.#visitFields(node, value);
  }

  #visitItems({ schema, path, old, origin }: Node, value: readonly unknown[]): void {
    const { items } = schema;
    if (items === undefined || !hasRules(items)) return;
    const correlate = correlateItems(old, schema);
    const ratchet = origin.isAbove === true ? () => undefined : correlateItems(origin.old?.value, schema);
    value.forEach((item, i) => {
      const next = below(origin, item, ratchet(item));
      this.visit({
        schema: items,
        isRoot: items.isEmbedded,
        path: `${path}[${i}]`,
        value: item,
        old: correlate(item)?.value,
        origin: next,
      });
    });
  }

  #visitFields({ schema, isRoot, path, old, origin }: Node, value: Readonly<Record<string, unknown>>): void {
    for (const field of Object.keys(value)) {
      const property = schema.properties.get(field);
      const sub = property ?? (schema.additional === true ? undefined : schema.additional);
      if (sub === undefined || !hasRules(sub)) continue;
      const before = isObject(old) && Object.hasOwn(old, field) ? old[field] : undefined;
      const was = origin.isAbove === true || !isObject(origin.old?.value) ? undefined : origin.old.value[field];
      // apiVersion and kind have the value of the request on both sides, so rules see no change.
      const isHidden = isRoot && path === "" && (field === "apiVersion" || field === "kind");
      const next = isHidden ? { value, old: undefined } : below(origin, value[field], was === undefined ? undefined : { value: was });
      const at = property === undefined ? `${path}[${field}]` : child(path, field);
      this.visit({ schema: sub, isRoot: sub.isEmbedded, path: at, value: value[field], old: before, origin: next });
    }
  }

  #runRules(node: Node): void {
    const { schema, isRoot, path, value } = node;
    const shown = schema.type ?? "";
    const old = node.old === null ? undefined : node.old;
    let self: Value | undefined;
    for (const compiled of rulesOf(schema, isRoot)) {
      const { rule, program, error } = compiled;
      if (error !== undefined) this.errors.push(invalid(path, shown, `rule compile error: ${error}`));
      const isOptional = rule.optionalOldSelf === true;
      if (program === undefined || (program.usesOldSelf && old === undefined && !isOptional)) continue;
      if (this.#remaining <= 0) return this.#end(path, shown, OUT_OF_BUDGET);
      let verdict: Value;
      let variables: Readonly<Record<string, Value>> = {};
      try {
        self ??= toValue(value, schema, isRoot);
        variables = {
          self,
          ...(program.usesOldSelf || (old !== undefined && compiled.message?.usesOldSelf === true)
            ? { oldSelf: oldValue(old, schema, isRoot, isOptional) }
            : {}),
        };
        verdict = this.#spend((budget) => program.run(variables, budget));
      } catch (failure) {
        if (failure instanceof BudgetError) {
          const limit =
            "'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule";
          return this.#end(path, shown, this.#remaining < 0 ? OUT_OF_BUDGET : `${limit}: ${name(rule)}`);
        }
        if (!(failure instanceof CelError)) throw failure;
        this.errors.push(invalid(path, shown, failureText(failure, rule)));
        continue;
      }
      if (verdict === true) continue;
      const detail = this.#detail(compiled, variables);
      const relative = rule.fieldPath === "" ? "" : normalFieldPath(rule.fieldPath, schema);
      const at = relative === "" ? path : relative.startsWith("[") ? `${path}.${relative}` : child(path, relative);
      const wrong = failed(at, value, { detail, rule, schema });
      if (program.usesOldSelf || !isUnchanged(node.origin)) this.errors.push(wrong);
      else this.#warnings.push(`${wrong.field}: ${wrong.body}`);
    }
  }

  #spend(run: (budget: Budget) => Value): Value {
    const budget = { remaining: Math.min(CALL_LIMIT, this.#remaining) };
    const given = budget.remaining;
    try {
      return run(budget);
    } finally {
      this.#remaining -= given - budget.remaining;
    }
  }

  #detail({ rule, message }: CompiledRule, variables: Readonly<Record<string, Value>>): string {
    if (message !== undefined) {
      try {
        const text = String(this.#spend((budget) => message.run(variables, budget))).trim();
        if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
      } catch (error) {
        // The real server logs such a failure, and answers with the plain message.
        if (!(error instanceof CelError) && !(error instanceof BudgetError)) throw error;
      }
    }
    return rule.message === "" ? `failed rule: ${rule.rule.trim()}` : rule.message.trim();
  }

  #end(path: string, shown: string, text: string): void {
    this.errors.push(invalid(path, shown, text));
    this.#isOver = true;
  }
}

const OUT_OF_BUDGET = "validation failed due to running out of cost budget, no further validation rules will be run";

function below(origin: Origin, value: unknown, old: Origin["old"]): Origin {
  if (origin.isAbove === true) return origin;
  return old === undefined ? { ...origin, isAbove: true } : { value, old };
}

function isUnchanged({ value, old }: Origin): boolean {
  return old !== undefined && jsonEqual(value, old.value);
}

function oldValue(old: unknown, schema: CompiledSchema, isRoot: boolean, isOptional: boolean): Value {
  if (!isOptional) return toValue(old, schema, isRoot);
  return new Optional(old === undefined ? undefined : toValue(old, schema, isRoot));
}

function failureText(failure: CelError, rule: Rule): string {
  if (!failure.message.startsWith("no such overload")) return `${failure.message} evaluating rule: ${name(rule)}`;
  return `'${failure.message}': call arguments did not match a supported operator, function or macro signature for rule: ${name(rule)}`;
}

function name(rule: Rule): string {
  return (rule.message === "" ? rule.rule : rule.message).trim();
}

function failed(
  path: string,
  value: unknown,
  { detail, rule, schema }: { readonly detail: string; readonly rule: Rule; readonly schema: CompiledSchema },
): FieldError {
  const field = path === "" ? "<nil>" : path;
  const isOmitted = schema.type === "object" || schema.type === "array";
  switch (rule.reason) {
    case "FieldValueForbidden":
      return { reason: rule.reason, field, body: `Forbidden: ${detail}` };
    case "FieldValueRequired":
      return { reason: rule.reason, field, body: `Required value: ${detail}` };
    case "FieldValueDuplicate": {
      const body = invalid(path, value, "").body.replace(/^Invalid value/, "Duplicate value");
      return { reason: rule.reason, field, body: isOmitted ? "Duplicate value" : body };
    }
    default:
      return isOmitted ? { reason: "FieldValueInvalid", field, body: `Invalid value: ${detail}` } : invalid(path, value, detail);
  }
}

const compiledRules = new WeakMap<CompiledSchema, readonly CompiledRule[]>();

/** Returns the rules of a node, compiled at the first run. */
function rulesOf(schema: CompiledSchema, isRoot: boolean): readonly CompiledRule[] {
  let rules = compiledRules.get(schema);
  if (rules === undefined) {
    const self = typeOfSchema(schema, isRoot, "selfType");
    rules = self === undefined ? [] : schema.rules.map((rule) => compileRule(rule, self));
    compiledRules.set(schema, rules);
  }
  return rules;
}
