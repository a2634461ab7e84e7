/** Formats the metrics of a HorizontalPodAutoscaler as kubectl does. */
import type { JsonObject } from "../internal/json.ts";
import { at, listAt, numberAt, textAt } from "../internal/read.ts";

const MAX_SHOWN = 2;
const UNKNOWN = "<unknown>";

/** Returns the current and the target value of each metric. */
export function metricsText(autoscaler: JsonObject): string {
  const specs = listAt(autoscaler, "spec", "metrics");
  if (specs.length === 0) return "<none>";
  const statuses = listAt(autoscaler, "status", "currentMetrics");
  const texts = specs.map((spec, index) => metricText(spec, statuses[index]));
  const shown = texts.slice(0, MAX_SHOWN).join(", ");
  return texts.length > MAX_SHOWN ? `${shown} + ${texts.length - MAX_SHOWN} more...` : shown;
}

/** Fields of the types of metrics. */
const FIELDS: Readonly<Record<string, string>> = {
  External: "external",
  Pods: "pods",
  Object: "object",
  Resource: "resource",
  ContainerResource: "containerResource",
};

function metricText(spec: JsonObject, status: JsonObject | undefined): string {
  const field = FIELDS[textAt(spec, "type")];
  if (field === undefined) return "<unknown type>";
  const target = (value: string): unknown => at(spec, field, "target", value);
  const current = (value: string): unknown => at(status, field, "current", value);
  const average = target("averageValue");
  if (field === "pods") return `${shown(current("averageValue"))}/${shown(average, "0")}`;
  if (field === "external" || field === "object") {
    if (average !== undefined) return `${shown(current("averageValue"))}/${shown(average)} (avg)`;
    return `${shown(current("value"))}/${shown(target("value"))}`;
  }
  const name = textAt(spec, field, "name");
  if (average !== undefined) return `${name}: ${shown(current("averageValue"))}/${shown(average)}`;
  const now = current("averageUtilization") === undefined ? UNKNOWN : `${numberAt(status, field, "current", "averageUtilization")}%`;
  const wanted = target("averageUtilization") === undefined ? "<auto>" : `${numberAt(spec, field, "target", "averageUtilization")}%`;
  return `${name}: ${now}/${wanted}`;
}

function shown(quantity: unknown, absent: string = UNKNOWN): string {
  return typeof quantity === "string" || typeof quantity === "number" ? String(quantity) : absent;
}
