/**
 * ValidatingAdmissionPolicies: their verdicts about a write. Unlike webhooks they run synchronously, unless a webhook must convert
 * the objects first.
 */
import { BudgetError } from "../cel/budget.ts";
import type { JsonObject } from "../internal/json.ts";
import { listAt, textAt, textsAt } from "../internal/read.ts";
import { resourceOf, type ServedVersion } from "../storage/registry.ts";
import { forbiddenError, StatusError } from "../errors/status-errors.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { conditionsHold } from "./conditions.ts";
import { ExpressionError, type Names, OUT_OF_BUDGET, run, withVariables } from "./expressions.ts";
import type { Wanted } from "./matching.ts";
import { requestOf, type ReviewContext } from "./admission-review.ts";
import {
  conditionsOf,
  failsOpen,
  hasParams,
  invocationsOf,
  POLICY_BUDGET,
  type PolicyInvocation,
  type PolicyParts,
  variablesOf,
} from "./policy-invocations.ts";
import { namesOf, namespaceOf } from "./request-names.ts";
import type { Rights } from "../cel/library/authorizer.ts";

/** Outcome of all policies. The first denial counts. */
export interface PolicyOutcome {
  readonly warnings: readonly string[];
  readonly denial: StatusError | undefined;
}

/** A request, as policies see it. */
export interface PolicyContext extends Omit<ReviewContext, "uid"> {
  /** Rights of the user of the request. */
  readonly rights: Rights;
  /** Returns an object in another version of its kind, or the failure of its conversion. */
  readonly inVersion: (object: JsonObject, version: ServedVersion) => JsonObject | StatusError;
}

/** Runs all policies for a write. */
export function askPolicies(parts: PolicyParts, wanted: Wanted, context: PolicyContext): PolicyOutcome {
  const warnings: string[] = [];
  let denial: StatusError | undefined;
  for (const invocation of invocationsOf(parts, "ValidatingAdmissionPolicy", wanted)) {
    const { policy, binding } = invocation;
    const bound = binding === undefined ? "" : ` with binding '${binding.metadata.name}'`;
    const by = `ValidatingAdmissionPolicy '${policy.metadata.name}'${bound}`;
    const actions = textsAt(binding, "spec", "validationActions");
    const found = "message" in invocation ? unconfigured(policy, invocation.message) : verdicts(parts, invocation, { wanted, context });
    for (const { message, reason, isOfBinding } of found) {
      if (actions.includes("Warn") && !isOfBinding) warnings.push(`Validation failed for ${by}: ${message}`);
      if (actions.includes("Deny") || isOfBinding) denial ??= refusal(wanted, `${by} denied request: ${message}`, reason);
    }
  }
  return { warnings, denial };
}

const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

function refusal({ served, name, object }: Wanted, message: string, reason: string): StatusError {
  const named = name || textAt(object, "metadata", "name") || "Unknown"; // of many objects that are deleted at once
  const { status } = forbiddenError(resourceOf(served.type), named, message, [{ message }]);
  return new StatusError({ ...status, reason, code: CODES[reason] ?? 422 });
}

interface Verdict {
  readonly message: string;
  readonly reason: string;
  /** Whether the policy or its binding is wrong. No `validationActions` turn such an error into a warning. */
  readonly isOfBinding?: true;
}

function unconfigured(policy: StoredObject, message: string): readonly Verdict[] {
  return failsOpen(policy) ? [] : [{ message, reason: "Invalid", isOfBinding: true }];
}

interface Asked {
  readonly wanted: Wanted;
  readonly context: PolicyContext;
}

/** Returns the violations of a policy, for each parameter object of the binding. */
function verdicts(parts: PolicyParts, invocation: PolicyInvocation, { wanted, context }: Asked): readonly Verdict[] {
  const { policy, version, params } = invocation;
  const oldObject = wanted.oldObject && context.inVersion(wanted.oldObject, version);
  const object = wanted.object && context.inVersion(wanted.object, version);
  if (oldObject instanceof StatusError) return unconverted(policy, oldObject);
  if (object instanceof StatusError) return unconverted(policy, object);
  return params.flatMap((param) => {
    const values = {
      object,
      oldObject,
      request: requestOf(version, wanted, context),
      rights: context.rights,
      ...(hasParams(policy) ? { params: { object: param } } : {}),
    };
    // Conditions do not see the namespace, as on the real server.
    const found =
      isExcluded(policy, namesOf(values)) ?? judged(policy, namesOf({ ...values, namespaceObject: namespaceOf(parts.store, wanted) }));
    return failsOpen(policy) ? found.filter(({ isError }) => !isError) : found;
  });
}

function unconverted(policy: StoredObject, { status }: StatusError): readonly Verdict[] {
  return unconfigured(policy, `failed to configure binding: failed to convert object version: ${status.message}`);
}

/** k8s.io/apiserver `apis/cel.MaxEvaluatedMessageExpressionSizeBytes`. */
const MAX_MESSAGE_BYTES = 5120;

type Finding = Verdict & { readonly isError: boolean };

function failed(message: string): Finding {
  return { message, reason: "Invalid", isError: true };
}

/** Returns the findings when the `matchConditions` exclude the request or fail, and `undefined` when they hold. */
function isExcluded(policy: StoredObject, names: Names): readonly Finding[] | undefined {
  const holds = conditionsHold(conditionsOf(policy), withVariables(names, variablesOf(policy), { remaining: POLICY_BUDGET }));
  if (typeof holds === "string") return [failed(holds)];
  return holds ? undefined : [];
}

function judged(policy: StoredObject, given: Names): readonly Finding[] {
  const budget = { remaining: POLICY_BUDGET };
  const names = withVariables(given, variablesOf(policy), budget);
  const found: Finding[] = [];
  for (const validation of listAt(policy, "spec", "validations")) {
    try {
      if (run(textAt(validation, "expression"), names, budget, { returns: ["bool"] }) === true) continue;
      found.push({ message: messageOf(validation, names, budget), reason: textAt(validation, "reason") || "Invalid", isError: false });
    } catch (error) {
      if (error instanceof BudgetError) return [failed(OUT_OF_BUDGET)];
      if (!(error instanceof ExpressionError)) throw error;
      found.push(failed(error.message));
    }
  }
  return [...found, ...auditProblems(policy, given)];
}

/** Returns the errors of audit annotations. Their values are for an audit log, which does not exist here. */
function auditProblems(policy: StoredObject, given: Names): readonly Finding[] {
  const budget = { remaining: POLICY_BUDGET };
  const names = withVariables(given, variablesOf(policy), budget);
  return listAt(policy, "spec", "auditAnnotations").flatMap((annotation) => {
    try {
      run(textAt(annotation, "valueExpression"), names, budget, { returns: ["string", "null"] });
      return [];
    } catch (error) {
      if (error instanceof BudgetError) return failed(OUT_OF_BUDGET);
      if (!(error instanceof ExpressionError)) throw error;
      return failed(error.message);
    }
  });
}

/** Returns the result of `messageExpression` if it is one line, or else `message`, or else the expression. */
function messageOf(validation: JsonObject, names: Names, budget: { remaining: number }): string {
  const expression = textAt(validation, "messageExpression");
  if (expression !== "") {
    try {
      const value = run(expression, names, budget, { returns: ["string"] });
      const text = typeof value === "string" ? value.trim() : "";
      if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
    } catch (error) {
      // A failing `messageExpression` counts as absent.
      if (!(error instanceof ExpressionError)) throw error;
    }
  }
  return textAt(validation, "message").trim() || `failed expression: ${textAt(validation, "expression").trim()}`;
}
