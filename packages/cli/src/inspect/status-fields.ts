/** Reads the common fields of a status. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { Health } from "@treadle/apimachinery/health";
import type { ObjectName } from "../cluster/object-name.ts";
import { type Json, listAt, numberAt, textAt } from "../json.ts";
import type { Entry, EventNote, StatusCondition } from "./situation.ts";

export function conditionsOf(object: KubernetesObject | undefined): readonly StatusCondition[] {
  return listAt(object, "status", "conditions").map((each) => ({
    type: textAt(each, "type"),
    status: textAt(each, "status"),
    reason: textAt(each, "reason"),
    message: textAt(each, "message"),
    lastTransitionTime: textAt(each, "lastTransitionTime"),
    observedGeneration: numberAt(each, "observedGeneration"),
  }));
}

/** An entry of `status.dependents`, and the object that it names. */
export interface NamedEntry {
  readonly name: ObjectName;
  readonly entry: Entry;
}

/** Reads `status.dependents`. An entry without a name, or not of this form, is left out. */
export function entriesOf(object: KubernetesObject): readonly NamedEntry[] {
  return listAt(object, "status", "dependents").flatMap((each) => {
    const [apiVersion, kind, name, namespace] = ["apiVersion", "kind", "name", "namespace"].map((key) => textAt(each, key));
    if (!apiVersion || !kind || !name || textAt(each, "step") === "") return [];
    return [{ name: { apiVersion, kind, name, ...(namespace ? { namespace } : {}) }, entry: entryOf(each) }];
  });
}

function entryOf(given: Json): Entry {
  const since = textAt(given, "lastTransitionTime");
  const wave = listAt(given, "attributes").find((each) => textAt(each, "name") === "wave");
  return {
    step: textAt(given, "step"),
    type: textAt(given, "type"),
    reason: textAt(given, "reason"),
    message: textAt(given, "message"),
    since: since === "" ? undefined : since,
    wave: wave === undefined ? undefined : textAt(wave, "value"),
  };
}

/** Reads an event of `v1`. */
export function eventNoteOf(event: KubernetesObject): EventNote {
  const series = Date.parse(textAt(event, "series", "lastObservedTime"));
  const times = [series, ...["lastTimestamp", "eventTime", "firstTimestamp"].map((key) => Date.parse(textAt(event, key)))];
  return {
    type: textAt(event, "type"),
    reason: textAt(event, "reason"),
    message: textAt(event, "message"),
    count: Math.max(1, numberAt(event, "series", "count") ?? numberAt(event, "count") ?? 1),
    lastMs: times.find((time) => !Number.isNaN(time)) ?? 0,
    reporter: textAt(event, "reportingComponent") || textAt(event, "source", "component"),
  };
}

/** Returns when the health of an object last changed, as far as the object tells. */
export function sinceOf(object: KubernetesObject, health: Health): string | undefined {
  if (object.metadata.deletionTimestamp !== undefined) return object.metadata.deletionTimestamp;
  const conditions = conditionsOf(object);
  const named = conditions.find((each) => each.reason === health.reason && each.status !== "True");
  const decisive = conditions.find(({ type }) => ["Ready", "Available", "Complete", "Failed"].includes(type));
  const time = (named ?? decisive)?.lastTransitionTime;
  return time === undefined || time === "" ? object.metadata.creationTimestamp : time;
}
