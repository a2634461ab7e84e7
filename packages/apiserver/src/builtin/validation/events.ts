/**
 * Validates events (core `ValidateEventCreate` and `ValidateEventUpdate`). `v1` accepts nearly everything. `events.k8s.io/v1`
 * requires complete new events, and an update can only change the series.
 */
import { jsonEqual, labelKeyProblems } from "@treadle/apimachinery";
import { type FieldError, GoStruct, invalid, required } from "../../errors/field-errors.ts";
import { isObject, type JsonObject } from "../../internal/json.ts";
import { at, objectAt, textAt } from "../../internal/read.ts";
import { metaContentErrors, metaUpdateErrors, nameProblems } from "../../objects/object-meta.ts";
import type { Draft } from "../../storage/stored-object.ts";

/** Returns the errors of an event of `v1`. */
export function eventErrors(draft: Draft): FieldError[] {
  return commonErrors(draft, "reportingComponent");
}

/** Returns the errors of an event of `events.k8s.io/v1`. It has the field names of `v1`, which the real server uses in most errors. */
export function newEventErrors(draft: Draft, previous: JsonObject | undefined): FieldError[] {
  const common = commonErrors(draft, "reportingController");
  return [...common, ...(previous === undefined ? createdErrors(draft) : changeErrors(draft, previous))];
}

function commonErrors(draft: Draft, reporter: string): FieldError[] {
  const own = draft.metadata["namespace"];
  const about = textAt(draft, "involvedObject", "namespace");
  const strays = [invalid("involvedObject.namespace", about, "does not match event.namespace")];
  // An event about a cluster-scoped object is in `default`.
  if (isUnset(draft, "eventTime")) return about === own || (about === "" && own === "default") ? [] : strays;
  return [
    ...(about === "" && own !== "default" && own !== "kube-system" ? strays : []),
    ...reporterErrors(reporter, textAt(draft, "reportingComponent")),
    ...textErrors(draft, "reportingInstance"),
    ...textErrors(draft, "action"),
    ...textErrors(draft, "reason"),
    ...lengthErrors(draft, "message", 1024),
  ];
}

function reporterErrors(field: string, reporter: string): FieldError[] {
  const problems = labelKeyProblems(reporter).map((problem) => invalid(field, reporter, problem));
  return reporter === "" ? [required(field), ...problems] : problems;
}

function textErrors(draft: Draft, field: string): FieldError[] {
  return textAt(draft, field) === "" ? [required(field)] : lengthErrors(draft, field, 128);
}

/** Checks the length of a field. The real server does not show the value here and in other places below. */
function lengthErrors(draft: Draft, field: string, maxBytes: number): FieldError[] {
  const isTooLong = Buffer.byteLength(textAt(draft, field)) > maxBytes;
  return isTooLong ? [invalid(field, "", `can have at most ${maxBytes} characters`)] : [];
}

function createdErrors(draft: Draft): FieldError[] {
  const { name } = draft.metadata;
  const type = textAt(draft, "type");
  return [
    ...nameProblems("subdomain", name, false).map((problem) => invalid("metadata.name", name, problem)),
    ...seriesErrors(draft),
    ...(isUnset(draft, "eventTime") ? [required("eventTime")] : []),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...DEPRECATED.filter((field) => !isUnset(draft, field)).map((field) => invalid(field, "", "needs to be unset")),
  ];
}

const DEPRECATED = ["firstTimestamp", "lastTimestamp", "count", "source"];

function seriesErrors(draft: Draft): FieldError[] {
  const series = draft["series"];
  if (!isObject(series)) return [];
  const isOne = !(Number(series["count"] ?? 0) >= 2);
  return [
    ...(isOne ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(isUnset(draft, "series", "lastObservedTime") ? [required("series.lastObservedTime")] : []),
  ];
}

function changeErrors(draft: Draft, previous: JsonObject): FieldError[] {
  const { metadata } = draft;
  return [
    ...(jsonEqual(draft["series"], previous["series"]) ? [] : seriesErrors(draft)),
    ...metaUpdateErrors(metadata, objectAt(previous, "metadata")),
    ...metaContentErrors(metadata),
    ...IMMUTABLE.filter((field) => !jsonEqual(said(draft, field), said(previous, field))).map((field) =>
      invalid(field === "reportingComponent" ? "reportingController" : field, shown(draft, field), "field is immutable"),
    ),
  ];
}

function shown(draft: Draft, field: string): unknown {
  const value = said(draft, field);
  return isObject(value) ? new GoStruct(value) : value;
}

/** Immutable fields in the order of the real server, which checks the reason twice. */
const IMMUTABLE = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
  "reportingComponent",
  "reportingInstance",
];

/** Returns a field as Go shows it: an absent one has its zero value. */
function said(event: JsonObject, field: string): unknown {
  const value = event[field];
  if (field === "involvedObject" || (field === "related" && value !== undefined)) return reference(objectAt(event, field));
  if (field === "source") return { Component: textAt(value, "component"), Host: textAt(value, "host") };
  if (field === "count") return value ?? 0;
  return value ?? (field === "related" || field.endsWith("Time") || field.endsWith("Timestamp") ? null : "");
}

function reference(value: JsonObject): JsonObject {
  const names = { Kind: "kind", Namespace: "namespace", Name: "name", UID: "uid", APIVersion: "apiVersion" };
  const more = { ResourceVersion: "resourceVersion", FieldPath: "fieldPath" };
  return Object.fromEntries(Object.entries({ ...names, ...more }).map(([shown, field]) => [shown, textAt(value, field)]));
}

function isUnset(draft: Draft, ...path: readonly string[]): boolean {
  const value = at(draft, ...path);
  return value === undefined || value === null || value === 0 || (isObject(value) && Object.values(value).every((part) => part === ""));
}
