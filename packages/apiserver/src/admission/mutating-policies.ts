/**
 * MutatingAdmissionPolicies: they change an object before the mutating webhooks do
 * (k8s.io/apiserver `admission/plugin/policy/mutating`).
 *
 * A policy with `reinvocationPolicy: IfNeeded` runs again in a second pass when a later policy or webhook changed the object.
 */
import { jsonEqual } from "@treadle/apimachinery";
import { BudgetError } from "../cel/budget.ts";
import { forbiddenError, StatusError } from "../errors/status-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { listAt, textAt } from "../internal/read.ts";
import { DEDUCED } from "../managed-fields/field-types.ts";
import { ownershipTypeOf } from "../managed-fields/model.ts";
import { resourceOf, type ServedVersion } from "../storage/registry.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { optionsOf, requestOf } from "./admission-review.ts";
import type { AdmittedCall } from "./admitted-write.ts";
import { conditionsHold } from "./conditions.ts";
import { ExpressionError, type Names, OUT_OF_BUDGET, withVariables } from "./expressions.ts";
import type { Wanted } from "./matching.ts";
import { mutatedBy } from "./mutations.ts";
import { completed } from "./patched-object.ts";
import {
  conditionsOf,
  failsOpen,
  hasParams,
  invocationsOf,
  type PolicyInvocation,
  POLICY_BUDGET,
  variablesOf,
} from "./policy-invocations.ts";
import { namesOf, namespaceOf, rightsOf } from "./request-names.ts";
import { type ChangingObjects, type Converter, FixedObjects } from "./shown-objects.ts";

/** The request that the policies see. */
export interface PolicyRound {
  readonly call: AdmittedCall;
  readonly converter: Converter;
  readonly isDryRun: boolean;
}

interface Failure {
  readonly policy: StoredObject;
  readonly binding: StoredObject | undefined;
  readonly message: string;
  /** Reason of the refusal. A policy that cannot be configured has none. */
  readonly reason?: "Invalid";
}

export class MutatingPolicies {
  readonly #round: PolicyRound;
  /** Policies to run again in the second pass. */
  readonly #again = new Set<string>();
  /** Policies that ran, and run again when another one changes the object. */
  #ran: string[] = [];
  #output: JsonObject | undefined;

  constructor(round: PolicyRound) {
    this.#round = round;
  }

  /** Runs the policies on the object in its current state. Returns whether a second pass is needed. @throws StatusError */
  async run(objects: ChangingObjects, isReinvoked: boolean): Promise<boolean> {
    const wanted = await objects.base();
    if (isReinvoked && !jsonEqual(this.#output, wanted.object)) this.#require();
    const failures: Failure[] = [];
    const versions = new Versions(this.#round.converter, wanted);
    let last: ServedVersion | undefined;
    for (const invocation of invocationsOf(this.#round.call.parts, "MutatingAdmissionPolicy", wanted)) {
      if ("message" in invocation) failures.push(invocation);
      else
        for (const param of invocation.params) last = (await this.#invoke(invocation, param, { versions, failures, isReinvoked })) ?? last;
    }
    const isDirty = last !== undefined && versions.isDirty(last);
    if (last !== undefined && isDirty) {
      this.#require();
      await objects.replace(await versions.in(last));
    }
    this.#output = (await objects.base()).object;
    const refusal = refusalOf(wanted, failures);
    if (refusal !== undefined) throw refusal;
    return isDirty;
  }

  #require(): void {
    for (const key of this.#ran) this.#again.add(key);
    this.#ran = [];
  }

  /** Runs the mutations of one policy. Returns the version of its object, or `undefined` when it did not run. @throws StatusError */
  async #invoke(
    invocation: PolicyInvocation,
    param: StoredObject | undefined,
    { versions, failures, isReinvoked }: { readonly versions: Versions; readonly failures: Failure[]; readonly isReinvoked: boolean },
  ): Promise<ServedVersion | undefined> {
    const { policy, binding, version } = invocation;
    const shown = await versions.in(version);
    const fail = (message: string): void => void failures.push({ policy, binding, message, reason: "Invalid" });
    const conditions = conditionsOf(policy);
    const budget = { remaining: POLICY_BUDGET };
    const unbound = this.#names(invocation, param, shown, false);
    const holds = conditionsHold(conditions, withVariables(unbound, variablesOf(policy), budget));
    // With `Ignore` a condition that fails excludes the policy, too.
    if (typeof holds === "string") fail(holds);
    if (holds !== true) return undefined;
    const key = JSON.stringify([policy.metadata.name, binding.metadata.name, param?.metadata.namespace, param?.metadata.name]);
    if (isReinvoked && !this.#again.has(key)) return undefined;
    for (const mutation of listAt(policy, "spec", "mutations")) {
      const current = await versions.in(version);
      if (current.object === undefined) continue;
      try {
        versions.change(version, this.#mutated(invocation, mutation, { param, shown: current }));
      } catch (error) {
        if (error instanceof BudgetError) fail(OUT_OF_BUDGET);
        else if (error instanceof ExpressionError) fail(error.message);
        else throw error;
      }
    }
    if (!jsonEqual(shown.object, (await versions.in(version)).object)) this.#require();
    if (textAt(policy, "spec", "reinvocationPolicy") === "IfNeeded") this.#ran.push(key);
    return version;
  }

  #mutated(
    invocation: PolicyInvocation,
    mutation: JsonObject,
    { param, shown }: { readonly param: StoredObject | undefined; readonly shown: Wanted },
  ): JsonObject {
    const { policy, version } = invocation;
    const { type } = shown.served;
    const budget = { remaining: POLICY_BUDGET };
    const names = withVariables(this.#names(invocation, param, shown, true), variablesOf(policy), budget);
    const hasOwnKind = shown.kind !== undefined;
    const object = mutatedBy(mutation, {
      object: shown.object ?? {},
      names,
      budget,
      type: hasOwnKind ? DEDUCED : ownershipTypeOf(type, version),
    });
    // A patch is read strictly, as on the real server.
    return hasOwnKind ? object : completed({ type, version }, object, mutation["patchType"] === "JSONPatch");
  }

  /** Returns the variables. Conditions do not see the namespace, as on the real server. */
  #names({ policy, version }: PolicyInvocation, param: StoredObject | undefined, shown: Wanted, hasNamespace: boolean): Names {
    const { call, isDryRun } = this.#round;
    const { object, oldObject } = shown;
    const context = { user: call.user, isDryRun, options: optionsOf(shown.operation, call.query) };
    return namesOf({
      object,
      oldObject,
      request: requestOf(version, shown, context),
      namespaceObject: hasNamespace ? namespaceOf(call.parts.store, shown) : undefined,
      ...(hasParams(policy) ? { params: { object: param } } : {}),
      rights: rightsOf(call.parts.access.authorizer, call.user, shown),
    });
  }
}

/** The object in the versions of the policies. As on the real server, a change in one version is not seen in another one. */
class Versions {
  readonly #fixed: FixedObjects;
  readonly #changed = new Map<ServedVersion, JsonObject>();

  constructor(converter: Converter, wanted: Wanted) {
    this.#fixed = new FixedObjects(converter, wanted);
  }

  async in(version: ServedVersion): Promise<Wanted> {
    const shown = await this.#fixed.in(version);
    const object = this.#changed.get(version);
    return object === undefined ? shown : { ...shown, object };
  }

  change(version: ServedVersion, object: JsonObject): void {
    this.#changed.set(version, object);
  }

  isDirty(version: ServedVersion): boolean {
    return this.#changed.has(version);
  }
}

/** Returns the refusal of a request, with all failures as its causes. */
function refusalOf({ served, name, object }: Wanted, failures: readonly Failure[]): StatusError | undefined {
  const counted = failures.filter(({ policy }) => !failsOpen(policy));
  const [first] = counted;
  if (first === undefined) return undefined;
  const causes = counted.map((failure) => ({ message: textOf(failure) }));
  const named = name || textAt(object, "metadata", "name") || "Unknown";
  const { status } = forbiddenError(resourceOf(served.type), named, "", causes);
  return new StatusError({ ...status, message: textOf(first), ...(first.reason === undefined ? {} : { reason: first.reason }) });
}

function textOf({ policy, binding, message }: Failure): string {
  const { name } = policy.metadata;
  if (binding === undefined) return `policy "${name}" denied request: ${message}`;
  return `policy '${name}' with binding '${binding.metadata.name}' denied request: ${message}`;
}
