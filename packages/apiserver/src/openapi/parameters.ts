/** The query parameters of requests, as OpenAPI. */

export interface Parameter {
  readonly name: string;
  readonly in: "query";
  readonly description: string;
  readonly schema: { readonly type: string; readonly uniqueItems: true };
}

function parameter(name: string, type: string, description: string): Parameter {
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

const DRY_RUN = parameter("dryRun", "string", "All: the request is handled, but nothing is stored.");

export const WRITE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  parameter("fieldManager", "string", "Whose change it is: at most 128 printable characters. An apply needs it."),
  parameter("fieldValidation", "string", "What becomes of fields that are unknown or repeated: Ignore, Warn (the default) or Strict."),
  parameter("force", "boolean", "An apply takes over the fields of other managers instead of being refused."),
];

export const DELETE_PARAMETERS: readonly Parameter[] = [
  DRY_RUN,
  parameter("gracePeriodSeconds", "integer", "How long the object may stay; 0: not at all."),
  parameter("orphanDependents", "boolean", "Older form of propagationPolicy."),
  parameter("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
];

export const READ_PARAMETERS: readonly Parameter[] = [
  parameter("allowWatchBookmarks", "boolean", "A watch may get bookmarks."),
  parameter("continue", "string", "The next page of a list, by the token of the last one."),
  parameter("fieldSelector", "string", "Only objects with these fields."),
  parameter("labelSelector", "string", "Only objects with these labels."),
  parameter("limit", "integer", "How many objects a page has at most."),
  parameter("resourceVersion", "string", "The version from which, or at least of which, is read."),
  parameter("resourceVersionMatch", "string", "How resourceVersion is meant: Exact or NotOlderThan."),
  parameter("sendInitialEvents", "boolean", "A watch begins with the present state and a bookmark."),
  parameter("timeoutSeconds", "integer", "How long a watch lasts."),
  parameter("watch", "boolean", "Changes instead of a list."),
];
