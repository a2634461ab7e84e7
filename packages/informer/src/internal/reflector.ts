/**
 * Keeps a view up to date with the server: it lists once, then watches, and resumes after every end of the watch. The numbers
 * are client-go's (tools/cache/reflector.go) unless a comment says otherwise. The inactivity deadline is not from client-go:
 * no transport notices a connection that is silently lost.
 */
import { type Clock, isMetadataOnly, type KubernetesObject, type Random, sleep, type TurnBudget } from "@treadle/apimachinery";
import type { WatchEvent } from "@treadle/client";
import { close, Watchdog } from "./await.ts";
import { TooQuietError, WentBackError } from "./failures.ts";
import type { MemoryPart } from "./memory-budget.ts";
import { listAll } from "./paged-list.ts";
import { Recovery } from "./recovery.ts";
import { checkedKey, describe, errorOf, type Source, versionIn, versionOf } from "./source.ts";
import type { Sink } from "./sink.ts";
import { isAtLeast, isOlder } from "./version.ts";

/** The abort reason of a watch that ends because a new list was requested. */
const RELIST: unique symbol = Symbol("relist");

/** A server sends bookmarks about once a minute; one may be late. */
const QUIET_WITH_BOOKMARKS_MS = 90_000;
/** Without bookmarks, a watch counts as silent only this long after its own timeout. */
const GRACE_MS = 5_000;
/** A server that ignores `sendInitialEvents` never marks the end of the initial events. */
const QUIET_INITIAL_EVENTS_MS = 15_000;
/** Minimum time between the starts of two watches that end early without an error. */
const MIN_WATCH_MS = 1_000;
const WATCH_TIMEOUT_SECONDS = { from: 300, to: 600 } as const;

/** The options and services of a {@link Reflector}. */
export interface ReflectorOptions<T extends KubernetesObject> {
  readonly source: Source<T>;
  readonly sink: Sink<T>;
  readonly clock: Clock;
  readonly random: Random;
  readonly turn: TurnBudget;
  readonly memory: MemoryPart;
  readonly pageSize: number;
  /** Maximum pause while the kind is not served, in milliseconds. */
  readonly kindRetryMs: number;
  readonly onFailure: (error: unknown, where: "list" | "watch") => void;
  readonly onListed: () => void;
  readonly onRecovered: () => void;
}

/** Lists and watches one kind in one namespace, or in all. */
export class Reflector<T extends KubernetesObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #recovery: Recovery;
  /** The version at which the next watch begins; absent: list first. */
  #version: string | undefined;
  #initialEvents: "try" | "skip once" | "never";
  #hasBookmarks: "unknown" | "yes" | "no" = "unknown";
  #wantsRelist = false;
  #current: Watchdog | undefined;
  #pause: AbortController | undefined;
  #lastError: unknown;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#recovery = new Recovery(options);
    // A stream of metadata takes the server 1.7 times as long as pages of 1,000 objects (docs/benchmarks.md, Causes).
    this.#initialEvents = isMetadataOnly(options.source.kind) ? "never" : "try";
  }

  /** Time of the last response of the server, in milliseconds of the clock. */
  get answeredAt(): number {
    return this.#recovery.answeredAt;
  }

  /** The last failure, until list or watch works again. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** Requests a new list as soon as possible. A list in progress, or one that is due, is enough. */
  relist(): void {
    if (this.#version === undefined) return;
    this.#wantsRelist = true;
    this.#current?.end(RELIST);
  }

  /** Ends the pause between two attempts. */
  retry(): void {
    this.#pause?.abort();
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    this.#recovery.begin();
    while (!signal.aborted) {
      const pauseMs = await this.#attempt(signal);
      if (signal.aborted) return;
      if (pauseMs > 0) await this.#rest(pauseMs, signal);
    }
  }

  async #rest(pauseMs: number, signal: AbortSignal): Promise<void> {
    const pause = new AbortController();
    this.#pause = pause;
    const end = (): void => pause.abort();
    signal.addEventListener("abort", end, { once: true });
    await sleep(this.#options.clock, pauseMs, pause.signal).catch(() => undefined); // The next attempt follows, whatever ended the pause.
    signal.removeEventListener("abort", end);
    this.#pause = undefined;
  }

  /** Makes one list, one watch, or both in one stream. Resolves with the pause before the next attempt, in milliseconds. */
  async #attempt(signal: AbortSignal): Promise<number> {
    const { clock } = this.#options;
    if (this.#wantsRelist) this.#version = undefined;
    this.#wantsRelist = false;
    const isListing = this.#version === undefined;
    const isStreaming = isListing && this.#initialEvents === "try";
    const startedAt = clock.now();
    try {
      if (isListing && !isStreaming) {
        await this.#list(signal);
        return 0;
      }
      await this.#watch(signal, isStreaming);
      return Math.max(0, MIN_WATCH_MS - (clock.now() - startedAt));
    } catch (error) {
      if (signal.aborted || error === RELIST) return 0;
      return this.#pauseAfter(error, isStreaming);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    // The next list may be a stream again: one failed stream does not mean that the server has none.
    if (this.#initialEvents === "skip once") this.#initialEvents = "try";
    const watchdog = this.#guard(signal, QUIET_WITH_BOOKMARKS_MS, "list");
    try {
      const { source, pageSize, turn, memory } = this.#options;
      const { objects, version } = await listAll(source, pageSize, {
        signal: watchdog.signal,
        onBegin: () => memory.begin(),
        onPage: (remaining) => {
          this.#answered(watchdog);
          turn.spend();
          if (remaining !== undefined) memory.expect(remaining);
        },
        take: async (object) => (await this.#options.turn.next(watchdog.signal), this.#take(object)),
      });
      await this.#replace(objects, versionIn(version, source, "list"), watchdog);
    } finally {
      watchdog.end();
    }
  }

  #take(object: T): T {
    const kept = this.#options.sink.take(object);
    this.#options.memory.took(kept);
    return kept;
  }

  async #replace(objects: ReadonlyMap<string, T>, version: string, watchdog: Watchdog): Promise<void> {
    await this.#options.sink.replace(objects, version, watchdog.signal);
    this.#version = version;
    this.#recovery.progressed();
    this.#answered(watchdog);
    this.#options.onListed();
    this.#worksAgain();
  }

  async #watch(signal: AbortSignal, isStreaming: boolean): Promise<void> {
    const { source, random } = this.#options;
    const { from, to } = WATCH_TIMEOUT_SECONDS;
    const timeoutSeconds = from + Math.floor(random.next() * (to - from + 1));
    const start = isStreaming
      ? { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" as const }
      : { resourceVersion: this.#version ?? "" };
    const watchdog = this.#guard(signal, QUIET_WITH_BOOKMARKS_MS, "watch");
    let iterator: AsyncIterator<WatchEvent<T>> | undefined;
    let isLive = false;
    try {
      const stream = await watchdog.until(source.watch({ ...start, allowBookmarks: true, timeoutSeconds, signal: watchdog.signal }));
      iterator = stream[Symbol.asyncIterator]();
      this.#answered(watchdog);
      if (!isStreaming) this.#worksAgain();
      if (isStreaming) {
        watchdog.limit(QUIET_INITIAL_EVENTS_MS);
        await this.#readInitialEvents(iterator, watchdog);
      }
      watchdog.limit(this.#hasBookmarks === "no" ? timeoutSeconds * 1000 + GRACE_MS : QUIET_WITH_BOOKMARKS_MS);
      isLive = true;
      await this.#readChanges(iterator, watchdog);
    } catch (error) {
      if (!isLive || !(error instanceof TooQuietError)) throw error;
      // There may have been no changes. The next watch begins at once at the same version, and fails if there was another reason.
      if (this.#hasBookmarks === "unknown") this.#hasBookmarks = "no";
      else if (this.#hasBookmarks === "yes" && this.#recovery.wasSilent()) this.#version = undefined;
    } finally {
      watchdog.end();
      // Not awaited: a stream that hangs must not block this reflector, and its errors do not matter any more.
      void close(iterator);
    }
  }

  /** Reads the initial events up to the bookmark that ends them. @throws when the stream ends before */
  async #readInitialEvents(iterator: AsyncIterator<WatchEvent<T>>, watchdog: Watchdog): Promise<void> {
    const { source, memory } = this.#options;
    const objects = new Map<string, T>();
    memory.begin();
    for (;;) {
      const event = await this.#next(iterator, watchdog);
      if (event === undefined) throw new Error(`watch of ${describe(source)} ended before the end of its initial events`);
      if (event.type === "BOOKMARK") {
        // The bookmark at the end of initial events was requested, so it does not prove that the server sends periodic ones.
        if (event.object?.metadata?.annotations?.[INITIAL_EVENTS_END] !== "true") continue;
        return await this.#replace(objects, versionIn(versionOf(event.object), source, "watch"), watchdog);
      }
      const key = checkedKey(event.object, source);
      if (event.type === "DELETED") objects.delete(key);
      else objects.set(key, this.#take(event.object));
    }
  }

  /** Reads changes until the stream ends. */
  async #readChanges(iterator: AsyncIterator<WatchEvent<T>>, watchdog: Watchdog): Promise<void> {
    const { source, sink } = this.#options;
    for (;;) {
      const event = await this.#next(iterator, watchdog);
      if (event === undefined) return;
      const version = versionOf(event.object);
      if (event.type === "BOOKMARK") {
        this.#bookmarked(watchdog);
        // An event may be late or repeated, but a bookmark has the present version of the server.
        if (isOlder(version, this.#version)) throw new WentBackError(describe(source), this.#version, version);
      } else {
        checkedKey(event.object, source);
        sink.apply({ type: event.type, object: sink.take(event.object) });
      }
      this.#worksAgain();
      this.#recovery.progressed();
      if (version === undefined || isAtLeast(this.#version, version)) continue;
      this.#version = version;
      sink.passed(version);
    }
  }

  /**
   * Returns the next event, or `undefined` at the end of the stream.
   * @throws the failure of an ERROR event, and when nothing comes for too long
   */
  async #next(iterator: AsyncIterator<WatchEvent<T>>, watchdog: Watchdog): Promise<Exclude<WatchEvent<T>, { type: "ERROR" }> | undefined> {
    await this.#options.turn.next(watchdog.signal);
    const result = await watchdog.until(iterator.next());
    if (result.done === true) return undefined;
    this.#answered(watchdog);
    const event = result.value;
    if (event.type === "ERROR") throw errorOf(event.object, describe(this.#options.source));
    return event;
  }

  #bookmarked(watchdog: Watchdog): void {
    this.#hasBookmarks = "yes";
    watchdog.limit(QUIET_WITH_BOOKMARKS_MS);
  }

  #worksAgain(): void {
    if (this.#lastError === undefined) return;
    this.#lastError = undefined;
    this.#options.onRecovered();
  }

  /** Handles a failure. Returns the pause before the next attempt, in milliseconds. */
  #pauseAfter(error: unknown, isStreaming: boolean): number {
    // The stream may have completed the list before it failed.
    const isListing = this.#version === undefined;
    const { pauseMs, isReported, dropsVersion, initialEvents } = this.#recovery.after(error, { isListing, isStreaming });
    if (dropsVersion) this.#version = undefined;
    if (error instanceof WentBackError) this.#options.sink.wentBack();
    if (initialEvents !== undefined) this.#initialEvents = initialEvents;
    if (isReported) {
      this.#lastError = error;
      this.#options.onFailure(error, isListing && !isStreaming ? "list" : "watch");
    }
    return pauseMs;
  }

  #answered(watchdog: Watchdog): void {
    this.#recovery.answered();
    watchdog.touch();
  }

  #guard(signal: AbortSignal, ms: number, what: string): Watchdog {
    const { clock, source } = this.#options;
    const tooQuiet = (limitMs: number): Error =>
      new TooQuietError(`${what} of ${describe(source)}: nothing came from the server for ${limitMs / 1000} s`);
    this.#current = new Watchdog(clock, signal, { ms, tooQuiet });
    return this.#current;
  }
}

const INITIAL_EVENTS_END = "k8s.io/initial-events-end";
