/**
 * `startTestCluster`: an API server and operators that run by themselves, in one process. Everything is the real thing
 * (manager, queue, informers, client); the time is virtual unless asked otherwise, and `settled()` takes the place of polling.
 */
import {
  type Clock,
  fakeClock,
  type FakeClock,
  type Kind,
  keyOf,
  type KubernetesObject,
  type ObjectOf,
  refOf,
  systemClock,
} from "@treadle/apimachinery";
import { type ApiServer, type ApiServerOptions, type HttpFront, type HttpsFront, serveHttp, serveHttps } from "@treadle/apiserver";
import { type Client, createClient, httpTransport } from "@treadle/client";
import { type ControllerOptions, createManager, type Manager, type PassReport } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import { Backend } from "./internal/backend.ts";
import { fullKey, kindsOf } from "./internal/handler-kinds.ts";
import { type LogLine, recordingLogger } from "./internal/log-recorder.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "./internal/manifests.ts";
import { until } from "./internal/turns.ts";
import { User, type UserActions } from "./internal/user.ts";
import type { RecordedRequest, RequestFilter } from "./requests.ts";
import { requireValidStatus } from "./status-invariants.ts";

export interface TestClusterOptions {
  /**
   * `"virtual"`: the time moves only by `settled` and `advance`, so hours pass in milliseconds and every run is the same.
   * `"real"`: the time of the machine. @defaultValue "virtual"
   */
  readonly time?: "virtual" | "real";
  /** Of virtual time. @defaultValue one that starts at 2026-01-01T00:00:00Z */
  readonly clock?: FakeClock;
  /** Manifests that exist from the start; as in `fakeWorld`. */
  readonly objects?: readonly object[];
  /** Kinds that neither a handler nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /** Serves on a free loopback port too, without encryption: see `url`. @defaultValue false */
  readonly http?: boolean;
  /** Serves on a free loopback port too, with a certificate of its own: see `kubeconfig`. @defaultValue false */
  readonly https?: boolean;
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid">;
}

export interface StartOptions extends ControllerOptions {
  /** The namespaces that are watched. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** How the operator reaches the server; `"http"` needs a cluster with `http` and real time. @defaultValue "in-process" */
  readonly transport?: "in-process" | "http";
}

export interface SettledOptions {
  /**
   * Keys due within so many milliseconds from now are waited for, too: virtual time moves to each of them.
   * @defaultValue 10_000 in virtual time (the longest delay of the waiting curve), 0 in real time
   */
  readonly horizonMs?: number;
  /** Real milliseconds after which it is given up. @defaultValue 10_000 beyond a horizon in real time */
  readonly timeoutMs?: number;
}

/** An operator at work. */
export interface TestOperator extends AsyncDisposable {
  /**
   * Resolves when no key is queued or running, none is due before the horizon, and everything that the server has was
   * delivered. Never looks by the clock. @throws Error that says what is still going on when it is given up
   */
  settled(options?: SettledOptions): Promise<void>;
  /** Stops it gracefully; the cluster goes on. Idempotent. */
  stop(): Promise<void>;
  /** Every pass so far, oldest first. */
  readonly passes: readonly PassReport[];
  readonly logs: readonly LogLine[];
  readonly manager: Manager;
}

export interface TestCluster extends UserActions, AsyncDisposable {
  readonly server: ApiServer;
  readonly clock: Clock;
  /** The user's client; its requests are not counted. */
  readonly client: Client;
  /** Of the HTTP front. @throws Error without `http` */
  readonly url: string;
  /** Of the HTTPS front, as YAML. @throws Error without `https` */
  readonly kubeconfig: string;
  /** Starts an operator of these handlers; resolves when its first passes begin. CRDs are installed before. */
  start(handlers: AnyHandler | readonly AnyHandler[], options?: StartOptions): Promise<TestOperator>;
  get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]>;
  /** Moves virtual time; what becomes due happens. @throws Error in real time */
  advance(ms: number): Promise<void>;
  /** The operators' requests that fit, oldest first; `.length` counts them. @defaultValue all */
  requests(filter?: RequestFilter): readonly RecordedRequest[];
  /** Begins to count anew. */
  clearRequests(): void;
  /** @throws Error when the status of an object of a handler that was started breaks an invariant (docs/status-invariants.md) */
  checkInvariants(): Promise<void>;
  /** Stops all operators and the server. Idempotent; `await using` does it, after {@link checkInvariants}. */
  stop(): Promise<void>;
}

/** Starts a cluster. Ready when it resolves; takes some milliseconds. @throws TypeError for objects that are none */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const clock = options.time === "real" ? systemClock : (options.clock ?? fakeClock());
  const backend = new Backend({ clock, kinds: options.kinds ?? [], ...(options.server === undefined ? {} : { server: options.server }) });
  const cluster = new Cluster(backend, clock);
  try {
    if (options.http === true) cluster.http = await serveHttp(backend.server);
    if (options.https === true) cluster.https = await serveHttps(backend.server);
    await backend.put(
      manifestsOf(options.objects ?? [], backend.kinds, { where: "startTestCluster objects", namespace: DEFAULT_NAMESPACE }),
    );
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

class Cluster implements TestCluster {
  readonly clock: Clock;
  http: HttpFront | undefined;
  https: HttpsFront | undefined;
  readonly #backend: Backend;
  readonly #user: User;
  readonly #operators = new Set<Operator>();
  readonly #handlers = new Set<AnyHandler>();
  #stopping: Promise<void> | undefined;

  constructor(backend: Backend, clock: Clock) {
    this.#backend = backend;
    this.#user = new User(backend, "cluster");
    this.clock = clock;
  }

  get server(): ApiServer {
    return this.#backend.server;
  }

  get client(): Client {
    return this.#backend.user;
  }

  get url(): string {
    if (this.http === undefined) throw new Error("cluster.url: start it with startTestCluster({ http: true })");
    return this.http.url;
  }

  get kubeconfig(): string {
    if (this.https === undefined) throw new Error("cluster.kubeconfig: start it with startTestCluster({ https: true })");
    return this.https.kubeconfig();
  }

  async start(given: AnyHandler | readonly AnyHandler[], options: StartOptions = {}): Promise<TestOperator> {
    if (this.#stopping !== undefined) throw new Error("cluster.start: the cluster was stopped");
    if (options.transport === "http" && isFake(this.clock))
      throw new Error('cluster.start: a socket does not wait for virtual time; start the cluster with { http: true, time: "real" }');
    const handlers = Array.isArray(given) ? (given as readonly AnyHandler[]) : [given as AnyHandler];
    for (const handler of handlers) {
      this.#handlers.add(handler);
      for (const kind of kindsOf(handler)) await this.#backend.use(kind);
    }
    const operator = new Operator(this.#backend, { options, handlers, url: options.transport === "http" ? this.url : undefined });
    this.#operators.add(operator);
    try {
      await operator.begin();
    } catch (error) {
      this.#operators.delete(operator);
      throw error;
    }
    return operator;
  }

  create: UserActions["create"] = (kind, object) => this.#user.create(kind, object);
  apply: UserActions["apply"] = (manifest) => this.#user.apply(manifest);
  update: UserActions["update"] = (kind, key, change) => this.#user.update(kind, key, change);
  updateStatus: UserActions["updateStatus"] = (kind, key, change) => this.#user.updateStatus(kind, key, change);
  delete: UserActions["delete"] = (kind, key) => this.#user.delete(kind, key);

  async get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined> {
    return await this.client.get(kind, refOf(fullKey(kind, key, DEFAULT_NAMESPACE)));
  }

  async list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]> {
    return (await this.client.list(kind, namespace === undefined ? {} : { namespace })).items;
  }

  async advance(ms: number): Promise<void> {
    if (!isFake(this.clock)) throw new Error("cluster.advance: the time is real; start the cluster with virtual time");
    await this.clock.advance(ms);
  }

  requests(filter: RequestFilter = {}): readonly RecordedRequest[] {
    return this.#backend.requests.filter(filter);
  }

  clearRequests(): void {
    this.#backend.requests.clear();
  }

  async checkInvariants(): Promise<void> {
    await this.#backend.refresh();
    for (const handler of this.#handlers) {
      for (const object of this.#backend.list(handler.kind) as readonly KubernetesObject[])
        requireValidStatus(object, { handler, nowMs: this.clock.now() });
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= (async () => {
      await Promise.all([...this.#operators].map((operator) => operator.stop()));
      await this.http?.close();
      await this.https?.close();
      await this.#backend.server.close();
    })();
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      if (this.#stopping === undefined) await this.checkInvariants();
    } finally {
      await this.stop();
    }
  }
}

class Operator implements TestOperator {
  readonly manager: Manager;
  readonly passes: PassReport[] = [];
  readonly logs: LogLine[] = [];
  readonly #backend: Backend;
  readonly #namespaces: readonly string[] | undefined;

  constructor(
    backend: Backend,
    given: { readonly options: StartOptions; readonly handlers: readonly AnyHandler[]; readonly url: string | undefined },
  ) {
    const { namespaces, transport: _transport, ...controllerOptions } = given.options;
    this.#backend = backend;
    this.#namespaces = namespaces;
    const { clock, random, requests } = backend;
    let passes = 0;
    this.manager = createManager({
      client: (wish) =>
        createClient({
          // One of its own: whoever stops closes what it had.
          transport: requests.through(given.url === undefined ? backend.server.transport() : httpTransport({ server: given.url })),
          ...wish,
        }),
      clock,
      random,
      log: recordingLogger(this.logs),
      probes: false,
      metrics: false,
      reconcileID: () => `pass-${++passes}`,
      onPass: (report) => void this.passes.push(report),
      ...(namespaces === undefined ? {} : { namespaces }),
    });
    for (const handler of given.handlers) this.manager.add(handler, controllerOptions);
  }

  async begin(): Promise<void> {
    await this.#withTime(this.manager.start());
  }

  async settled(options: SettledOptions = {}): Promise<void> {
    const { clock } = this.#backend;
    const horizonMs = options.horizonMs ?? (isFake(clock) ? DEFAULT_HORIZON_MS : 0);
    const horizon = clock.now() + horizonMs;
    const timeoutMs = options.timeoutMs ?? GIVE_UP_MS + (isFake(clock) ? 0 : horizonMs);
    const givingUp = new AbortController();
    const timer = setTimeout(() => givingUp.abort(new Error(this.#unsettled(timeoutMs))), timeoutMs);
    const { signal } = givingUp;
    try {
      for (;;) {
        await this.manager.settled({ horizonMs: Math.max(0, horizon - clock.now()), signal });
        await until(
          async () => signal.aborted || (await this.#isCaughtUp()),
          () => this.#unsettled(timeoutMs),
        );
        signal.throwIfAborted();
        if (this.manager.status().controllers.every(({ queued, running }) => queued + running === 0)) return;
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async stop(): Promise<void> {
    await this.#withTime(this.manager.stop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }

  /** Waits for what may need time: virtual time moves where nothing else does. */
  async #withTime(work: Promise<void>): Promise<void> {
    const { clock, requests } = this.#backend;
    let isOver = !isFake(clock);
    const over = (): void => {
      isOver = true;
    };
    work.then(over, over);
    for (let turns = 0; !isOver && isFake(clock); turns = requests.pending > 0 ? 0 : turns + 1) {
      const due = clock.nextDue();
      await clock.advance(turns < PATIENCE_TURNS || due === undefined ? 0 : Math.max(0, due - clock.now()));
    }
    await work;
  }

  /** Every informer shows what the server has. */
  async #isCaughtUp(): Promise<boolean> {
    await this.#backend.refresh();
    return (this.manager.informers?.all() ?? []).every((informer) => {
      const known = informer.list() as readonly KubernetesObject[];
      const versions = new Map(known.map(({ metadata }) => [keyOf(metadata), metadata.resourceVersion]));
      const stored = this.#backend.list(informer.kind) as readonly KubernetesObject[];
      // An informer of some namespaces shows fewer, but never others.
      const shown = stored.filter(({ metadata }) => this.#isWatched(metadata.namespace));
      return known.length === shown.length && shown.every(({ metadata }) => versions.get(keyOf(metadata)) === metadata.resourceVersion);
    });
  }

  #isWatched(namespace: string | undefined): boolean {
    return this.#namespaces === undefined || namespace === undefined || this.#namespaces.includes(namespace);
  }

  #unsettled(afterMs: number): string {
    const { state, controllers } = this.manager.status();
    const busy = controllers.map(
      ({ name, queued, running, delayed }) => `${name}: ${running} running, ${queued} queued, ${delayed} delayed`,
    );
    const last = this.passes.at(-1);
    const lastText =
      last === undefined ? "no pass has ended yet" : `the last pass, of ${keyOf(last.ref)}, ended "${last.result.outcome.type}"`;
    return `op.settled: not settled after ${afterMs} real ms (manager ${state}; ${busy.join("; ")}; ${lastText}). A step that runs waits for something that does not come, for time beyond the horizon (raise horizonMs), or every pass starts another`;
  }
}

const DEFAULT_HORIZON_MS = 10_000;
const GIVE_UP_MS = 10_000;
const PATIENCE_TURNS = 100;

function isFake(clock: Clock): clock is FakeClock {
  return "advance" in clock;
}
