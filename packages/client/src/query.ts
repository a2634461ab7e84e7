/** Options of calls as query strings, and objects as request bodies. */
import { apiVersionOf, formatLabelSelector, type Kind, SelectorError } from "@treadle/apimachinery";
import type { DeleteOptions, ListOptions, WatchOptions, WriteOptions } from "./client.ts";

/** Values by parameter name. `undefined` and `""` are omitted. */
type Parameters = Readonly<Record<string, string | number | boolean | undefined>>;

/** The query `?a=b&c=d`, percent-encoded, or an empty string. */
export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`);
  return pairs.length === 0 ? "" : `?${pairs.join("&")}`;
}

/**
 * Pairs in the syntax of `kubectl -l`, sorted, so that equal selectors give equal texts.
 * @throws SelectorError for an invalid pair: `{ app: "a,b!=c" }` would silently become two requirements
 */
function labelSelectorText(selector: ListOptions["labelSelector"]): string | undefined {
  if (selector === undefined || typeof selector === "string") return selector;
  for (const [key, value] of Object.entries<unknown>(selector))
    if (typeof value !== "string")
      throw new SelectorError(
        `the label selector has ${value === null ? "null" : `${typeof value}`} for "${key}": give a text, or leave it out`,
      );
  return formatLabelSelector({ matchLabels: selector });
}

export function listQuery(options: ListOptions): string {
  return queryOf({
    labelSelector: labelSelectorText(options.labelSelector),
    fieldSelector: options.fieldSelector,
    limit: options.limit,
    continue: options.continue,
    resourceVersion: options.resourceVersion,
    resourceVersionMatch: options.resourceVersionMatch,
  });
}

export function watchQuery(options: WatchOptions): string {
  return queryOf({
    watch: true,
    allowWatchBookmarks: options.allowBookmarks ?? true,
    labelSelector: labelSelectorText(options.labelSelector),
    fieldSelector: options.fieldSelector,
    resourceVersion: options.resourceVersion,
    sendInitialEvents: options.sendInitialEvents,
    // The server refuses sendInitialEvents without it.
    resourceVersionMatch: options.resourceVersionMatch ?? (options.sendInitialEvents === undefined ? undefined : "NotOlderThan"),
    timeoutSeconds: options.timeoutSeconds,
  });
}

export function writeQuery(options: WriteOptions, fieldManager: string | undefined, force?: boolean): string {
  return queryOf({
    fieldManager: options.fieldManager ?? fieldManager,
    fieldValidation: options.fieldValidation,
    dryRun: options.dryRun === true ? "All" : undefined,
    force: force === true ? true : undefined,
  });
}

/** The DeleteOptions of a DELETE, or `undefined` when every option has the server's default. */
export function deleteBody(options: DeleteOptions): string | undefined {
  const { preconditions, propagationPolicy, gracePeriodSeconds, dryRun } = options;
  if (preconditions === undefined && propagationPolicy === undefined && gracePeriodSeconds === undefined && dryRun !== true)
    return undefined;
  const body = { preconditions, propagationPolicy, gracePeriodSeconds, ...(dryRun === true ? { dryRun: ["All"] } : {}) };
  return JSON.stringify({ apiVersion: "v1", kind: "DeleteOptions", ...body });
}

/** The object as a body, with apiVersion and kind. The object itself is not changed. */
export function objectBody(kind: Kind, object: object, subresource: WriteOptions["subresource"]): string {
  const given = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  // The scale subresource has the same kind for all objects.
  const [apiVersion, name] = subresource === "scale" ? ["autoscaling/v1", "Scale"] : [apiVersionOf(kind), kind.kind];
  return JSON.stringify({ ...object, apiVersion: given.apiVersion ?? apiVersion, kind: given.kind ?? name });
}
