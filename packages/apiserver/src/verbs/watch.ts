/** GET with `watch`: changes of one kind as lines of JSON, from a version or from the present state. */
import type { ApiResponse, Timer } from "@treadle/apimachinery";
import { type Call, viewFor } from "../context.ts";
import { UnreadError } from "../admission/suspension.ts";
import { EventQueue } from "../event-queue.ts";
import { type FieldError, forbidden, notSupported } from "../field-errors.ts";
import { readBoolean, readInteger } from "../options.ts";
import { readSelection, type Selection } from "../selection.ts";
import { expired, invalidObject, notAcceptable, unreadableVersion } from "../status-errors.ts";
import type { Change, Entry } from "../storage.ts";
import { tableEvents } from "../table/table.ts";
import type { EventType, View } from "../view.ts";
import { readVersion } from "./list.ts";

/** k8s.io/apiserver `minRequestTimeout`: a watch without a timeout ends after one to two times this. */
const MIN_TIMEOUT_SECONDS = 1800;

export function watch(call: Call): ApiResponse {
  const { query, accepted } = call;
  // What must be converted is, before anything is open.
  if (call.served.version.conversion !== undefined) for (const entry of call.collection.all()) viewFor(call, entry);
  if (accepted.encoding === "yaml") throw notAcceptable(["application/json", "application/json;stream=watch"]);
  const options = readWatchOptions(query);
  const selection = readSelection(call);
  const table = accepted.table === undefined ? undefined : tableEvents(call);
  const line = table ?? ((type: EventType, view: View) => view.event(type));
  const timers: { bookmark?: Timer; timeout?: Timer } = {};
  const queue = openQueue(call, timers);
  const headers = { "content-type": "application/json" };
  let stopListening: (() => void) | undefined;
  try {
    stopListening = begin(call, { line, queue, selection, ...options });
  } catch (error) {
    // A past state waits for its conversion: the request comes again.
    queue.end();
    throw error;
  }
  if (stopListening === undefined) return { status: 200, headers, stream: queue };
  const close = (): void => {
    stopListening();
    timers.bookmark?.cancel();
    timers.timeout?.cancel();
  };
  closers.set(queue, close);
  if (queue.hasEnded) close();
  else startTimers(call, { queue, timers, options });
  return { status: 200, headers, stream: queue };
}

/** What to undo when a queue ends; set once the watch has begun. */
const closers = new WeakMap<EventQueue, () => void>();

interface WatchOptions {
  readonly version: number | undefined;
  /** `undefined`: not asked for, the older behaviour. */
  readonly sendsInitial: boolean | undefined;
  readonly allowsBookmarks: boolean;
  readonly timeoutSeconds: number | undefined;
}

interface Opening extends WatchOptions {
  /** Makes the line of an event. */
  readonly line: (type: EventType, view: View) => string;
  readonly queue: EventQueue;
  readonly selection: Selection;
}

function readWatchOptions(query: URLSearchParams): WatchOptions {
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
    if (query.get("continue"))
      errors.push(forbidden("resourceVersionMatch", "resourceVersionMatch is forbidden when continue is provided"));
  }
  if (errors.length > 0) throw invalidObject({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  return {
    version: readVersion(query, unreadableVersion),
    sendsInitial,
    allowsBookmarks: readBoolean(query, "allowWatchBookmarks") ?? false,
    timeoutSeconds: readInteger(query, "timeoutSeconds"),
  };
}

function openQueue(call: Call, timers: { bookmark?: Timer; timeout?: Timer }): EventQueue {
  const { parts, request } = call;
  const abort = (): void => queue.abort();
  const queue: EventQueue = new EventQueue(parts.watchBuffer, () => {
    parts.streams.delete(queue);
    request.signal?.removeEventListener("abort", abort);
    closers.get(queue)?.();
    timers.bookmark?.cancel();
  });
  parts.streams.set(queue, call.served.type.id);
  request.signal?.addEventListener("abort", abort, { once: true });
  if (request.signal?.aborted) queue.abort();
  return queue;
}

/** Sends what the watch begins with and follows the changes; returns how to stop, or `undefined` where the watch is over. */
function begin(call: Call, opening: Opening): (() => void) | undefined {
  const { collection, parts } = call;
  const { queue, version, sendsInitial } = opening;
  // Without a version, and with "0", a watch begins with the present state unless that is declined.
  const fromState = sendsInitial ?? (version === undefined || version === 0);
  const from = fromState || version === undefined || version === 0 ? parts.store.revision : version;
  const changes = collection.changesAfter(from);
  if (changes === undefined) {
    const { status } = expired(`too old resource version: ${from} (${collection.compactedRevision})`);
    queue.push(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
    queue.end();
    return undefined;
  }
  if (fromState) queue.pushAll(initialEvents(call, opening));
  if (sendsInitial === true && opening.allowsBookmarks) queue.push(bookmark(call, parts.store.revision, true));
  const follow = (change: Change): void => {
    if (change.revision <= from) return; // a version of the future: silent until it is reached
    send(change);
  };
  const send = inOrder(call, queue, (change) => {
    const line = eventLine(call, opening, change);
    if (line !== undefined) queue.push(line);
  });
  queue.pushAll(changes.map((change) => eventLine(call, opening, change)).filter((line) => line !== undefined));
  return collection.listen(follow);
}

/** Sends changes one after the other; one that must be converted first holds those after it. */
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
      // A watch cannot leave out a change: it ends, and its client begins anew.
      .catch(() => queue.end())
      .finally(() => {
        if (waiting === mine) waiting = undefined;
      });
    waiting = mine;
  };
}

function* initialEvents(call: Call, { selection, line }: Opening): Iterable<string> {
  for (const entry of call.collection.all()) if (selection.matches(entry)) yield line("ADDED", viewFor(call, entry));
}

/** What a change means to this watcher: an object that enters or leaves the selection is added or deleted for it. */
function eventLine(call: Call, { selection, line }: Opening, { type, entry, previous }: Change): string | undefined {
  const was = previous !== undefined && selection.matches(previous);
  if (type === "DELETED") return was ? line("DELETED", viewFor(call, entry)) : undefined;
  const is = selection.matches(entry);
  if (is) return line(was ? "MODIFIED" : "ADDED", viewFor(call, entry));
  return was && previous !== undefined ? line("DELETED", departure(call, previous, entry)) : undefined;
}

/** The last state that was selected, under the version of the change. */
function departure(call: Call, previous: Entry, entry: Entry): View {
  return viewFor(call, previous).departedAt(entry.object.metadata.resourceVersion);
}

function bookmark(call: Call, revision: number, isInitialEnd: boolean): string {
  const { type, version } = call.served;
  const metadata = {
    resourceVersion: String(revision),
    ...(type.isCustom ? {} : { creationTimestamp: null }),
    ...(isInitialEnd ? { annotations: { "k8s.io/initial-events-end": "true" } } : {}),
  };
  const { isMetadataOnly } = call.accepted;
  const kind = isMetadataOnly ? "PartialObjectMetadata" : type.kind;
  const apiVersion = isMetadataOnly ? "meta.k8s.io/v1" : version.apiVersion;
  return `${JSON.stringify({ type: "BOOKMARK", object: { kind, apiVersion, metadata } })}\n`;
}

function startTimers(
  call: Call,
  {
    queue,
    timers,
    options,
  }: { readonly queue: EventQueue; readonly timers: { bookmark?: Timer; timeout?: Timer }; readonly options: WatchOptions },
): void {
  const { clock, random, bookmarkIntervalMs, store } = call.parts;
  const seconds = options.timeoutSeconds ?? 0;
  const timeoutMs = 1000 * (seconds > 0 ? seconds : MIN_TIMEOUT_SECONDS * (1 + random.next()));
  timers.timeout = clock.after(timeoutMs, () => queue.end());
  if (!options.allowsBookmarks || bookmarkIntervalMs <= 0) return;
  const mark = (): void => {
    if (queue.hasEnded) return;
    queue.push(bookmark(call, store.revision, false));
    timers.bookmark = clock.after(bookmarkIntervalMs, mark);
  };
  timers.bookmark = clock.after(bookmarkIntervalMs, mark);
}
