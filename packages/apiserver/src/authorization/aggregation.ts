/** Computes the rules of aggregated ClusterRoles. In a real cluster the controller manager does this. */
import { type Clock, jsonEqual, labelRequirements, matchesLabels } from "@treadle/apimachinery";
import { isObject } from "../internal/json.ts";
import { secondsOf } from "../objects/object-meta.ts";
import type { Collection, Entry, Store } from "../storage/store.ts";
import type { Draft } from "../storage/stored-object.ts";
import { CLUSTER_ROLES, rulesIn } from "./authorizer.ts";
import type { PolicyRule } from "./rules.ts";

export class RoleAggregation {
  readonly #roles: Collection;
  readonly #clock: Clock;
  #isDue = true;

  constructor(store: Store, clock: Clock) {
    this.#roles = store.collection(CLUSTER_ROLES);
    this.#clock = clock;
    this.#roles.listen(() => void (this.#isDue = true));
  }

  /** Writes the roles whose rules changed. Called after each write; without a changed role it does nothing. */
  settle(): void {
    // An aggregated role can be part of another one.
    while (this.#isDue) {
      this.#isDue = false;
      for (const entry of this.#roles.all()) this.#settleRole(entry);
    }
  }

  #settleRole(entry: Entry): void {
    const { aggregationRule } = entry.object;
    const selectors = isObject(aggregationRule) ? aggregationRule["clusterRoleSelectors"] : undefined;
    if (!Array.isArray(selectors) || selectors.length === 0 || entry.object.metadata.deletionTimestamp !== undefined) return;
    const rules = this.#collected(entry, selectors.filter(isObject));
    if (jsonEqual(rules, rulesIn(entry.object))) return;
    const { managedFields, ...metadata } = entry.object.metadata;
    const others = Array.isArray(managedFields) ? managedFields.filter((one) => !isObject(one) || one["manager"] !== MANAGER) : [];
    const owner = { ...WRITER, time: secondsOf(this.#clock.now()) };
    const draft = { ...entry.object, metadata: { ...metadata, managedFields: [owner, ...others] }, rules };
    this.#roles.update(entry, draft as unknown as Draft); // a copy of a stored object
  }

  #collected(of: Entry, selectors: readonly object[]): readonly PolicyRule[] {
    const rules = new Map<string, PolicyRule>();
    for (const selector of selectors) {
      const requirements = labelRequirements(selector);
      for (const entry of this.#roles.all()) {
        if (entry.key === of.key || !matchesLabels(requirements, entry.object.metadata.labels)) continue;
        for (const rule of rulesIn(entry.object)) rules.set(textOf(rule), rule);
      }
    }
    return [...rules.values()];
  }
}

/** Returns a text for comparison. The fields of stored rules have one order, so equal rules have equal texts. */
function textOf(rule: PolicyRule): string {
  const known = texts.get(rule) ?? JSON.stringify(rule);
  texts.set(rule, known);
  return known;
}

// A cache: its values depend only on frozen rules.
const texts = new WeakMap<PolicyRule, string>();

const MANAGER = "clusterrole-aggregation-controller";
const WRITER = {
  manager: MANAGER,
  operation: "Apply",
  apiVersion: "rbac.authorization.k8s.io/v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:rules": {} },
} as const;
