/**
 * ValidatingAdmissionPolicies and their bindings: which of them apply to a write, and their verdicts. Unlike webhooks they
 * run synchronously, unless a webhook must convert the objects first. Policies run in the order of their names, and so do the bindings of one policy. On the real server this
 * order is random.
 */
import { matchesLabels } from "@treadle/apimachinery";
import { BudgetError } from "../cel/budget.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt, textsAt } from "../internal/read.ts";
import { representationOf } from "../storage/served-form.ts";
import { type Registry, resourceOf, type Served, type ServedVersion } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import { forbiddenError, StatusError } from "../errors/status-errors.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { type Condition, conditionsHold } from "./conditions.ts";
import { ExpressionError, type Names, namesOf, OUT_OF_BUDGET, run, withVariables } from "./expressions.ts";
import { ADMISSION_GROUP, isSelected, type Matching, versionFor, type Wanted } from "./matching.ts";
import { requestOf, type ReviewContext } from "./admission-review.ts";

/** Outcome of all policies. The first denial counts. */
export interface PolicyOutcome {
  readonly warnings: readonly string[];
  readonly denial: StatusError | undefined;
}

const POLICIES = `validatingadmissionpolicies.${ADMISSION_GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${ADMISSION_GROUP}`;

/** Reports whether any policy exists. Most servers have none. */
export function hasPolicies({ store }: { readonly store: Store }): boolean {
  return store.collection(POLICIES).size > 0 && store.collection(BINDINGS).size > 0;
}

interface PolicyParts {
  readonly store: Store;
  readonly registry: Registry;
}

/** A request, as policies see it. */
export interface PolicyContext extends Omit<ReviewContext, "uid"> {
  /** Returns an object in another version of its kind, or the failure of its conversion. */
  readonly inVersion: (object: JsonObject, version: ServedVersion) => JsonObject | StatusError;
}

/** Runs all policies for a write. */
export function askPolicies(parts: PolicyParts, wanted: Wanted, context: PolicyContext): PolicyOutcome {
  const warnings: string[] = [];
  let denial: StatusError | undefined;
  if (wanted.served.type.group === ADMISSION_GROUP && wanted.served.type.kind.startsWith("ValidatingAdmissionPolicy"))
    return { warnings, denial };
  const bindings = parts.store.collection(BINDINGS).all();
  for (const { object: policy } of parts.store.collection(POLICIES).all()) {
    const version = versionOf(parts, objectAt(policy, "spec", "matchConstraints"), wanted);
    if (version === undefined) continue;
    const own = bindings.filter(({ object }) => textAt(object, "spec", "policyName") === policy.metadata.name);
    if (own.length > 0 && hasParams(policy) && paramKindOf(parts, policy) === undefined) {
      if (failsOpen(policy)) continue;
      const text = `failed to configure policy: failed to find resource referenced by paramKind: '${paramKindText(policy)}'`;
      denial ??= refusal(wanted, `ValidatingAdmissionPolicy '${policy.metadata.name}' denied request: ${text}`, "Invalid");
      continue;
    }
    for (const { object: binding } of own) {
      const given = objectAt(binding, "spec")["matchResources"];
      if (isObject(given) && versionOf(parts, given, wanted) === undefined) continue;
      const by = `ValidatingAdmissionPolicy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
      const actions = textsAt(binding, "spec", "validationActions");
      for (const { message, reason, isOfBinding } of verdicts(parts, { policy, binding, version, wanted, context })) {
        if (actions.includes("Warn") && !isOfBinding) warnings.push(`Validation failed for ${by}: ${message}`);
        if (actions.includes("Deny") || isOfBinding) denial ??= refusal(wanted, `${by} denied request: ${message}`, reason);
      }
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

/** Returns the version in which the policy sees the objects, or `undefined` when the policy does not apply. */
function versionOf({ store }: PolicyParts, raw: JsonObject, wanted: Wanted): ServedVersion | undefined {
  const matching: Matching = {
    rules: listAt(raw, "resourceRules"),
    isExact: raw["matchPolicy"] === "Exact",
    namespaceSelector: objectAt(raw, "namespaceSelector"),
    objectSelector: objectAt(raw, "objectSelector"),
  };
  if (!isSelected(store, matching, wanted)) return undefined;
  if (versionFor({ ...matching, rules: listAt(raw, "excludeResourceRules") }, wanted) !== undefined) return undefined;
  return matching.rules.length === 0 ? wanted.served.version : versionFor(matching, wanted);
}

interface Question {
  readonly policy: StoredObject;
  readonly binding: StoredObject;
  readonly version: ServedVersion;
  readonly wanted: Wanted;
  readonly context: PolicyContext;
}

interface Verdict {
  readonly message: string;
  readonly reason: string;
  /** Whether the binding itself is wrong. No `validationActions` turn such an error into a warning. */
  readonly isOfBinding?: true;
}

/** Returns the violations of a policy, for each parameter object of the binding. */
function verdicts(parts: PolicyParts, question: Question): readonly Verdict[] {
  const { policy, version, wanted, context } = question;
  const params = paramsOf(parts, question);
  if (typeof params === "string")
    return failsOpen(policy) ? [] : [{ message: `failed to configure binding: ${params}`, reason: "Invalid", isOfBinding: true }];
  if (params.length === 0) return [];
  const oldObject = wanted.oldObject && context.inVersion(wanted.oldObject, version);
  const object = wanted.object && context.inVersion(wanted.object, version);
  const failure = [oldObject, object].find((one) => one instanceof StatusError);
  if (failure !== undefined) {
    const message = `failed to configure binding: failed to convert object version: ${failure.status.message}`;
    return failsOpen(policy) ? [] : [{ message, reason: "Invalid", isOfBinding: true }];
  }
  const isNamespace = wanted.served.type.id === "namespaces";
  const namespace = isNamespace ? undefined : parts.store.collection("namespaces").get(wanted.namespace)?.object;
  return params.flatMap((param) => {
    const names = namesOf({
      object,
      oldObject,
      request: requestOf(version, wanted, context),
      namespaceObject: namespace && shown(namespace),
      ...(hasParams(policy) ? { params: param } : {}),
    });
    const found = judged(policy, names);
    return failsOpen(policy) ? found.filter(({ isError }) => !isError) : found;
  });
}

/** Returns a namespace as expressions see it: only the fields that are equal on every server. */
function shown({ metadata, ...rest }: StoredObject): JsonObject {
  const { managedFields: _, ...meta } = metadata;
  return { metadata: meta, spec: rest["spec"], status: rest["status"] };
}

function hasParams(policy: StoredObject): boolean {
  return isObject(objectAt(policy, "spec")["paramKind"]);
}

function failsOpen(policy: StoredObject): boolean {
  return textAt(policy, "spec", "failurePolicy") === "Ignore";
}

function paramKindText(policy: StoredObject): string {
  return `${textAt(policy, "spec", "paramKind", "apiVersion")}, Kind=${textAt(policy, "spec", "paramKind", "kind")}`;
}

function paramKindOf({ registry }: PolicyParts, policy: StoredObject): Served | undefined {
  return [...registry.all()].find(({ type, version }) => `${version.apiVersion}, Kind=${type.kind}` === paramKindText(policy));
}

/** Returns the parameter objects of a binding, or the text of an error. Without a parameter object nothing is evaluated. */
function paramsOf(parts: PolicyParts, { policy, binding, wanted }: Question): readonly (StoredObject | undefined)[] | string {
  const { paramRef } = objectAt(binding, "spec");
  if (!hasParams(policy) || !isObject(paramRef)) return [undefined];
  const served = paramKindOf(parts, policy);
  if (served === undefined) return `paramKind kind \`${paramKindText(policy)}\` not known`;
  const { type, version } = served;
  const given = textAt(paramRef, "namespace");
  if (!type.isNamespaced && given !== "") return "paramRef.namespace must not be provided for a cluster-scoped `paramKind`";
  const namespace = type.isNamespaced ? given || wanted.namespace : "";
  if (type.isNamespaced && namespace === "")
    return "cannot use namespaced paramRef in policy binding that matches cluster-scoped resources";
  const name = textAt(paramRef, "name");
  const { selector } = paramRef;
  const found = parts.store
    .collection(type.id)
    .all()
    .filter((entry) => (entry.namespace ?? "") === namespace)
    .filter(({ object: { metadata } }) =>
      name === "" ? matchesLabels(objectAt({ selector }, "selector"), metadata.labels) : metadata.name === name,
    );
  if (found.length === 0 && textAt(paramRef, "parameterNotFoundAction") === "Deny")
    return "no params found for policy binding with `Deny` parameterNotFoundAction";
  return found.map((entry) => representationOf(entry, version, type).object);
}

/** k8s.io/apiserver `apis/cel.RuntimeCELCostBudget`. */
const BUDGET = 10_000_000;
/** k8s.io/apiserver `apis/cel.MaxEvaluatedMessageExpressionSizeBytes`. */
const MAX_MESSAGE_BYTES = 5120;

type Finding = Verdict & { readonly isError: boolean };

function judged(policy: StoredObject, given: Names): readonly Finding[] {
  const budget = { remaining: BUDGET };
  const names = withVariables(given, expressionsAt(policy, "variables"), budget);
  const holds = conditionsHold(expressionsAt(policy, "matchConditions"), names);
  const failed = (message: string): Finding => ({ message, reason: "Invalid", isError: true });
  if (typeof holds === "string") return [failed(holds)];
  if (!holds) return [];
  const found: Finding[] = [];
  for (const validation of listAt(policy, "spec", "validations")) {
    try {
      if (run(textAt(validation, "expression"), names, budget) === true) continue;
      found.push({ message: messageOf(validation, names, budget), reason: textAt(validation, "reason") || "Invalid", isError: false });
    } catch (error) {
      if (error instanceof BudgetError) return [failed(OUT_OF_BUDGET)];
      if (!(error instanceof ExpressionError)) throw error;
      found.push(failed(error.message));
    }
  }
  return found;
}

function expressionsAt(policy: StoredObject, field: string): readonly Condition[] {
  return listAt(policy, "spec", field).map((one) => ({ name: textAt(one, "name"), expression: textAt(one, "expression") }));
}

/** Returns the result of `messageExpression` if it is one line, or else `message`, or else the expression. */
function messageOf(validation: JsonObject, names: Names, budget: { remaining: number }): string {
  const expression = textAt(validation, "messageExpression");
  if (expression !== "") {
    try {
      const value = run(expression, names, budget);
      const text = typeof value === "string" ? value.trim() : "";
      if (text !== "" && !text.includes("\n") && Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return text;
    } catch (error) {
      // A failing `messageExpression` counts as absent.
      if (!(error instanceof ExpressionError)) throw error;
    }
  }
  return textAt(validation, "message").trim() || `failed expression: ${textAt(validation, "expression").trim()}`;
}
