/**
 * A watch for programs that are not operators: the current state, then every change, with reconnects.
 * It holds one page of objects and no cache. Operators use the informers of `@treadle/informer`, which also hold the objects.
 */
import {
  ApiError,
  type Clock,
  isApiError,
  isExpired,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  type Random,
  type Status,
  systemClock,
  systemRandom,
} from "@treadle/apimachinery";
import type { Client, WatchOptions } from "./client.ts";
import { isConnectionError } from "./connection-error.ts";
import { pages } from "./pages.ts";
import { wait } from "./wait.ts";

/** Describes one event of {@link follow}. */
export type FollowEvent<T> =
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T }
  /** The current state is complete: objects without an ADDED event do not exist. */
  | { readonly type: "SYNCED"; readonly resourceVersion: string }
  /**
   * Changes were missed, because the server no longer knows the last version (410) or a list broke. The current state follows as
   * ADDED events up to the next SYNCED. Objects that are not among them do not exist.
   */
  | { readonly type: "RESTARTED"; readonly reason: string };

/** Options of {@link follow}. */
export interface FollowOptions extends Pick<WatchOptions, "namespace" | "labelSelector" | "fieldSelector" | "signal" | "beforeAttempt"> {
  /** Version after which changes are reported. @defaultValue the current state is reported first */
  readonly resourceVersion?: string;
  /** Called for each interruption, before the pause. */
  readonly onInterruption?: (error: unknown, retryInMs: number) => void;
  /**
   * Called for each permanent refusal, before the pause. After it the current state is read again, as after RESTARTED: for programs whose
   * rights may be granted later. @defaultValue a refusal ends the loop
   */
  readonly onRefusal?: (error: unknown, retryInMs: number) => void;
  /** Clock of the pauses. @defaultValue the system's */
  readonly clock?: Clock;
  /** Source of the jitter. @defaultValue the system's */
  readonly random?: Random;
}

/** As client-go's reflector: 800 ms doubling to 30 s, with up to the same time added at random. */
const FIRST_DELAY_MS = 800;
const LAST_DELAY_MS = 30_000;
/** Time after which the server ends a watch: a random value between these. */
const TIMEOUT_SECONDS = { from: 300, to: 600 } as const;
/** Bookmarks come about once a minute. A watch without events for this time is opened again at the same version. */
const QUIET_MS = 90_000;
/** Shortest time between two watches that end cleanly. */
const MIN_WATCH_MS = 1_000;

/**
 * Reports the current state as ADDED events, then SYNCED, then each change as it happens. It ends when the loop is left. When
 * the signal is aborted it throws the signal's reason. It reconnects with a backoff after lost connections, 429, 5xx and clean
 * ends, and misses or repeats no change. The only exception is reported as RESTARTED.
 * @throws without `onRefusal`: ApiError for a permanent refusal (kind not served, forbidden, bad selector); ConnectionError for
 * credentials or certificates that never worked, and for a closed client
 */
export async function* follow<K extends Kind>(
  client: Client,
  kind: K,
  options: FollowOptions = {},
): AsyncGenerator<FollowEvent<ObjectOf<K>>, void, undefined> {
  const { clock = systemClock, random = systemRandom, signal, onInterruption, onRefusal } = options;
  const where = { version: options.resourceVersion, hasBegun: false };
  let delayMs = FIRST_DELAY_MS;
  let hasWorked = false;
  for (;;) {
    let pauseMs = 0;
    try {
      if (where.version === undefined) yield* present(client, kind, options, where);
      const startedAt = clock.now();
      for await (const event of watchOnce(client, kind, { ...options, version: where.version ?? "", clock, random })) {
        hasWorked = true;
        delayMs = FIRST_DELAY_MS;
        where.version = versionOf(event.object) ?? where.version;
        if (event.type !== "BOOKMARK") yield event;
      }
      hasWorked = true;
      pauseMs = Math.max(0, MIN_WATCH_MS - (clock.now() - startedAt));
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      const isRefused = !isTemporary(error, hasWorked);
      if (isRefused && onRefusal === undefined) throw error;
      const isLost = isRefused || isExpired(error);
      // A lost version is listed again at once, but not when nothing worked since the last time: that would be a busy loop.
      pauseMs =
        isLost && hasWorked && !isRefused ? 0 : Math.max(delayMs * (1 + random.next()), (isApiError(error) && error.retryAfterMs) || 0);
      if (pauseMs > 0) delayMs = Math.min(LAST_DELAY_MS, delayMs * 2);
      (isRefused ? onRefusal : onInterruption)?.(error, pauseMs);
      if (isLost) where.version = undefined;
      if (isLost || where.hasBegun) yield { type: "RESTARTED", reason: messageOf(error) };
      if (isLost) hasWorked = false;
      where.hasBegun = false;
    }
    if (pauseMs > 0) await wait(clock, pauseMs, signal);
  }
}

/** The current state, page by page. It notes in `where` that it has begun, and at its end the version. */
async function* present<K extends Kind>(
  client: Client,
  kind: K,
  options: FollowOptions,
  where: { version: string | undefined; hasBegun: boolean },
): AsyncGenerator<FollowEvent<ObjectOf<K>>, void, undefined> {
  let resourceVersion = "";
  for await (const page of pages(client, kind, { ...selectionOf(options), onExpired: "throw" })) {
    resourceVersion = page.metadata.resourceVersion ?? "";
    for (const object of page.items) {
      where.hasBegun = true;
      yield { type: "ADDED", object };
    }
  }
  where.version = resourceVersion;
  where.hasBegun = false;
  yield { type: "SYNCED", resourceVersion };
}

type Change<T> = { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: T };
type Bookmark = { readonly type: "BOOKMARK"; readonly object: unknown };

/** One watch, until it ends or was silent for too long. @throws ApiError for an ERROR event */
async function* watchOnce<K extends Kind>(
  client: Client,
  kind: K,
  options: FollowOptions & { readonly version: string; readonly clock: Clock; readonly random: Random },
): AsyncGenerator<Change<ObjectOf<K>> | Bookmark, void, undefined> {
  const { clock, random, signal, version } = options;
  const { from, to } = TIMEOUT_SECONDS;
  const silence = new AbortController();
  const arm = (): { cancel(): void } => clock.after(QUIET_MS, () => silence.abort(silence));
  let timer = arm();
  try {
    const events = await client.watch(kind, {
      ...selectionOf(options),
      resourceVersion: version,
      timeoutSeconds: from + Math.floor(random.next() * (to - from + 1)),
      signal: signal === undefined ? silence.signal : AbortSignal.any([signal, silence.signal]),
    });
    for await (const event of events) {
      if (event.type === "ERROR") throw failureOf(kind, event.object);
      // A slow reader does not count as a silent server.
      timer.cancel();
      yield event;
      timer = arm();
    }
  } catch (error) {
    if (error !== silence) throw error;
  } finally {
    timer.cancel();
  }
}

function selectionOf(
  options: FollowOptions,
): Pick<WatchOptions, "namespace" | "labelSelector" | "fieldSelector" | "signal" | "beforeAttempt"> {
  const { namespace, labelSelector, fieldSelector, signal, beforeAttempt } = options;
  return {
    ...(namespace === undefined ? {} : { namespace }),
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    ...(signal === undefined ? {} : { signal }),
    ...(beforeAttempt === undefined ? {} : { beforeAttempt }),
  };
}

function failureOf(kind: Kind, { code, reason, message, details }: Partial<Status>): ApiError {
  const text = `cannot watch ${kind.kind}: ${message ?? reason ?? "the server ended the watch with an error and no message"}`;
  return new ApiError({ message: text, status: typeof code === "number" ? code : 500, reason, details });
}

/** Whether a retry may help. Waiting does not fix credentials and certificates that never worked. */
function isTemporary(error: unknown, hasWorked: boolean): boolean {
  if (isApiError(error)) return error.status >= 500 || TEMPORARY.has(error.code) || (hasWorked && error.status === 401);
  if (!isConnectionError(error)) return false;
  if (error.code === "ERR_CLOSED" || error.code === "ERR_INVALID_REQUEST") return false;
  return hasWorked || (error.code !== "ERR_TLS" && error.code !== "ERR_CREDENTIALS");
}

const TEMPORARY: ReadonlySet<string> = new Set(["ERR_EXPIRED", "ERR_TOO_MANY_REQUESTS"]);

function versionOf(object: unknown): string | undefined {
  return (object as KubernetesObject).metadata.resourceVersion; // what is in an event has metadata
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
