/**
 * The namespaces that an informer watches: a reflector for each, or one for all. They may change while it runs. A namespace
 * that stays watched stays readable; an added namespace is readable once it is listed.
 */
import { orAborted } from "@treadle/apimachinery";
import type { Reflector } from "./reflector.ts";

/** A namespace; `undefined` for all namespaces, and for cluster-scoped kinds. */
export type Scope = string | undefined;

type AnyReflector = Pick<Reflector<never>, "run" | "retry" | "relist" | "answeredAt" | "lastError">;

interface Running {
  readonly reflector: AnyReflector;
  readonly abort: AbortController;
}

interface Waiter {
  readonly scopes: Set<Scope>;
  readonly listed: PromiseWithResolvers<void>;
}

/** The options of {@link Scopes}. */
export interface ScopesOptions {
  /** Makes the reflector of a scope. After the signal is aborted, it must not change anything. */
  readonly reflector: (scope: Scope, signal: AbortSignal) => AnyReflector;
  /** Called when a reflector was ended, after new ones were made. */
  readonly onEnded: (scope: Scope) => void;
}

/** The watched namespaces of one informer. */
export class Scopes {
  readonly #options: ScopesOptions;
  readonly #running = new Map<Scope, Running>();
  readonly #unlisted = new Set<Scope>();
  /** Scopes that were added after the first sync and are not listed yet, each with the namespaces that were covered before. */
  readonly #late = new Map<Scope, ReadonlySet<Scope>>();
  readonly #ended = new Set<Promise<void>>();
  #waiters: readonly Waiter[] = [];
  #isStarted = false;
  #stopped: Error | undefined;
  #hasSynced = false;

  constructor(scopes: Iterable<Scope>, options: ScopesOptions) {
    this.#options = options;
    for (const scope of new Set(scopes)) this.#add(scope);
  }

  /** Whether all first scopes were listed. Scopes added later do not count; {@link listed} waits for them. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** The running reflectors. */
  get reflectors(): readonly AnyReflector[] {
    return [...this.#running.values()].map(({ reflector }) => reflector);
  }

  /** Whether all namespaces are watched. */
  get isOfAll(): boolean {
    return this.#running.has(undefined);
  }

  /** Returns the reflector that watches a scope. */
  of(scope: Scope): AnyReflector | undefined {
    return (this.#running.get(scope) ?? this.#running.get(undefined))?.reflector;
  }

  /** Tells whether `namespace` is watched, even if it is not listed yet. */
  watches(namespace: string): boolean {
    return this.#running.has(undefined) || this.#running.has(namespace);
  }

  /** Tells whether the objects of `namespace` are known. */
  covers(namespace: string): boolean {
    const scope = this.#running.has(undefined) ? undefined : namespace;
    if (!this.#running.has(scope)) return false;
    const before = this.#late.get(scope);
    return before === undefined || before.has(namespace);
  }

  /** Whether there are added scopes that are not listed yet. */
  get hasLate(): boolean {
    return this.#late.size > 0;
  }

  /** Tells whether the first list of `scope` is not complete. */
  isUnlisted(scope: Scope): boolean {
    return this.#unlisted.has(scope);
  }

  /** Records that the first list of `scope` is complete. */
  hasListed(scope: Scope): void {
    this.#unlisted.delete(scope);
    this.#late.delete(scope);
    this.#settle();
  }

  /** Starts all reflectors. */
  start(): void {
    if (this.#isStarted || this.#stopped !== undefined) return;
    this.#isStarted = true;
    for (const running of this.#running.values()) this.#run(running);
  }

  /** Ends and starts reflectors so that exactly `scopes` are watched. */
  set(scopes: Iterable<Scope>): void {
    if (this.#stopped !== undefined) return;
    const wanted = new Set(scopes);
    const ended = [...this.#running.keys()].filter((scope) => !wanted.has(scope));
    const covered = new Set([...this.#running.keys()].filter((scope) => scope !== undefined && this.covers(scope)));
    const added = [...wanted].filter((scope) => !this.#running.has(scope));
    const unknown = this.#hasSynced ? added.filter((scope) => scope === undefined || !this.covers(scope)) : [];
    for (const scope of ended) this.#end(scope);
    for (const scope of added) this.#add(scope);
    for (const scope of unknown) this.#late.set(scope, scope === undefined ? covered : new Set());
    for (const scope of ended) this.#options.onEnded(scope);
    this.#settle();
  }

  /** Resolves when every scope that is watched now is listed or removed. Rejects when the informer is stopped first. */
  async listed(signal?: AbortSignal): Promise<void> {
    if (this.#unlisted.size === 0) return;
    if (this.#stopped !== undefined) throw this.#stopped;
    const waiter: Waiter = { scopes: new Set(this.#unlisted), listed: Promise.withResolvers() };
    this.#waiters = [...this.#waiters, waiter];
    const { promise } = waiter.listed;
    await orAborted(promise, signal);
  }

  /** Ends all reflectors. */
  async stop(reason: Error): Promise<void> {
    this.#stopped = reason;
    for (const { abort } of this.#running.values()) abort.abort(reason);
    for (const { listed } of this.#waiters) listed.reject(reason);
    this.#waiters = [];
    await Promise.all(this.#ended);
  }

  #add(scope: Scope): void {
    const abort = new AbortController();
    const running = { reflector: this.#options.reflector(scope, abort.signal), abort };
    this.#running.set(scope, running);
    this.#unlisted.add(scope);
    if (this.#isStarted) this.#run(running);
  }

  #run({ reflector, abort }: Running): void {
    const ended = reflector.run(abort.signal).finally(() => this.#ended.delete(ended));
    this.#ended.add(ended);
  }

  #end(scope: Scope): void {
    this.#running.get(scope)?.abort.abort(new Error("not watched any more"));
    this.#running.delete(scope);
    this.#unlisted.delete(scope);
    this.#late.delete(scope);
  }

  #settle(): void {
    this.#hasSynced ||= this.#unlisted.size === 0;
    const isListed = ({ scopes }: Waiter): boolean => [...scopes].every((scope) => !this.#unlisted.has(scope));
    for (const waiter of this.#waiters) if (isListed(waiter)) waiter.listed.resolve();
    this.#waiters = this.#waiters.filter((waiter) => !isListed(waiter));
  }
}
