/** Validates ResourceQuotas, LimitRanges and PodDisruptionBudgets. */
import { type FieldError, GoStruct } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { quantityNanos } from "../quantity.ts";
import { qualifiedName } from "./formats.ts";
import { amount, containerResourceName, isNativeResource, QUOTA, resourceName } from "./resources.ts";
import { labelSelector } from "./selectors.ts";
import { check, oneOf, type Spot } from "./spot.ts";
import { atMostAll, intOrPercent } from "./workloads.ts";

function quotaName(spot: Spot, name: string): void {
  resourceName(spot, name);
  if (!name.includes("/") && !QUOTA.has(name) && !/^(requests\.)?hugepages-/.test(name))
    spot.invalid("must be a standard resource for quota", name);
}

const EXISTENCE_SCOPES = ["Terminating", "NotTerminating", "BestEffort", "NotBestEffort", "CrossNamespacePodAffinity"];
const SCOPES = [...EXISTENCE_SCOPES, "PriorityClass", "VolumeAttributesClass"];
const COMPUTE = [...QUOTA].filter((name) => /cpu|memory|ephemeral/.test(name));

/** Reports whether a scope of a quota applies to a resource. */
function fits(scope: string, resource: string): boolean {
  if (scope === "BestEffort") return resource === "pods";
  if (scope === "VolumeAttributesClass") return resource === "persistentvolumeclaims" || resource === "requests.storage";
  return !SCOPES.includes(scope) || resource === "pods" || COMPUTE.includes(resource);
}

const PAIRS = [
  ["BestEffort", "NotBestEffort"],
  ["Terminating", "NotTerminating"],
] as const;

function scopes(spec: Spot): void {
  const spot = spec.at("scopes");
  const names = spot.items.map(({ text }) => text);
  for (const name of names) {
    if (!SCOPES.includes(name)) spot.invalid("unsupported scope");
    for (const [resource] of spec.at("hard").members)
      if (QUOTA.has(resource) && !fits(name, resource)) spot.invalid("unsupported scope applied to resource");
  }
  for (const pair of PAIRS) if (pair.every((name) => names.includes(name))) spot.invalid("conflicting scopes");
}

const EXISTS =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, " +
  "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

function scopeSelector(spec: Spot): void {
  const path = "spec.scopeSelector.matchExpressions";
  for (const item of spec.within("scopeSelector", "matchExpressions").items) {
    const requirement = item.named(path);
    const [scope, operator, values] = [requirement.at("scopeName"), requirement.at("operator"), requirement.at("values")];
    if (!SCOPES.includes(scope.text)) scope.invalid("unsupported scope");
    if (EXISTENCE_SCOPES.includes(scope.text) && operator.text !== "Exists") operator.invalid(EXISTS);
    if (operator.text === "In" || operator.text === "NotIn") {
      if (values.isEmpty) values.required("must be at least one value when `operator` is 'In' or 'NotIn' for scope selector");
    } else if (operator.text === "Exists" || operator.text === "DoesNotExist") {
      if (!values.isEmpty) values.invalid("must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector");
    } else operator.invalid("not a valid selector operator");
  }
}

export function quotaErrors(draft: JsonObject, previous: JsonObject | undefined): FieldError[] {
  return check(draft, (quota) => {
    const spec = quota.at("spec");
    for (const [name, member] of spec.at("hard").members) {
      quotaName(member, name);
      amount(member, name);
    }
    scopes(spec);
    scopeSelector(spec);
    const old = isObject(previous?.["spec"]) ? previous["spec"] : {};
    const sorted = (value: unknown): string => (Array.isArray(value) ? value.map(String).toSorted() : []).join();
    if (previous !== undefined && sorted(spec.get("scopes")) !== sorted(old["scopes"]))
      spec.at("scopes").invalid("field is immutable", spec.get("scopes") ?? null);
  });
}

const LIMIT_TYPES = ["Pod", "Container", "PersistentVolumeClaim"];

function limitName(spot: Spot, name: string, type: string): void {
  if (type === "Pod" || type === "Container") containerResourceName(spot, name);
  else resourceName(spot, name);
}

function limit(item: Spot): void {
  const type = item.at("type").text;
  const lists = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"];
  for (const list of lists) {
    const spot = item.at(list);
    if (type === "Pod" && list.startsWith("default")) {
      if (spot.members.length > 0) spot.forbidden("may not be specified when `type` is 'Pod'");
    } else for (const [name, member] of spot.members) limitName(member, name, type);
    if (list === "defaultRequest" && type === "PersistentVolumeClaim" && !item.at("min").get("storage") && !item.at("max").get("storage"))
      item.at("limits").required("either minimum or maximum storage value is required, but neither was provided");
  }
  for (const name of new Set(lists.flatMap((list) => Object.keys(item.at(list).object)))) limitOrder(item, name);
}

/** Pairs of amounts of which the first must not be more than the second: their names, the error and the shown values. */
const ORDERS = [
  ["min", "max", "min", "min", "min value", "max value"],
  ["min", "defaultRequest", "defaultRequest", "defaultRequest", "min value", "default request value"],
  ["defaultRequest", "max", "defaultRequest", "defaultRequest", "default request value", "max value"],
  ["defaultRequest", "default", "defaultRequest", "defaultRequest", "default request value", "default limit value"],
  ["min", "default", "default", "min", "min value", "default value"],
  ["default", "max", "default", "max", "default value", "max value"],
] as const;

function limitOrder(item: Spot, name: string): void {
  const of = (list: string): unknown => item.at(list).get(name);
  for (const [less, more, wrong, shown, lessName, moreName] of ORDERS) {
    if (of(less) === undefined || of(more) === undefined || quantityNanos(of(less)) <= quantityNanos(of(more))) continue;
    item
      .at(wrong)
      .named(`${item.path}.${wrong}[${name}]`)
      .invalid(`${lessName} ${String(of(less))} is greater than ${moreName} ${String(of(more))}`, of(shown));
  }
  const ratio = of("maxLimitRequestRatio");
  const at = item.named(`${item.path}.maxLimitRequestRatio[${name}]`);
  if (ratio !== undefined && quantityNanos(ratio) < 1_000_000_000n) at.invalid(`ratio ${String(ratio)} is less than 1`, ratio);
  if (ratio !== undefined && of("min") !== undefined && of("max") !== undefined) {
    const most = Number(quantityNanos(of("max"))) / Number(quantityNanos(of("min")));
    if (Number(quantityNanos(ratio)) / 1e9 > most) at.invalid(`ratio ${String(ratio)} is greater than max/min = ${most.toFixed(6)}`, ratio);
  }
  const isWhole = !isNativeResource(name) || name.startsWith("hugepages-");
  if (isWhole && of("default") !== undefined && of("defaultRequest") !== undefined && of("default") !== of("defaultRequest"))
    item
      .named(`${item.path}.defaultRequest[${name}]`)
      .invalid(
        `default value ${String(of("default"))} must equal to defaultRequest value ${String(of("defaultRequest"))} in ${name}`,
        of("defaultRequest"),
      );
}

export function limitRangeErrors(draft: JsonObject): FieldError[] {
  return check(draft, (range) => {
    const seen = new Set<string>();
    for (const item of range.within("spec", "limits").items) {
      const type = item.at("type");
      const before = type.errorCount;
      qualifiedName(type);
      if (type.errorCount === before && !type.text.includes("/") && !LIMIT_TYPES.includes(type.text))
        type.invalid("must be a standard limit type or fully qualified");
      if (seen.has(type.text)) type.duplicate();
      seen.add(type.text);
      limit(item);
    }
  });
}

export function budgetErrors(draft: JsonObject): FieldError[] {
  return check(draft, (budget) => {
    const spec = budget.at("spec");
    const [least, most, policy] = [spec.at("minAvailable"), spec.at("maxUnavailable"), spec.at("unhealthyPodEvictionPolicy")];
    if (least.isSet && most.isSet)
      spec.invalid(
        "minAvailable and maxUnavailable cannot be both set",
        new GoStruct({
          MinAvailable: least.value,
          Selector: spec.get("selector") ?? null,
          MaxUnavailable: most.value,
          UnhealthyPodEvictionPolicy: policy.value ?? null,
        }),
      );
    for (const spot of [least, most]) {
      intOrPercent(spot);
      atMostAll(spot);
    }
    labelSelector(spec.at("selector"));
    oneOf("AlwaysAllow", "IfHealthyBudget")(policy);
  });
}
