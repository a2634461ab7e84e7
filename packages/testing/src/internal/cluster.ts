/** The cluster of `startTestCluster`: the operators of a test, and a server in memory or a real one. */
import { type Clock, groupKindOf, isFakeClock, type Kind, type KubernetesObject, type ObjectOf, refOf } from "@treadle/apimachinery";
import type { ApiServer, HttpFront, HttpsFront, Workloads } from "@treadle/apiserver";
import type { Client } from "@treadle/client";
import { rbacManifests, rightsOf } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import type { Faults } from "../faults/faults.ts";
import type { RequestLog, RequestObserver } from "../requests.ts";
import { checkStatus } from "../status-invariants.ts";
import type { TestCluster } from "../test-cluster.ts";
import type { LogLine } from "../test-environment.ts";
import type { SettledOptions, StartOptions, TestOperator } from "../test-operator.ts";
import type { Backend } from "./backend.ts";
import { fullKey, kindsOf, kindsOfRunnable } from "./handler-kinds.ts";
import { DEFAULT_NAMESPACE } from "./manifests.ts";
import { DEFAULT_HORIZON_MS, Operator } from "./operator.ts";
import { onlyInMemory } from "./real-server.ts";
import { User, type UserActions } from "./user.ts";
import { withTimeout } from "./virtual-time.ts";

/** Real time after which `settled` fails: the controllers of a real server act by the clock. */
const TIMEOUT_MS = 60_000;

interface ClusterOptions {
  readonly checkStatus: boolean;
  readonly webhookLogs: readonly LogLine[];
  /** The kubeconfig of a real server. */
  readonly kubeconfig: string | undefined;
}

export class Cluster implements TestCluster {
  readonly clock: Clock;
  readonly webhookLogs: readonly LogLine[];
  http: HttpFront | undefined;
  https: HttpsFront | undefined;
  readonly #backend: Backend;
  readonly #user: User;
  readonly #operators = new Set<Operator>();
  readonly #missing = new Set<Kind>();
  readonly #ownable = new Map<Kind, Promise<void>>();
  #started = 0;
  #stopping: Promise<void> | undefined;

  readonly #checksStatus: boolean;
  readonly #kubeconfig: string | undefined;

  constructor(backend: Backend, options: ClusterOptions) {
    this.#backend = backend;
    this.webhookLogs = options.webhookLogs;
    this.#checksStatus = options.checkStatus;
    this.#kubeconfig = options.kubeconfig;
    this.#user = new User(backend, "cluster");
    this.clock = backend.clock;
  }

  get server(): ApiServer {
    return this.#backend.server;
  }

  get client(): Client {
    return this.#backend.user;
  }

  get workloads(): Workloads {
    if (this.#backend.isReal) throw onlyInMemory("cluster.workloads");
    return this.server.workloads;
  }

  get faults(): Faults {
    return this.#backend.faults;
  }

  get url(): string {
    if (this.#backend.isReal) throw onlyInMemory("cluster.url");
    if (this.http === undefined) throw new Error("cluster.url: start the cluster with startTestCluster({ http: true })");
    return this.http.url;
  }

  get kubeconfig(): string {
    const text = this.#kubeconfig ?? this.https?.kubeconfig();
    if (text === undefined) throw new Error("cluster.kubeconfig: start the cluster with startTestCluster({ https: true })");
    return text;
  }

  async start(given: AnyHandler | readonly AnyHandler[], options: StartOptions = {}): Promise<TestOperator> {
    if (this.#stopping !== undefined) throw new Error("cluster.start: the cluster was stopped");
    if (options.transport === "http" && isFakeClock(this.clock))
      throw new Error('cluster.start: a socket does not wait for virtual time; start the cluster with { http: true, time: "real" }');
    const handlers = Array.isArray(given) ? (given as readonly AnyHandler[]) : [given as AnyHandler];
    if (this.#backend.isReal) for (const kind of options.missing ?? []) await this.#removeOfEarlierTest(kind);
    for (const kind of [...handlers.flatMap(kindsOf), ...(options.runnables ?? []).flatMap(kindsOfRunnable)])
      if (!isAmong(options.missing, kind)) await this.#backend.use(kind);
    const user = await this.#identity(handlers, options);
    const operator = new Operator(this.#backend, { options, handlers, user, url: options.transport === "http" ? this.url : undefined });
    this.#operators.add(operator);
    try {
      await operator.begin(options.signal);
    } catch (error) {
      this.#operators.delete(operator);
      throw error;
    }
    return operator;
  }

  /** Removes a CRD that a real server may have from an earlier test. An operator that starts later finds what the first one made. */
  async #removeOfEarlierTest(kind: Kind): Promise<void> {
    if (this.#missing.has(kind)) return;
    this.#missing.add(kind);
    await this.#backend.remove(kind);
  }

  /** Grants the operator its rights. Returns its user; undefined: the administrator. */
  async #identity(handlers: readonly AnyHandler[], { rbac, namespaces, runnables = [] }: StartOptions): Promise<string | undefined> {
    if (!this.#backend.isRestricted || rbac === "administrator") return undefined;
    const name = `operator-${++this.#started}`;
    const options = { name, namespace: DEFAULT_NAMESPACE, runnables, ...(namespaces === undefined ? {} : { namespaces }) };
    for (const namespace of namespaces ?? []) await this.#backend.ensureNamespace(namespace);
    const owners = handlers.filter((handler) => rightsOf(handler).some(({ subresource }) => subresource === "finalizers"));
    for (const { kind } of owners) {
      if (kind.resource === undefined) continue;
      const known = this.#ownable.get(kind) ?? this.#backend.ownable(kind);
      this.#ownable.set(kind, known);
      await known;
    }
    return await this.#backend.grant(rbac ?? rbacManifests(handlers, options));
  }

  async install(kind: Kind): Promise<void> {
    await this.#backend.use(kind);
  }

  async uninstall(kind: Kind): Promise<void> {
    await this.#backend.remove(kind);
  }

  create: UserActions["create"] = (kind, object) => this.#user.create(kind, object);
  apply: UserActions["apply"] = (manifest) => this.#user.apply(manifest);
  update: UserActions["update"] = (kind, key, change) => this.#user.update(kind, key, change);
  updateStatus: UserActions["updateStatus"] = (kind, key, change) => this.#user.updateStatus(kind, key, change);
  makeReady: UserActions["makeReady"] = (kind, key) => this.#user.makeReady(kind, key);
  delete: UserActions["delete"] = (kind, key) => this.#user.delete(kind, key);

  async get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined> {
    return await this.client.get(kind, refOf(fullKey(kind, key, DEFAULT_NAMESPACE)));
  }

  async list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]> {
    return (await this.client.list(kind, namespace === undefined ? {} : { namespace })).items;
  }

  async advance(ms: number): Promise<void> {
    if (this.#backend.isReal) throw onlyInMemory("cluster.advance");
    if (!isFakeClock(this.clock)) throw new Error("cluster.advance: time is real; start the cluster with virtual time");
    await this.clock.advance(ms);
  }

  async settled(options: SettledOptions = {}): Promise<void> {
    const horizonMs = options.horizonMs ?? (isFakeClock(this.clock) ? DEFAULT_HORIZON_MS : 0);
    const horizon = this.clock.now() + horizonMs;
    const timeoutMs = options.timeoutMs ?? TIMEOUT_MS + (isFakeClock(this.clock) ? 0 : horizonMs);
    const unsettled = `cluster.settled: not settled after ${timeoutMs} real ms: controllers of the server still have something to do`;
    await withTimeout(
      timeoutMs,
      () => unsettled,
      async ({ signal }) => {
        for (let version: string | undefined = ""; version !== this.#backend.version; ) {
          for (const operator of this.#running) await operator.settled({ ...options, horizonMs: Math.max(0, horizon - this.clock.now()) });
          // The workloads' next writes trigger passes of the operators.
          version = this.#backend.version;
          await this.#backend.settled(horizon, signal);
        }
      },
    );
  }

  get requests(): RequestLog {
    return this.#backend.requests;
  }

  onRequest(observe: RequestObserver): () => void {
    return this.#backend.requests.observe(observe);
  }

  async checkStatus(): Promise<void> {
    await this.#backend.refresh();
    for (const handler of new Set(this.#running.flatMap(({ handlers }) => handlers)))
      for (const object of this.#backend.list(handler.kind) as readonly KubernetesObject[])
        checkStatus(object, { handler, nowMs: this.clock.now() });
  }

  /** The operators that were not stopped. */
  get #running(): readonly Operator[] {
    return [...this.#operators].filter(({ isStopped }) => !isStopped);
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#end((operator) => operator.stop());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // After a failed `settled` the test has its error, and a status may be unfinished.
    const hasFailed = [...this.#operators].some(({ hasTimedOut }) => hasTimedOut);
    try {
      if (this.#checksStatus && this.#stopping === undefined && !hasFailed) await this.checkStatus();
    } finally {
      this.#stopping ??= this.#end((operator) => operator[Symbol.asyncDispose]());
      await this.#stopping;
    }
  }

  async #end(end: (operator: Operator) => Promise<void>): Promise<void> {
    const ended = await Promise.allSettled([...this.#operators].map(end));
    await this.http?.close();
    await this.https?.close();
    await this.#backend.close();
    const failed = ended.find((one) => one.status === "rejected");
    if (failed !== undefined) throw failed.reason;
  }
}

function isAmong(kinds: readonly Kind[] | undefined, kind: Kind): boolean {
  return kinds?.some((other) => groupKindOf(other) === groupKindOf(kind)) ?? false;
}
