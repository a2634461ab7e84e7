/**
 * `startTestCluster`: an API server and operators that run by themselves, in one process. Everything is the real thing
 * (manager, queue, informers, client); the time is virtual unless asked otherwise, and `settled()` takes the place of polling.
 *
 * With `TREADLE_TEST_KUBECONFIG` in the environment the server is the real one of that file, so that the same test can be
 * run on both. The time is then real, and stopping the cluster deletes what the test made. What a real server cannot do
 * throws and says so. On both each operator acts with the rights that its declarations give it, and no others.
 */
import { randomUUID } from "node:crypto";
import {
  type Clock,
  fakeClock,
  type FakeClock,
  groupKindOf,
  type Kind,
  type KubernetesObject,
  type ObjectOf,
  refOf,
  systemClock,
} from "@treadle/apimachinery";
import { type ApiServer, type ApiServerOptions, type HttpFront, type HttpsFront, serveHttp, serveHttps } from "@treadle/apiserver";
import type { Client } from "@treadle/client";
import type { AnyHandler } from "@treadle/reconcile";
import { rbacManifests, rightsOf } from "@treadle/controller";
import { Backend, onlyInMemory } from "./internal/backend.ts";
import { fullKey, kindsOf } from "./internal/handler-kinds.ts";
import { KnownKinds } from "./internal/known-kinds.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "./internal/manifests.ts";
import { RealServer } from "./internal/real-server.ts";
import { User, type UserActions } from "./internal/user.ts";
import type { Faults } from "./faults/faults.ts";
import type { RecordedRequest, RequestFilter, RequestObserver } from "./requests.ts";
import { requireValidStatus } from "./status-invariants.ts";
import { isFake, Operator, type StartOptions, type TestOperator } from "./test-operator.ts";

export interface TestClusterOptions {
  /**
   * `"virtual"`: the time moves only by `settled` and `advance`, so hours pass in milliseconds and every run is the same.
   * `"real"`: the time of the machine. @defaultValue "virtual"; on a real server "real"
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
  /** Serves on a free loopback port too, with a certificate and a token of its own: see `kubeconfig`. @defaultValue false */
  readonly https?: boolean;
  /** `garbageCollection` and `authorization: "RBAC"` are on unless they are switched off here: `settled` waits for it, `cluster.server.settled()` for nothing else. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid">;
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
  /** Installs the CRD of a kind. */
  install(kind: Kind): Promise<void>;
  /** Removes the CRD of a kind, and with it all its objects. */
  uninstall(kind: Kind): Promise<void>;
  get<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K> | undefined>;
  list<K extends Kind>(kind: K, namespace?: string): Promise<readonly ObjectOf<K>[]>;
  /** Moves virtual time; what becomes due happens. @throws Error in real time */
  advance(ms: number): Promise<void>;
  /** The operators' requests that fit, oldest first; `.length` counts them. @defaultValue all */
  requests(filter?: RequestFilter): readonly RecordedRequest[];
  /**
   * Tells of each request of an operator before it is sent, until the returned function is called. An ApiError that
   * `observe` throws is the answer in place of the server's, any other error a connection that breaks: a way to inject faults.
   */
  onRequest(observe: RequestObserver): () => void;
  /** Makes requests of the operators go wrong, chosen ones or at random; the user's never do. */
  readonly faults: Faults;
  /** Begins to count anew. */
  clearRequests(): void;
  /** @throws Error when the status of an object of a handler that was started breaks an invariant (docs/status-invariants.md) */
  checkInvariants(): Promise<void>;
  /** Stops all operators and the server. Idempotent; `await using` does it, after {@link checkInvariants}, of which there is none where `settled` gave up. */
  stop(): Promise<void>;
}

/**
 * Starts a cluster. Ready when it resolves; takes some milliseconds. @throws TypeError for objects that are none, and Error
 * for options that a real server does not have
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"];
  if (kubeconfig !== undefined && kubeconfig !== "") return await onRealServer(options, kubeconfig);
  const clock = options.time === "real" ? systemClock : (options.clock ?? fakeClock());
  const { kinds = [] } = options;
  const server = { ...SERVER, ...options.server };
  const where = { where: "startTestCluster objects", namespace: DEFAULT_NAMESPACE };
  const manifests = manifestsOf(options.objects ?? [], new KnownKinds(kinds), where);
  const backend = new Backend({ clock, kinds, manifests, server });
  const cluster = new Cluster(backend, clock);
  try {
    if (options.http === true) cluster.http = await serveHttp(backend.server);
    if (options.https === true) cluster.https = await serveHttps(backend.server, { auth: { token: randomUUID() } });
    await backend.put(manifests);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** What a server in memory has in common with the control plane that tests run on. */
const SERVER = {
  garbageCollection: true,
  authorization: "RBAC",
  admissionPlugins: ["OwnerReferencesPermissionEnforcement"],
} as const satisfies ApiServerOptions;

async function onRealServer(options: TestClusterOptions, kubeconfig: string): Promise<TestCluster> {
  for (const name of ["clock", "http", "https", "server"] as const)
    if (options[name] !== undefined && options[name] !== false) throw onlyInMemory(`startTestCluster({ ${name} })`);
  if (options.time === "virtual") throw onlyInMemory('startTestCluster({ time: "virtual" })');
  const { kinds = [] } = options;
  const where = { where: "startTestCluster objects", namespace: DEFAULT_NAMESPACE };
  const manifests = manifestsOf(options.objects ?? [], new KnownKinds(kinds), where);
  const real = await RealServer.open(kubeconfig);
  const backend = new Backend({ clock: systemClock, kinds, manifests, real });
  const cluster = new Cluster(backend, systemClock);
  try {
    await backend.begin();
    await backend.put(manifests);
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
  readonly #ownable = new Map<Kind, Promise<void>>();
  #started = 0;
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
