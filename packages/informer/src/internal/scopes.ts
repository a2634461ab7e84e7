/**
 * Which namespaces an informer watches: a reflector for each, or one for all. They may change while it runs: what was
 * known of a namespace that stays, stays readable; one that is added is not, before it was listed.
 */
import { orAborted } from "@treadle/apimachinery";
import type { Reflector } from "./reflector.ts";

/** A namespace, or `undefined` for all, and for kinds that have none. */
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

export interface ScopesOptions {
  /** Its work ends when the signal is aborted, and from then on it may not change anything. */
  readonly reflector: (scope: Scope, signal: AbortSignal) => AnyReflector;
  /** A reflector was ended; told after the new ones were made. */
  readonly onEnded: (scope: Scope) => void;
}

export class Scopes {
  readonly #options: ScopesOptions;
  readonly #running = new Map<Scope, Running>();
  readonly #unlisted = new Set<Scope>();
  /** Added to others that had been listed: nothing is known there. With those that were covered before "all" came. */
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

  /** True once all the first scopes were listed; those that are added later are waited for by {@link listed}. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  get reflectors(): readonly AnyReflector[] {
    return [...this.#running.values()].map(({ reflector }) => reflector);
  }

  get isOfAll(): boolean {
    return this.#running.has(undefined);
  }

  of(scope: Scope): AnyReflector | undefined {
    return (this.#running.get(scope) ?? this.#running.get(undefined))?.reflector;
  }

  /** Whether a watch tells of `namespace`, or will when it was listed. */
  watches(namespace: string): boolean {
    return this.#running.has(undefined) || this.#running.has(namespace);
  }

  /** Whether what is known of `namespace` is true. */
  covers(namespace: string): boolean {
    const scope = this.#running.has(undefined) ? undefined : namespace;
    if (!this.#running.has(scope)) return false;
    const before = this.#late.get(scope);
    return before === undefined || before.has(namespace);
  }

  /** Some were added that are not listed yet. */
  get hasLate(): boolean {
    return this.#late.size > 0;
  }

  isUnlisted(scope: Scope): boolean {
    return this.#unlisted.has(scope);
  }

  /** The first list of `scope` is complete. */
  hasListed(scope: Scope): void {
    this.#unlisted.delete(scope);
    this.#late.delete(scope);
    this.#settle();
  }

  start(): void {
    if (this.#isStarted || this.#stopped !== undefined) return;
    this.#isStarted = true;
    for (const running of this.#running.values()) this.#run(running);
  }

  /** Ends and begins reflectors so that exactly `scopes` are watched. */
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

  /** Resolves when all that are watched now were listed, or are not watched any more. Rejects when stopped before. */
  async listed(signal?: AbortSignal): Promise<void> {
    if (this.#unlisted.size === 0) return;
    if (this.#stopped !== undefined) throw this.#stopped;
    const waiter: Waiter = { scopes: new Set(this.#unlisted), listed: Promise.withResolvers() };
    this.#waiters = [...this.#waiters, waiter];
    const { promise } = waiter.listed;
    await orAborted(promise, signal);
  }

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
