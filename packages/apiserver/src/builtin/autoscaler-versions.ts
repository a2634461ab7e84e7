/**
 * HorizontalPodAutoscalers in `autoscaling/v1`. They are stored as `v2`, of which `v1` has only the CPU target. `v1` keeps
 * all other fields in annotations (pkg/apis/autoscaling/v1/conversion.go of Kubernetes).
 */
import { isObject, type JsonObject } from "../internal/json.ts";
import { at, listAt, objectAt, textAt } from "../internal/read.ts";

const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";

/** Converts an object of `v2` to `v1`. */
export function autoscalerToV1(object: JsonObject): JsonObject {
  const { metrics: _, behavior, ...spec } = objectAt(object, "spec");
  const { currentMetrics: __, conditions: ___, ...status } = objectAt(object, "status");
  const metrics = listAt(object, "spec", "metrics");
  const current = listAt(object, "status", "currentMetrics");
  const target = metrics.find(isCpuUse);
  const used = current.filter((one) => isOfCpu(one)).at(-1);
  const others = metrics.filter((one) => !isCpuUse(one)).map((one) => rewrite(one, SPEC_FIELDS, toFlat));
  const conditions = listAt(object, "status", "conditions");
  const notes: Record<string, unknown> = {
    ...(others.length === 0 ? {} : { [METRICS]: others }),
    ...(current.length === 0 ? {} : { [CURRENT_METRICS]: current.map((one) => rewrite(one, STATUS_FIELDS, toFlat)) }),
    ...(isObject(behavior) ? { [BEHAVIOR]: recased(withGaps(behavior), upper) } : {}),
    ...(conditions.length === 0 ? {} : { [CONDITIONS]: conditions }),
  };
  return {
    ...object,
    metadata: withNotes(object, notes),
    spec: { ...spec, ...numberIn("targetCPUUtilizationPercentage", target, "resource", "target", "averageUtilization") },
    status: {
      currentReplicas: 0,
      ...status,
      ...numberIn("currentCPUUtilizationPercentage", used, "resource", "current", "averageUtilization"),
    },
  };
}

/** Fills in the default metric, which `v1` shows. */
export function completeAutoscalerV1(object: JsonObject): void {
  const spec = objectAt(object, "spec");
  if (noted(object, METRICS, Array.isArray).length === 0) spec["targetCPUUtilizationPercentage"] ??= DEFAULT_PERCENTAGE;
}

/** Converts an object of `v1` to the stored form. Unreadable annotations are ignored. */
export function autoscalerFromV1(object: JsonObject): JsonObject {
  const { targetCPUUtilizationPercentage: percentage, ...spec } = objectAt(object, "spec");
  const { currentCPUUtilizationPercentage: used, currentReplicas, ...status } = objectAt(object, "status");
  const others = noted(object, METRICS, Array.isArray).map((one) => rewrite(one, SPEC_FIELDS, toNested));
  const behavior = noted(object, BEHAVIOR, isObject)[0];
  const current = noted(object, CURRENT_METRICS, Array.isArray).map((one) => rewrite(one, STATUS_FIELDS, toNested));
  const conditions = noted(object, CONDITIONS, Array.isArray);
  const metrics = [...others, ...(typeof percentage === "number" || others.length === 0 ? [cpuUse(percentage ?? DEFAULT_PERCENTAGE)] : [])];
  const measured =
    current.length > 0
      ? current
      : typeof used === "number"
        ? [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: used } } }]
        : [];
  return {
    ...object,
    metadata: withNotes(object, {}),
    spec: { ...spec, metrics, ...(behavior === undefined ? {} : { behavior: recased(behavior, lower) }) },
    ...(object["status"] === undefined
      ? {}
      : {
          status: {
            ...(currentReplicas === 0 || currentReplicas === undefined ? {} : { currentReplicas }),
            ...status,
            currentMetrics: measured.length === 0 ? null : measured,
            ...(conditions.length === 0 ? {} : { conditions }),
          },
        }),
  };
}

/** pkg/apis/autoscaling `DefaultCPUUtilization`. */
const DEFAULT_PERCENTAGE = 80;

function cpuUse(averageUtilization: unknown): JsonObject {
  return { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization } } };
}

function isOfCpu(metric: JsonObject): boolean {
  return metric["type"] === "Resource" && textAt(metric, "resource", "name") === "cpu";
}

function isCpuUse(metric: JsonObject): boolean {
  return isOfCpu(metric) && at(metric, "resource", "target", "averageUtilization") !== undefined;
}

function numberIn(field: string, value: unknown, ...path: readonly string[]): JsonObject {
  const found = at(value, ...path);
  return typeof found === "number" ? { [field]: found } : {};
}

/** Returns metadata with these conversion annotations and no others. */
function withNotes(object: JsonObject, notes: Readonly<Record<string, unknown>>): unknown {
  const { annotations, ...metadata } = objectAt(object, "metadata");
  const kept = Object.entries(isObject(annotations) ? annotations : {}).filter(
    ([name]) => ![METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR].includes(name),
  );
  const all = [...kept, ...Object.entries(notes).map(([name, value]) => [name, JSON.stringify(value)])];
  return all.length === 0 ? metadata : { ...metadata, annotations: Object.fromEntries(all) as JsonObject };
}

/** Returns the value of an annotation, if it has the expected type. */
function noted(object: JsonObject, name: string, isExpected: (value: unknown) => boolean): readonly JsonObject[] {
  try {
    const value: unknown = JSON.parse(textAt(object, "metadata", "annotations", name));
    return isExpected(value) ? [value].flat().filter(isObject) : [];
  } catch {
    return [];
  }
}

/** Paths of the fields of a metric in `v1` and in `v2`, by the field of its source. */
type Fields = Readonly<Record<string, readonly (readonly [flat: string, nested: readonly string[]])[]>>;

const SPEC_FIELDS: Fields = {
  object: [
    ["target", ["describedObject"]],
    ["metricName", ["metric", "name"]],
    ["targetValue", ["target", "value"]],
    ["selector", ["metric", "selector"]],
    ["averageValue", ["target", "averageValue"]],
  ],
  pods: [
    ["metricName", ["metric", "name"]],
    ["targetAverageValue", ["target", "averageValue"]],
    ["selector", ["metric", "selector"]],
  ],
  resource: [
    ["name", ["name"]],
    ["targetAverageUtilization", ["target", "averageUtilization"]],
    ["targetAverageValue", ["target", "averageValue"]],
  ],
  containerResource: [
    ["name", ["name"]],
    ["targetAverageUtilization", ["target", "averageUtilization"]],
    ["targetAverageValue", ["target", "averageValue"]],
    ["container", ["container"]],
  ],
  external: [
    ["metricName", ["metric", "name"]],
    ["metricSelector", ["metric", "selector"]],
    ["targetValue", ["target", "value"]],
    ["targetAverageValue", ["target", "averageValue"]],
  ],
};

/** Measured values have the same fields with other names. */
const STATUS_FIELDS: Fields = Object.fromEntries(
  Object.entries(SPEC_FIELDS).map(([source, fields]) => [
    source,
    fields.map(
      ([flat, nested]) =>
        [
          flat === "target" ? flat : flat.replace(/^target/, "current"),
          nested.map((field) => (field === "target" ? "current" : field)),
        ] as const,
    ),
  ]),
);

function rewrite(metric: JsonObject, fields: Fields, how: (source: JsonObject, names: Fields[string]) => JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(metric).map(([field, value]) => {
      const names = fields[field];
      return [field, names !== undefined && isObject(value) ? how(value, names) : value];
    }),
  );
}

function toFlat(source: JsonObject, names: Fields[string]): JsonObject {
  return Object.fromEntries(
    names.flatMap(([flat, nested]) => {
      const value = at(source, ...nested);
      return value === undefined ? [] : [[flat, flat === "target" ? inOrder(value) : value]];
    }),
  );
}

/** Returns a reference in the order of Go, because the annotation is a text. */
function inOrder(reference: unknown): JsonObject {
  const { kind, name, apiVersion } = objectAt(reference);
  return { kind, name, ...(apiVersion === undefined ? {} : { apiVersion }) };
}

function toNested(source: JsonObject, names: Fields[string]): JsonObject {
  const result: JsonObject = {};
  for (const [flat, nested] of names) {
    if (source[flat] === undefined) continue;
    const [first = "", second] = nested;
    result[first] = second === undefined ? source[flat] : { ...objectAt(result, first), [second]: source[flat] };
  }
  const { target } = result;
  if (isObject(target)) result["target"] = { type: targetType(target), ...target };
  return result;
}

function targetType(target: JsonObject): string {
  if (target["averageUtilization"] !== undefined) return "Utilization";
  return target["averageValue"] === undefined ? "Value" : "AverageValue";
}

/** Returns the behavior with the names of Go and null for absent fields, as the annotation contains it. */
function withGaps(behavior: JsonObject): JsonObject {
  const rules = (name: string): unknown => {
    const given = behavior[name];
    if (!isObject(given)) return null;
    const { stabilizationWindowSeconds = null, selectPolicy = null, policies = null, tolerance = null } = given;
    return { stabilizationWindowSeconds, selectPolicy, policies, tolerance };
  };
  return { scaleUp: rules("scaleUp"), scaleDown: rules("scaleDown") };
}

const upper = (name: string): string => `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`;
const lower = (name: string): string => `${name.slice(0, 1).toLowerCase()}${name.slice(1)}`;

/** Renames all fields. Nulls are removed when the names are no longer Go's. */
function recased(value: JsonObject, change: (name: string) => string): JsonObject {
  const each = (one: unknown): unknown => (Array.isArray(one) ? one.map(each) : isObject(one) ? recased(one, change) : one);
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => (member === null && change === lower ? [] : [[change(name), each(member)]])),
  );
}
