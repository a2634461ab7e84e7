/** The kind Event, which `v1` and `events.k8s.io/v1` show with different field names. */
import { eventErrors, newEventErrors } from "../validation/events.ts";
import type { JsonObject } from "../../internal/json.ts";
import { textAt } from "../../internal/read.ts";
import type { ResourceType, ServedVersion } from "../../storage/registry.ts";
import type { Draft } from "../../storage/stored-object.ts";

const CORE: ServedVersion = {
  group: "",
  version: "v1",
  apiVersion: "v1",
  served: true,
  status: false,
  selectableFields: [
    "involvedObject.kind",
    "involvedObject.namespace",
    "involvedObject.name",
    "involvedObject.uid",
    "involvedObject.apiVersion",
    "involvedObject.resourceVersion",
    "involvedObject.fieldPath",
    "reason",
    "reportingComponent",
    "source",
    "type",
  ],
  // For selectors the source is one text: the old or the new name of the reporter.
  selectedAs: (event) => ({ ...event, source: textAt(event, "source", "component") || textAt(event, "reportingComponent") }),
};

/** Field names in `v1` and in `events.k8s.io/v1`. */
const NAMES: readonly (readonly [core: string, events: string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["reportingComponent", "reportingController"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
];

const EVENTS_GROUP: ServedVersion = {
  group: "events.k8s.io",
  version: "v1",
  apiVersion: "events.k8s.io/v1",
  served: true,
  status: false,
  selectableFields: ["regarding.kind", "regarding.namespace", "regarding.name", "regarding.uid", "reason", "reportingController", "type"],
  fromStored: (event) => withoutEmpty(rename(event, new Map(NAMES)), ["reportingController", "reportingInstance"]),
  toStored: (event) => ({
    reportingComponent: "",
    reportingInstance: "",
    ...asCore(event),
  }),
};

/** The kind Event, stored as `v1`. */
export const EVENTS: ResourceType = {
  id: "events",
  group: "",
  plural: "events",
  singular: "event",
  kind: "Event",
  listKind: "EventList",
  shortNames: ["ev"],
  categories: [],
  isNamespaced: true,
  isCustom: false,
  versions: [CORE, EVENTS_GROUP],
  storage: CORE,
  keepsStatus: false,
  countsGenerations: false,
  nameRule: "segment",
  isUnconditional: true,
  createsOnUpdate: true,
  returnsDeleted: false,
  heldWhileDeleting: undefined,
  marksDeletion: false,
  hooks: {
    validate(draft, previous, apiVersion) {
      if (apiVersion === CORE.apiVersion) return eventErrors(draft);
      const before = previous === undefined ? undefined : asCore(previous);
      // Only the fields beside metadata have other names.
      return newEventErrors(asCore(draft) as Draft, before);
    },
  },
};

function asCore(event: JsonObject): JsonObject {
  return rename(event, new Map(NAMES.map(([core, events]) => [events, core])));
}

function rename(event: JsonObject, names: ReadonlyMap<string, string>): JsonObject {
  return Object.fromEntries(Object.entries(event).map(([field, value]) => [names.get(field) ?? field, value]));
}

/** Removes empty fields. Go always writes them in one group, and omits them in the other. */
function withoutEmpty(event: JsonObject, fields: readonly string[]): JsonObject {
  for (const field of fields) if (event[field] === "") delete event[field];
  return event;
}
