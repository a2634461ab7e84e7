/** GET of one object and of lists. The pages of a list are consistent with each other. */
import type { ApiResponse } from "@treadle/apimachinery";
import { parseJson } from "../request/content.ts";
import { type Call, respondIn, representationFor } from "../request/context.ts";
import { type FieldError, forbidden, notSupported } from "../errors/field-errors.ts";
import { goQuote, isObject } from "../internal/json.ts";
import { readBoolean, readInteger } from "../request/write-options.ts";
import { parseSelectors, type Selection, selectionOf, type Selectors } from "../request/selection.ts";
import {
  badRequest,
  expired,
  invalidObject,
  notOneObject,
  StatusError,
  tooLargeVersion,
  unreadableVersion,
} from "../errors/status-errors.ts";
import type { Entry } from "../storage/store.ts";
import { objectAnswer, tableJson } from "../table/table.ts";
import { requireRepresentation } from "./update.ts";

export async function get(call: Call): Promise<ApiResponse> {
  checkReachable(call, readVersion(call.query, unreadableVersion));
  return objectAnswer(call, 200, requireRepresentation(call));
}

export async function list(call: Call): Promise<ApiResponse> {
  const { query } = call;
  const limit = readInteger(query, "limit") ?? 0;
  const selection = selectionOf(call, readListOptions(query));
  const token = query.get("continue") ?? "";
  if (token !== "") {
    const from = readToken(call, token);
    const given = query.get("resourceVersion") ?? "";
    if (given !== "" && given !== "0") throw badRequest("specifying resource version is not allowed when using continue");
    return listAnswer(call, page(call, { ...from, selection, limit }));
  }
  const version = reachableVersion(call);
  const exact = isExact(query, version, limit) ? version : undefined;
  // For resourceVersion "0" the real server answers from its cache, which has no pages.
  return listAnswer(call, page(call, { revision: exact, after: "", selection, limit: version === 0 ? 0 : limit }));
}

/** Returns all selected objects, for the deletion of a collection. */
export function selectedEntries(call: Call): readonly Entry[] {
  const { query } = call;
  readInteger(query, "limit");
  const selection = selectionOf(call, readListOptions(query));
  const token = query.get("continue") ?? "";
  if (token === "") reachableVersion(call);
  else readToken(call, token);
  return call.collection.all().filter((entry) => selection.matches(entry));
}

export interface Page {
  readonly entries: readonly Entry[];
  /** Version of the list. Absent: the list has none. */
  readonly revision: number | undefined;
  readonly next?: string;
  readonly remaining?: number;
}

/** Answers with a list. The texts of the items are made once for each object, not for each list. */
export async function listAnswer(call: Call, given: Page): Promise<ApiResponse> {
  const { entries, revision, next, remaining } = given;
  const { served, accepted } = call;
  if (accepted.metadataOf === "object") throw notOneObject(served);
  const isMetadataOnly = accepted.metadataOf !== undefined;
  if (accepted.table !== undefined) return tableAnswer(call, given);
  const metadata = {
    ...versionOf(revision),
    // Lists of custom resources have an empty `continue`.
    ...(next === undefined && (!served.type.isCustom || isMetadataOnly) ? {} : { continue: next ?? "" }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
  const kind = isMetadataOnly ? "PartialObjectMetadataList" : served.type.listKind;
  const apiVersion = isMetadataOnly ? "meta.k8s.io/v1" : served.version.apiVersion;
  const isTyped = served.type.isCustom || isMetadataOnly;
  const items = entries.map((entry) => {
    const representation = representationFor(call, entry);
    // Items of built-in kinds have no apiVersion and kind, as in Go's typed lists.
    return isTyped ? representation.json : representation.itemJson;
  });
  const json = `{"kind":"${kind}","apiVersion":"${apiVersion}","metadata":${JSON.stringify(metadata)},"items":[${items.join(",")}]}`;
  return respondIn(accepted.encoding, 200, json);
}

async function tableAnswer(call: Call, { entries, revision, next, remaining }: Page): Promise<ApiResponse> {
  const metadata = {
    ...versionOf(revision),
    ...(next === undefined ? {} : { continue: next }),
    ...(remaining === undefined ? {} : { remainingItemCount: remaining }),
  };
  const representations = entries.map((entry) => representationFor(call, entry));
  return respondIn(call.accepted.encoding, 200, tableJson(call, representations, { metadata }));
}

function versionOf(revision: number | undefined): { readonly resourceVersion?: string } {
  return revision === undefined ? {} : { resourceVersion: String(revision) };
}

/** Reads resourceVersion. Absent and empty are `undefined`. @throws the error of `refuse` when it is not a number */
export function readVersion(query: URLSearchParams, refuse: (cause: string) => StatusError): number | undefined {
  const text = query.get("resourceVersion") ?? "";
  if (text === "") return undefined;
  const cause = !/^\d+$/.test(text) ? "invalid syntax" : BigInt(text) >= 2n ** 64n ? "value out of range" : undefined;
  if (cause === undefined) return Number(text);
  throw refuse(`resourceVersion: Invalid value: ${goQuote(text)}: strconv.ParseUint: parsing ${goQuote(text)}: ${cause}`);
}

/** Returns a resourceVersion that exists. @throws StatusError 400, 504 */
function reachableVersion(call: Call): number | undefined {
  const version = readVersion(call.query, (cause) => badRequest(`invalid resource version: ${cause}`));
  checkReachable(call, version);
  return version;
}

/** Checks that the version exists. @throws StatusError 504 */
function checkReachable(call: Call, version: number | undefined): void {
  const current = call.parts.store.revision;
  if (version !== undefined && version > current) throw tooLargeVersion(version, current);
}

function isExact(query: URLSearchParams, version: number | undefined, limit: number): boolean {
  if (version === undefined || version === 0) return false;
  const match = query.get("resourceVersionMatch");
  return match === "Exact" || (!match && limit > 0);
}

interface PageRequest {
  /** Revision of the page. `undefined`: the current one. */
  readonly revision: number | undefined;
  /** Key after which the page begins. Empty: at the beginning. */
  readonly after: string;
  readonly selection: Selection;
  readonly limit: number;
}

function page(call: Call, { revision = call.parts.store.revision, after, selection, limit }: PageRequest): Page {
  const { collection } = call;
  const all = collection.at(revision);
  if (all === undefined) throw after === "" ? expired("The resourceVersion for the provided list is too old.") : expiredToken(after);
  const entries: Entry[] = [];
  let index = after === "" ? 0 : firstAfter(all, after);
  for (; index < all.length; index++) {
    const entry = all[index];
    if (entry === undefined || !selection.matches(entry)) continue;
    if (limit > 0 && entries.length === limit) break;
    entries.push(entry);
  }
  const last = entries.at(-1);
  if (index >= all.length || last === undefined) return { entries, revision };
  const next = makeToken(revision, last.key);
  if (!selection.isEverything) return { entries, revision, next };
  const remaining = all.slice(index).filter((entry) => selection.matches(entry)).length;
  return { entries, revision, next, remaining };
}

/** Returns the index of the first entry with a greater key. */
function firstAfter(entries: readonly Entry[], key: string): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((entries[middle]?.key ?? "") <= key) low = middle + 1;
    else high = middle;
  }
  return low;
}

function makeToken(revision: number, key: string): string {
  return Buffer.from(JSON.stringify({ v: "meta.k8s.io/v1", rv: revision, start: `${key}\0` })).toString("base64url");
}

/** Parses a continue token. @throws StatusError 400 */
function readToken(call: Call, token: string): { readonly revision: number | undefined; readonly after: string } {
  let value: unknown;
  try {
    checkBase64(token);
    value = parseJson(Buffer.from(token, "base64url").toString("utf8"));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw badRequest(`invalid continue token: continue key is not valid: ${error.message}`);
  }
  if (!isObject(value) || value["v"] !== "meta.k8s.io/v1")
    throw badRequest(
      "invalid continue token: continue key is not valid: server does not recognize this encoded version " + versionIn(value),
    );
  const { rv, start } = value;
  if (typeof rv !== "number" || rv === 0 || !Number.isInteger(rv))
    throw badRequest("invalid continue token: continue key is not valid: incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
  if (typeof start !== "string" || start === "")
    throw badRequest("invalid continue token: continue key is not valid: encoded start key empty (version meta.k8s.io/v1)");
  if (rv > call.parts.store.revision) throw tooLargeVersion(rv, call.parts.store.revision);
  // A token with a negative version comes with a 410. It continues with the current objects.
  return { revision: rv < 0 ? undefined : rv, after: start.replace(/\0$/, "") };
}

function versionIn(token: unknown): string {
  return isObject(token) && typeof token["v"] === "string" ? token["v"] : "";
}

/** Checks the base64 of a token. @throws SyntaxError */
function checkBase64(text: string): void {
  const odd = text.search(/[^A-Za-z0-9_-]/);
  const at = odd >= 0 ? odd : text.length % 4 === 1 ? text.length - 1 : -1;
  if (at >= 0) throw new SyntaxError(`illegal base64 data at input byte ${at}`);
}

function expiredToken(after: string): StatusError {
  const { status } = expired(EXPIRED_TOKEN);
  return new StatusError({ ...status, metadata: { continue: makeToken(-1, after) } });
}

const EXPIRED_TOKEN =
  "The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.";

/** Reads the options. Invalid numbers and selectors are refused before conflicting options. @throws StatusError 400, 422 */
export function readListOptions(query: URLSearchParams): Selectors {
  readInteger(query, "timeoutSeconds");
  const selectors = parseSelectors(query);
  const match = query.get("resourceVersionMatch") ?? "";
  const version = query.get("resourceVersion") ?? "";
  const errors: FieldError[] = [];
  if (match !== "") {
    if (version === "")
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden unless resourceVersion is provided"));
    if (query.get("continue"))
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
    if (match !== "Exact" && match !== "NotOlderThan")
      errors.push(notSupported("resourceVersionMatch", match, ["Exact", "NotOlderThan", ""]));
    if (match === "Exact" && version === "0")
      errors.push(forbidden("resourceVersionMatch", 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (readBoolean(query, "sendInitialEvents") !== undefined)
    errors.push(forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return selectors;
}
