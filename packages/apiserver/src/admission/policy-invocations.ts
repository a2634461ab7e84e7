/**
 * The policies and bindings that apply to a request, with their parameters. Validating and mutating policies share this
 * (k8s.io/apiserver `admission/plugin/policy/generic`). Policies run in the order of their names, and so do the bindings of one
 * policy. On the real server this order is random.
 */
import { matchesLabels } from "@treadle/apimachinery";
import { isObject, type JsonObject } from "../internal/json.ts";
import { listAt, objectAt, textAt } from "../internal/read.ts";
import { representationOf } from "../storage/served-form.ts";
import type { Registry, Served, ServedVersion } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import type { Condition } from "./conditions.ts";
import { ADMISSION_GROUP, isSelected, type Matching, versionFor, type Wanted } from "./matching.ts";

export type PolicyKind = "MutatingAdmissionPolicy" | "ValidatingAdmissionPolicy";

export interface PolicyParts {
  readonly store: Store;
  readonly registry: Registry;
}

/** A policy to run, with one binding. */
export interface PolicyInvocation {
  readonly policy: StoredObject;
  readonly binding: StoredObject;
  /** Version in which the policy sees the objects. */
  readonly version: ServedVersion;
  /** Parameter objects, one for each run. `undefined`: the policy has none. */
  readonly params: readonly (StoredObject | undefined)[];
}

/** A policy that cannot run. Without a binding the policy itself is wrong. */
export interface PolicyProblem {
  readonly policy: StoredObject;
  readonly binding: StoredObject | undefined;
  readonly message: string;
}

const POLICIES: Readonly<Record<PolicyKind, string>> = {
  MutatingAdmissionPolicy: `mutatingadmissionpolicies.${ADMISSION_GROUP}`,
  ValidatingAdmissionPolicy: `validatingadmissionpolicies.${ADMISSION_GROUP}`,
};
const BINDINGS: Readonly<Record<PolicyKind, string>> = {
  MutatingAdmissionPolicy: `mutatingadmissionpolicybindings.${ADMISSION_GROUP}`,
  ValidatingAdmissionPolicy: `validatingadmissionpolicybindings.${ADMISSION_GROUP}`,
};

/** Reports whether any policy exists. Most servers have none. */
export function hasPolicies({ store }: { readonly store: Store }, kind: PolicyKind): boolean {
  return store.collection(POLICIES[kind]).size > 0 && store.collection(BINDINGS[kind]).size > 0;
}

/** Returns the policies for a request, each with one binding, and those that cannot run. */
export function invocationsOf(parts: PolicyParts, kind: PolicyKind, wanted: Wanted): readonly (PolicyInvocation | PolicyProblem)[] {
  const { group, kind: own } = wanted.served.type;
  // Policies never apply to policies, so a wrong one can always be removed.
  if (group === ADMISSION_GROUP && /^(Mutating|Validating)AdmissionPolicy/.test(own)) return [];
  const bindings = parts.store.collection(BINDINGS[kind]).all();
  return parts.store
    .collection(POLICIES[kind])
    .all()
    .flatMap(({ object: policy }) => {
      const of = bindings.filter(({ object }) => textAt(object, "spec", "policyName") === policy.metadata.name);
      return of.length === 0 ? [] : invocationsOfPolicy(parts, { policy, bindings: of.map(({ object }) => object), wanted });
    });
}

interface Question {
  readonly policy: StoredObject;
  readonly bindings: readonly StoredObject[];
  readonly wanted: Wanted;
}

function invocationsOfPolicy(parts: PolicyParts, { policy, bindings, wanted }: Question): readonly (PolicyInvocation | PolicyProblem)[] {
  const version = versionOf(parts, objectAt(policy, "spec", "matchConstraints"), wanted);
  if (version === undefined) return [];
  if (hasParams(policy) && paramKindOf(parts, policy) === undefined) {
    const message = `failed to configure policy: failed to find resource referenced by paramKind: '${paramKindText(policy)}'`;
    return [{ policy, binding: undefined, message }];
  }
  return bindings.flatMap((binding): readonly (PolicyInvocation | PolicyProblem)[] => {
    const given = objectAt(binding, "spec")["matchResources"];
    if (isObject(given) && versionOf(parts, given, wanted) === undefined) return [];
    const params = paramsOf(parts, policy, { binding, wanted });
    if (typeof params === "string") return [{ policy, binding, message: `failed to configure binding: ${params}` }];
    return params.length === 0 ? [] : [{ policy, binding, version, params }];
  });
}

/** Returns the version in which a policy sees the objects, or `undefined` when the policy does not apply. */
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

/** k8s.io/apiserver `apis/cel.RuntimeCELCostBudget`. */
export const POLICY_BUDGET = 10_000_000;

export function variablesOf(policy: StoredObject): readonly Condition[] {
  return expressionsAt(policy, "variables");
}

export function conditionsOf(policy: StoredObject): readonly Condition[] {
  return expressionsAt(policy, "matchConditions");
}

function expressionsAt(policy: StoredObject, field: string): readonly Condition[] {
  return listAt(policy, "spec", field).map((one) => ({ name: textAt(one, "name"), expression: textAt(one, "expression") }));
}

export function hasParams(policy: StoredObject): boolean {
  return isObject(objectAt(policy, "spec")["paramKind"]);
}

export function failsOpen(policy: StoredObject): boolean {
  return textAt(policy, "spec", "failurePolicy") === "Ignore";
}

function paramKindText(policy: StoredObject): string {
  return `${textAt(policy, "spec", "paramKind", "apiVersion")}, Kind=${textAt(policy, "spec", "paramKind", "kind")}`;
}

/** Returns the kind of a policy's parameters, or `undefined` when it is not served. */
function paramKindOf({ registry }: Pick<PolicyParts, "registry">, policy: StoredObject): Served | undefined {
  return [...registry.all()].find(({ type, version }) => `${version.apiVersion}, Kind=${type.kind}` === paramKindText(policy));
}

interface Bound {
  readonly binding: StoredObject;
  readonly wanted: Wanted;
}

/** Returns the parameter objects of a binding, or the text of an error. Without a parameter object nothing is evaluated. */
function paramsOf(parts: PolicyParts, policy: StoredObject, { binding, wanted }: Bound): readonly (StoredObject | undefined)[] | string {
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
