/** GET with `watch`: the changes of one kind as lines of JSON, from a version or from the current state. */
import type { ApiResponse } from "@treadle/apimachinery";
import { type Call, representationFor } from "../request/context.ts";
import { UnreadError } from "../storage/served-form.ts";
import { emptyOf } from "../builtin/decode-object.ts";
import { PROTOBUF } from "../request/content.ts";
import { EventQueue } from "../storage/event-queue.ts";
import { type FieldError, forbidden, notSupported } from "../errors/field-errors.ts";
import type { JsonObject } from "../internal/json.ts";
import { readBoolean, readInteger } from "../request/write-options.ts";
import { parseSelectors, type Selection, selectionOf, type Selectors } from "../request/selection.ts";
import { expired, invalidObject, notAcceptable, unreadableVersion } from "../errors/status-errors.ts";
import type { Change, Entry } from "../storage/store.ts";
import type { StoredObject } from "../storage/stored-object.ts";
import { tableEvents } from "../table/table.ts";
import { type EventType, Representation } from "../storage/representation.ts";
import { readListOptions, readVersion } from "./list.ts";

/** k8s.io/apiserver `minRequestTimeout`, in seconds. A watch without a timeout ends after one to two times this. */
const MIN_TIMEOUT_SECONDS = 1800;

export async function watch(call: Call): Promise<ApiResponse> {
  const { query, accepted } = call;
  // Objects are converted before the watch opens.
  if (call.served.version.conversion !== undefined) for (const entry of call.collection.all()) representationFor(call, entry);
  if (accepted.encoding === "yaml") throw notAcceptable(["application/json;stream=watch", `${PROTOBUF};stream=watch`]);
  readInteger(query, "limit");
  // On the older path the query does not need `watch`, and is then checked as that of a list.
  const isList = call.route.isWatch === true && readBoolean(query, "watch") !== true;
  const selectors = isList ? readListOptions(query) : readWatchSelectors(query);
  const options = watchOptions(query);
  const selection = selectionOf(call, selectors);
  // The usual case awaits nothing: the watch begins with the state that the request found.
  const lines = accepted.encoding === "protobuf" ? await protobufLines(call) : jsonLines(call);
  const opening = { ...options, selection, lines, queue: openQueue(call) };
  try {
    begin(call, opening);
  } catch (error) {
    // A past state must be converted first. The request is then handled again.
    opening.queue.end();
    throw error;
  }
  startTimers(call, opening);
  return { status: 200, headers: { "content-type": lines.contentType }, stream: opening.queue };
}

/** Encodes events in the accepted form. */
interface Lines {
  readonly contentType: string;
  readonly event: (type: EventType, representation: Representation) => string;
  readonly error: (status: JsonObject) => string;
  readonly bookmark: (revision: number, isInitialEnd: boolean) => string;
}

async function protobufLines(call: Call): Promise<Lines> {
  const { encodeEvent } = await import("../protobuf/encode.ts");
  return {
    contentType: `${PROTOBUF};stream=watch`,
    event: (type, representation) => encodeEvent(type, representation.object as unknown as JsonObject), // a stored object is JSON
    error: (status) => encodeEvent("ERROR", status),
    bookmark: (revision, isInitialEnd) => encodeEvent("BOOKMARK", bookmark(call, revision, isInitialEnd)),
  };
}

function jsonLines(call: Call): Lines {
  const table = call.accepted.table === undefined ? undefined : tableEvents(call);
  const text = (type: string, object: JsonObject): string => `${JSON.stringify({ type, object })}\n`;
  return {
    contentType: "application/json",
    event: table ?? ((type, representation) => representation.event(type)),
    error: (status) => text("ERROR", status),
    bookmark: (revision, isInitialEnd) =>
      table === undefined
        ? text("BOOKMARK", bookmark(call, revision, isInitialEnd))
        : table("BOOKMARK", new Representation(bookmarkRow(call, revision, isInitialEnd))),
  };
}

interface WatchOptions {
  readonly version: number | undefined;
  /** `sendInitialEvents`. `undefined`: the older behaviour. */
  readonly sendsInitial: boolean | undefined;
  readonly allowsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

interface Opening extends WatchOptions {
  readonly lines: Lines;
  readonly queue: EventQueue;
  readonly selection: Selection;
}

/** Reads the selectors. @throws StatusError 400, 422 */
function readWatchSelectors(query: URLSearchParams): Selectors {
  readInteger(query, "timeoutSeconds");
  const selectors = parseSelectors(query);
  const sendsInitial = readBoolean(query, "sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  const errors: FieldError[] = [];
  if (sendsInitial !== undefined && match !== "NotOlderThan") {
    errors.push(forbidden("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"));
  }
  if (match !== "") {
    if (sendsInitial === undefined)
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"));
    if (match !== "NotOlderThan") errors.push(notSupported("resourceVersionMatch", match, ["NotOlderThan"]));
  }
  if (query.get("continue")) errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return selectors;
}

/** Reads the options. @throws StatusError 400 */
function watchOptions(query: URLSearchParams): WatchOptions {
  return {
    version: readVersion(query, unreadableVersion),
    sendsInitial: readBoolean(query, "sendInitialEvents"),
    allowsBookmarks: readBoolean(query, "allowWatchBookmarks") ?? false,
    timeoutSeconds: readInteger(query, "timeoutSeconds"),
  };
}

function openQueue({ parts, request, route, served }: Call): EventQueue {
  const queue = new EventQueue(parts.watchBuffer, parts.metrics.eventsOf(route));
  const abort = (): void => queue.abort();
  parts.streams.set(queue, served.type.id);
  request.signal?.addEventListener("abort", abort, { once: true });
  queue.onEnd(() => {
    parts.streams.delete(queue);
    request.signal?.removeEventListener("abort", abort);
  });
  if (request.signal?.aborted) queue.abort();
  return queue;
}

/** Sends the initial events and then the changes, until the queue ends. */
function begin(call: Call, opening: Opening): void {
  const { collection, parts } = call;
  const { queue, lines, version, sendsInitial } = opening;
  // Without a version, and with "0", a watch begins with the current state, unless the client declines that.
  const fromState = sendsInitial ?? (version === undefined || version === 0);
  const from = fromState || version === undefined || version === 0 ? parts.store.revision : version;
  const { history } = collection;
  const changes = history.changesAfter(from);
  if (changes === undefined) {
    const { status } = expired(history.isCached ? `too old resource version: ${from} (${history.watchFloor})` : TOO_OLD);
    queue.push(lines.error({ ...status }));
    queue.end();
    return;
  }
  if (fromState) queue.pushAll(initialEvents(call, opening));
  if (sendsInitial === true && opening.allowsBookmarks) queue.push(lines.bookmark(parts.store.revision, true));
  const follow = (change: Change): void => {
    if (change.revision <= from) return; // a version of the future: silent until it is reached
    send(change);
  };
  const send = inOrder(call, queue, (change) => {
    const line = eventLine(call, opening, change);
    if (line !== undefined) queue.push(line);
  });
  queue.pushAll(changes.map((change) => eventLine(call, opening, change)).filter((line) => line !== undefined));
  queue.onEnd(collection.listen(follow));
}

/** The text for kinds without a watch cache. */
const TOO_OLD = "The resourceVersion for the provided watch is too old.";

/** Sends changes in their order. A change that must be converted delays those after it. */
function inOrder({ parts, collection }: Call, queue: EventQueue, send: (change: Change) => void): (change: Change) => void {
  let waiting: Promise<void> | undefined;
  const trySend = async (change: Change): Promise<void> => {
    for (;;) {
      try {
        return send(change);
      } catch (error) {
        if (!(error instanceof UnreadError)) throw error;
        await parts.conversions.fill(collection, error);
      }
    }
  };
  return (change) => {
    if (waiting === undefined) {
      try {
        return send(change);
      } catch (error) {
        if (!(error instanceof UnreadError)) throw error;
      }
    }
    const mine: Promise<void> = (waiting ?? Promise.resolve())
      .then(() => trySend(change))
      // A watch cannot skip a change, so it ends, and its client starts again.
      .catch(() => queue.end())
      .finally(() => {
        if (waiting === mine) waiting = undefined;
      });
    waiting = mine;
  };
}

function* initialEvents(call: Call, { selection, lines }: Opening): Iterable<string> {
  for (const entry of call.collection.all()) if (selection.matches(entry)) yield lines.event("ADDED", representationFor(call, entry));
}

/** Returns the event of a change for this watcher. An object that enters or leaves the selection is added or deleted. */
function eventLine(call: Call, { selection, lines }: Opening, { type, entry, previous }: Change): string | undefined {
  const was = previous !== undefined && selection.matches(previous);
  if (type === "DELETED") return was ? lines.event("DELETED", representationFor(call, entry)) : undefined;
  const is = selection.matches(entry);
  if (is) return lines.event(was ? "MODIFIED" : "ADDED", representationFor(call, entry));
  return was && previous !== undefined ? lines.event("DELETED", departure(call, previous, entry)) : undefined;
}

/** Returns the last selected state, with the version of the change. */
function departure(call: Call, previous: Entry, entry: Entry): Representation {
  return representationFor(call, previous).departedAt(entry.object.metadata.resourceVersion);
}

function bookmark(call: Call, revision: number, isInitialEnd: boolean): JsonObject {
  const { type, version } = call.served;
  const metadata = {
    resourceVersion: String(revision),
    ...(isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const isMetadataOnly = call.accepted.metadataOf !== undefined;
  const kind = isMetadataOnly ? "PartialObjectMetadata" : type.kind;
  const apiVersion = isMetadataOnly ? "meta.k8s.io/v1" : version.apiVersion;
  return { kind, apiVersion, metadata };
}

/** Returns a bookmark in a table: the row of an empty object. */
function bookmarkRow(call: Call, revision: number, isInitialEnd: boolean): StoredObject {
  const { metadata } = bookmark(call, revision, isInitialEnd);
  return { ...emptyOf(call.served), metadata } as unknown as StoredObject; // it has no name
}

function startTimers({ parts }: Call, { queue, lines, timeoutSeconds = 0, allowsBookmarks }: Opening): void {
  const { clock, random, bookmarkIntervalMs, store } = parts;
  if (queue.hasEnded) return;
  const timeoutMs = 1000 * (timeoutSeconds > 0 ? timeoutSeconds : MIN_TIMEOUT_SECONDS * (1 + random.next()));
  const timeout = clock.after(timeoutMs, () => queue.end());
  queue.onEnd(() => timeout.cancel());
  if (!allowsBookmarks || bookmarkIntervalMs <= 0) return;
  const again = (): void => {
    queue.push(lines.bookmark(store.revision, false));
    // The bookmark ends a queue whose reader is too slow.
    if (!queue.hasEnded) next = clock.after(bookmarkIntervalMs, again);
  };
  let next = clock.after(bookmarkIntervalMs, again);
  queue.onEnd(() => next.cancel());
}
