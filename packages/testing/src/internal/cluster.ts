/** What `startTestCluster` makes: the operators of a test beside a server in memory or a real one. */
import { type Clock, groupKindOf, type Kind, type KubernetesObject, type ObjectOf, refOf } from "@treadle/apimachinery";
import type { ApiServer, HttpFront, HttpsFront, Workloads } from "@treadle/apiserver";
import type { Client } from "@treadle/client";
import { rbacManifests, rightsOf } from "@treadle/controller";
import type { AnyHandler } from "@treadle/reconcile";
import type { Faults } from "../faults/faults.ts";
import type { RecordedRequest, RequestFilter, RequestObserver } from "../requests.ts";
import { requireValidStatus } from "../status-invariants.ts";
import type { TestCluster } from "../test-cluster.ts";
import { DEFAULT_HORIZON_MS, isFake, Operator, type SettledOptions, type StartOptions, type TestOperator } from "../test-operator.ts";
import { type Backend, onlyInMemory } from "./backend.ts";
import { fullKey, kindsOf } from "./handler-kinds.ts";
import { DEFAULT_NAMESPACE } from "./manifests.ts";
import { User, type UserActions } from "./user.ts";

/** Of `settled`: a real server's controllers act by the clock. */
const GIVE_UP_MS = 60_000;

export class Cluster implements TestCluster {
  readonly clock: Clock;
  http: HttpFront | undefined;
  https: HttpsFront | undefined;
  readonly #backend: Backend;
  readonly #user: User;
  readonly #operators = new Set<Operator>();
  readonly #handlers = new Set<AnyHandler>();
  readonly #ownable = new Map<Kind, Promise<void>>();
  #started = 0;
  #stopping: Promise<void> | undefined;

  constructor(backend: Backend) {
    this.#backend = backend;
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
    if (this.http === undefined) throw new Error("cluster.url: start it with startTestCluster({ http: true })");
    return this.http.url;
  }

  get kubeconfig(): string {
    if (this.#backend.isReal) throw onlyInMemory("cluster.kubeconfig");
    if (this.https === undefined) throw new Error("cluster.kubeconfig: start it with startTestCluster({ https: true })");
    return this.https.kubeconfig();
  }

  async start(given: AnyHandler | readonly AnyHandler[], options: StartOptions = {}): Promise<TestOperator> {
    if (this.#stopping !== undefined) throw new Error("cluster.start: the cluster was stopped");
    if (options.transport === "http" && isFake(this.clock))
      throw new Error('cluster.start: a socket does not wait for virtual time; start the cluster with { http: true, time: "real" }');
    const handlers = Array.isArray(given) ? (given as readonly AnyHandler[]) : [given as AnyHandler];
    // A real server may have them from an earlier test.
    if (this.#backend.isReal) for (const kind of options.missing ?? []) await this.#backend.remove(kind);
    for (const handler of handlers) {
      this.#handlers.add(handler);
      for (const kind of kindsOf(handler)) if (!isAmong(options.missing, kind)) await this.#backend.use(kind);
    }
    const user = await this.#identity(handlers, options);
    const operator = new Operator(this.#backend, { options, handlers, user, url: options.transport === "http" ? this.url : undefined });
    this.#operators.add(operator);
    try {
      await operator.begin();
    } catch (error) {
      this.#operators.delete(operator);
      throw error;
    }
    return operator;
  }

  /** Whom the operator acts as. */
  async #identity(handlers: readonly AnyHandler[], { rbac, namespaces }: StartOptions): Promise<string | undefined> {
    if (!this.#backend.isRestricted || rbac === "administrator") return undefined;
    const name = `operator-${++this.#started}`;
    const options = { name, namespace: DEFAULT_NAMESPACE, ...(namespaces === undefined ? {} : { namespaces }) };
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
  delete: UserActions["delete"] = (kind, key) => this.#user.delete(kind, key);

  async get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined> {
    return await this.client.get(kind, refOf(fullKey(kind, key, DEFAULT_NAMESPACE)));
  }

  async list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]> {
    return (await this.client.list(kind, namespace === undefined ? {} : { namespace })).items;
  }

  async advance(ms: number): Promise<void> {
    if (this.#backend.isReal) throw onlyInMemory("cluster.advance");
    if (!isFake(this.clock)) throw new Error("cluster.advance: the time is real; start the cluster with virtual time");
    await this.clock.advance(ms);
  }

  async settled(options: SettledOptions = {}): Promise<void> {
    const horizonMs = options.horizonMs ?? (isFake(this.clock) ? DEFAULT_HORIZON_MS : 0);
    const horizon = this.clock.now() + horizonMs;
    const timeoutMs = options.timeoutMs ?? GIVE_UP_MS + (isFake(this.clock) ? 0 : horizonMs);
    const givingUp = new AbortController();
    const unsettled = `cluster.settled: not settled after ${timeoutMs} real ms: controllers of the server still have something to do`;
    const timer = setTimeout(() => givingUp.abort(new Error(unsettled)), timeoutMs);
    try {
      for (let version: string | undefined = ""; version !== this.#backend.version; ) {
        for (const operator of this.#operators) await operator.settled({ ...options, horizonMs: Math.max(0, horizon - this.clock.now()) });
        // What the workloads do after that is news for the operators.
        version = this.#backend.version;
        await this.#backend.letHappen(horizon, givingUp.signal);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  requests(filter: RequestFilter = {}): readonly RecordedRequest[] {
    return this.#backend.requests.filter(filter);
  }

  onRequest(observe: RequestObserver): () => void {
    return this.#backend.requests.observe(observe);
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
    this.#stopping ??= this.#end((operator) => operator.stop());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // Where `settled` gave up the test has its error, and a status in the middle of its passes says nothing.
    const isTold = [...this.#operators].some(({ hasGivenUp }) => hasGivenUp);
    try {
      if (this.#stopping === undefined && !isTold) await this.checkInvariants();
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
