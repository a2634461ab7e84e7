/**
 * The connections of one provider config. All objects share one connection for each version of the config and its Secret.
 *
 * Guarantees
 * - `connect` is called once for each version. Objects that ask meanwhile wait for the same call.
 * - A failed `connect` is not repeated before a delay, 1 s doubling to 60 s. Until then all objects get the same error.
 * - A connection is disposed once: after its last lease when a newer version exists, or at the end of the operator.
 *
 * Caveats: at the end of the operator a connection is disposed at once, also if it has leases. Passes have ended by then, so a lease
 * that is left belongs to a function that hangs. Closing its connection is what may end it.
 *
 * Errors: an error of a dispose goes to `onError`, because no pass waits for it.
 */
import { type Clock, orAborted, sleep } from "@treadle/apimachinery";
import { NotConnected } from "./errors.ts";

/** The options of {@link Connections}. */
export interface ConnectionsOptions {
  /** The clock of the operator. */
  readonly clock: Clock;
  /** Called with the error of a dispose. It must not throw. */
  readonly onError: (error: unknown) => void;
  /** Maximum time of `connect`, and of a dispose at the end, in milliseconds. @defaultValue 60_000 */
  readonly timeoutMs?: number;
}

/** A lease keeps a connection open while a pass uses it. */
export interface Lease<Api> {
  /** What `connect` returned. */
  readonly api: Api;
  /** Whether no newer version exists. The results of calls with an old version say nothing about the credentials of the new one. */
  readonly isCurrent: boolean;
  /** Ends the lease. A second call does nothing. */
  release(): void;
}

/** Connects to the API. */
export type Connect<Api> = (signal: AbortSignal) => Api | Promise<Api>;

interface Connection<Api> {
  readonly version: string;
  /** The running or successful `connect`. */
  opening: Promise<Api> | undefined;
  opened: { readonly api: Api } | undefined;
  failure: { readonly error: unknown; readonly retryMs: number } | undefined;
  failures: number;
  leases: number;
  isReplaced: boolean;
}

const RETRY = { baseMs: 1000, maxMs: 60_000 };

/** The connections of one provider config. */
export class Connections<Api> implements AsyncDisposable {
  readonly #options: ConnectionsOptions;
  readonly #timeoutMs: number;
  /** Aborted at the end. */
  readonly #end: AbortController = new AbortController();
  #current: Connection<Api> | undefined;
  /** Older connections that have leases. */
  readonly #replaced = new Map<string, Connection<Api>>();
  readonly #disposals = new Set<Promise<void>>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? 60_000;
  }

  /**
   * Leases the connection of a version. The abort of `signal` ends only the wait of this caller.
   * @param version the version of the config and its Secret, by `versionOf`
   * @throws the error of `connect`; NotConnected if it returns nothing or takes too long, and after the end
   */
  async acquire(version: string, connect: Connect<Api>, { signal }: { readonly signal?: AbortSignal } = {}): Promise<Lease<Api>> {
    if (this.#end.signal.aborted) throw new NotConnected("the connections of the provider are closed: the operator ends");
    signal?.throwIfAborted();
    const connection = this.#connectionOf(version);
    if (connection.failure !== undefined && this.#options.clock.now() < connection.failure.retryMs) throw connection.failure.error;
    connection.opening ??= this.#open(connection, connect);
    connection.leases += 1;
    try {
      return new ConnectionLease(await orAborted(connection.opening, signal), connection, (ended) => this.#release(ended));
    } catch (error) {
      this.#release(connection);
      throw error;
    }
  }

  /** Disposes the connection after its last lease, because its config does not exist. A later `acquire` connects again. */
  retire(): void {
    if (this.#current !== undefined) this.#replace(this.#current);
    this.#current = undefined;
  }

  /** Disposes all connections. Waits for the disposals, at most `timeoutMs`. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#end.signal.aborted) return;
    this.#end.abort(new NotConnected("the operator ends"));
    for (const connection of [...this.#replaced.values(), this.#current]) if (connection !== undefined) this.#close(connection);
    this.#replaced.clear();
    this.#current = undefined;
    const ended = new AbortController();
    const late = sleep(this.#options.clock, this.#timeoutMs, ended.signal).then(
      () => this.#options.onError(new Error(`a connection of the provider was not disposed within ${this.#timeoutMs / 1000} s`)),
      () => undefined, // All disposals ended in time.
    );
    await Promise.race([Promise.all(this.#disposals), late]);
    ended.abort();
  }

  #connectionOf(version: string): Connection<Api> {
    if (this.#current?.version === version) return this.#current;
    // A pass that began before the change may ask for the older version: it must not replace the newer one.
    const older = this.#replaced.get(version);
    if (older !== undefined) return older;
    const replaced = this.#current;
    this.#current = {
      version,
      opening: undefined,
      opened: undefined,
      failure: undefined,
      failures: 0,
      leases: 0,
      isReplaced: false,
    };
    if (replaced !== undefined) this.#replace(replaced);
    return this.#current;
  }

  async #open(connection: Connection<Api>, connect: Connect<Api>): Promise<Api> {
    try {
      const api = await this.#connect(connect);
      connection.opened = { api };
      connection.failure = undefined;
      connection.failures = 0;
      if (connection.isReplaced && connection.leases === 0) this.#close(connection);
      return api;
    } catch (error) {
      const delayMs = Math.min(RETRY.maxMs, RETRY.baseMs * 2 ** connection.failures++);
      connection.failure = { error, retryMs: this.#options.clock.now() + delayMs };
      connection.opening = undefined;
      throw error;
    }
  }

  /** Calls `connect` with a time limit. A result that comes after it is disposed. */
  async #connect(connect: Connect<Api>): Promise<Api> {
    const late = new AbortController();
    const timer = this.#options.clock.after(this.#timeoutMs, () =>
      late.abort(new NotConnected(`connect() of the provider did not end within ${this.#timeoutMs / 1000} s`)),
    );
    const signal = AbortSignal.any([late.signal, this.#end.signal]);
    const result = (async () => connect(signal))();
    try {
      const api = await orAborted(result, signal);
      if (api === undefined || api === null) throw new NotConnected("connect() of the provider returned nothing: return the API");
      return api;
    } catch (error) {
      if (signal.aborted)
        void result.then(
          (api) => this.#dispose(api),
          () => undefined,
        ); // Its failure came too late to matter.
      throw error;
    } finally {
      timer.cancel();
    }
  }

  #release(connection: Connection<Api>): void {
    connection.leases -= 1;
    if (connection.leases === 0 && connection.isReplaced) this.#close(connection);
  }

  #replace(connection: Connection<Api>): void {
    connection.isReplaced = true;
    if (connection.leases > 0) this.#replaced.set(connection.version, connection);
    else this.#close(connection);
  }

  #close(connection: Connection<Api>): void {
    connection.isReplaced = true;
    if (this.#replaced.get(connection.version) === connection) this.#replaced.delete(connection.version);
    const { opened } = connection;
    connection.opened = undefined;
    if (opened !== undefined) this.#dispose(opened.api);
  }

  #dispose(api: unknown): void {
    const disposal = disposed(api)
      .catch((error: unknown) => this.#options.onError(error))
      .finally(() => this.#disposals.delete(disposal));
    this.#disposals.add(disposal);
  }
}

class ConnectionLease<Api> implements Lease<Api> {
  readonly api: Api;
  readonly #connection: Connection<Api>;
  readonly #ended: (connection: Connection<Api>) => void;
  #isReleased = false;

  constructor(api: Api, connection: Connection<Api>, ended: (connection: Connection<Api>) => void) {
    this.api = api;
    this.#connection = connection;
    this.#ended = ended;
  }

  get isCurrent(): boolean {
    return !this.#connection.isReplaced;
  }

  release(): void {
    if (!this.#isReleased) this.#ended(this.#connection);
    this.#isReleased = true;
  }
}

async function disposed(api: unknown): Promise<void> {
  const { [Symbol.asyncDispose]: later, [Symbol.dispose]: now } = Object(api) as Partial<AsyncDisposable & Disposable>;
  if (typeof later === "function") await later.call(api);
  else if (typeof now === "function") now.call(api);
}
