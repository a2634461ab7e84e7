/** Validates HorizontalPodAutoscalers. */
import type { FieldError } from "../../errors/field-errors.ts";
import type { JsonObject } from "../../internal/json.ts";
import { quantityNanos } from "../quantity.ts";
import { dnsLabel, pathSegment } from "./formats.ts";
import { containerResourceName } from "./resources.ts";
import { labelSelector } from "./selectors.ts";
import { check, fields, needed, oneOf, type Rule, type Spot } from "./spot.ts";

const reference: Rule = (spot) => {
  needed(pathSegment)(spot.at("kind"));
  needed(pathSegment)(spot.at("name"));
};

/** Checks the target, which must be in a group to be scalable. */
function targetVersion(spot: Spot): void {
  const parts = spot.text.split("/");
  if (parts.length > 2) spot.invalid(`unexpected GroupVersion string: ${spot.text}`);
  else if (parts.length < 2 && spot.text !== "v1") spot.invalid("apiVersion must specify API group");
}

const positive: Rule = (spot) => {
  if (spot.isSet && quantityNanos(spot.text) <= 0n) spot.invalid("must be positive");
};

const target: Rule = fields({
  type: (spot) => {
    if (spot.isEmpty) spot.required("must specify a metric target type");
    if (!["Utilization", "Value", "AverageValue"].includes(spot.text)) spot.invalid("must be either Utilization, Value, or AverageValue");
  },
  value: positive,
  averageValue: positive,
  averageUtilization: (spot) => {
    if (spot.isSet && spot.number < 1) spot.invalid("must be greater than 0");
  },
});

const metric: Rule = fields({ name: needed(pathSegment, "must specify a metric name"), selector: labelSelector });

/** Checks that one of two ways to set the target is chosen. */
function usage(spot: Spot): void {
  const [part, whole] = [spot.within("target", "averageUtilization"), spot.within("target", "averageValue")];
  target(spot.at("target"));
  if (!part.isSet && !whole.isSet) part.required("must set either a target raw value or a target utilization");
  if (part.isSet && whole.isSet) whole.forbidden("may not set both a target raw value and a target utilization");
}

function valued(spot: Spot, missing: string): void {
  metric(spot.at("metric"));
  target(spot.at("target"));
  const [value, average] = [spot.within("target", "value"), spot.within("target", "averageValue")];
  if (!value.isSet && !average.isSet) average.required(missing);
}

/** Sources of metrics by field, in the order in which they are checked: the first one counts. */
const SOURCES: readonly (readonly [string, string, Rule])[] = [
  [
    "Object",
    "object",
    (spot) => {
      reference(spot.at("describedObject"));
      valued(spot, "must set either a target value or averageValue");
    },
  ],
  [
    "External",
    "external",
    (spot) => {
      valued(spot, "must set either a target value for metric or a per-pod target");
      const value = spot.within("target", "value");
      if (value.isSet && spot.within("target", "averageValue").isSet)
        value.forbidden("may not set both a target value for metric and a per-pod target");
    },
  ],
  [
    "Pods",
    "pods",
    (spot) => {
      metric(spot.at("metric"));
      target(spot.at("target"));
      needed(undefined, "must specify a positive target averageValue")(spot.within("target", "averageValue"));
    },
  ],
  [
    "Resource",
    "resource",
    (spot) => {
      needed(undefined, "must specify a resource name")(spot.at("name"));
      usage(spot);
    },
  ],
  [
    "ContainerResource",
    "containerResource",
    (spot) => {
      needed((name) => containerResourceName(name, name.text), "must specify a resource name")(spot.at("name"));
      needed(dnsLabel, "must specify a container")(spot.at("container"));
      usage(spot);
    },
  ],
];
const TYPES = SOURCES.map(([type]) => type).toSorted();

function metricSource(spot: Spot): void {
  const type = spot.at("type");
  if (type.isEmpty) type.required("must specify a metric source type");
  if (!TYPES.includes(type.text)) type.notSupported(TYPES);
  const given = SOURCES.filter(([, field]) => spot.at(field).isSet);
  const [first] = given;
  if (first !== undefined) first[2](spot.at(first[1]));
  const expected = SOURCES.find(([name]) => name === type.text)?.[1];
  if (expected === undefined) type.notSupported(TYPES);
  else if (!spot.at(expected).isSet) spot.at(expected).required("must populate information for the given metric source");
  if (given.length > 1)
    for (const [, field] of given) if (field !== expected) spot.at(field).forbidden("must populate the given metric source only");
}

function inRange(spot: Spot, low: number, high: number, words: string): void {
  if (!spot.isSet) return;
  if (spot.number < low) spot.invalid(words);
  if (spot.number > high) spot.invalid(`must be less than or equal to ${high}`);
}

const scaling: Rule = (spot) => {
  if (!spot.isSet) return;
  inRange(spot.at("stabilizationWindowSeconds"), 0, 3600, "must be greater than or equal to zero");
  oneOf("Disabled", "Max", "Min")(spot.at("selectPolicy"));
  const policies = spot.at("policies");
  if (policies.isEmpty) policies.required("must specify at least one Policy");
  for (const policy of policies.items) {
    oneOf("Percent", "Pods")(policy.at("type"));
    inRange(policy.at("value"), 1, Number.POSITIVE_INFINITY, "must be greater than zero");
    inRange(policy.at("periodSeconds"), 1, 1800, "must be greater than zero");
  }
};

export function autoscalerErrors(draft: JsonObject): FieldError[] {
  return check(draft, (object) => {
    const spec = object.at("spec");
    const [least, most, metrics] = [spec.at("minReplicas"), spec.at("maxReplicas"), spec.at("metrics")];
    if (least.isSet && least.number < 1) least.invalid("must be greater than or equal to 1");
    if (most.number === 0) most.required("must be set and greater than 0");
    else if (most.number < 0) most.invalid("must be greater than or equal to 1");
    if (least.isSet && most.number < least.number) most.invalid("must be greater than or equal to `minReplicas`", most.number);
    reference(spec.at("scaleTargetRef"));
    targetVersion(spec.within("scaleTargetRef", "apiVersion"));
    for (const item of metrics.items) metricSource(item);
    const isFed = metrics.items.some((item) => item.get("type") === "Object" || item.get("type") === "External");
    if (least.isSet && least.number === 0 && !isFed)
      metrics.forbidden("must specify at least one Object or External metric to support scaling to zero replicas");
    fields({ scaleUp: scaling, scaleDown: scaling })(spec.at("behavior"));
  });
}
