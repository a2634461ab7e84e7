/**
 * `startTestCluster`: an API server and operators that run by themselves, in one process. Everything is the real thing
 * (manager, queue, informers, client); the time is virtual unless asked otherwise, and `settled()` takes the place of polling.
 *
 * With `TREADLE_TEST_KUBECONFIG` in the environment the server is the real one of that file, so that the same test can be
 * run on both. The time is then real, and stopping the cluster deletes what the test made. What a real server cannot do
 * throws and says so. On both each operator acts with the rights that its declarations give it, and no others.
 */
import { randomUUID } from "node:crypto";
import { type Clock, fakeClock, type FakeClock, type Kind, type ObjectOf, systemClock } from "@treadle/apimachinery";
import { type ApiServer, type ApiServerOptions, serveHttp, serveHttps, type WorkloadOptions, type Workloads } from "@treadle/apiserver";
import type { Client } from "@treadle/client";
import type { AnyHandler } from "@treadle/reconcile";
import type { Faults } from "./faults/faults.ts";
import { Backend, onlyInMemory } from "./internal/backend.ts";
import { Cluster } from "./internal/cluster.ts";
import { KnownKinds } from "./internal/known-kinds.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "./internal/manifests.ts";
import { RealServer } from "./internal/real-server.ts";
import type { UserActions } from "./internal/user.ts";
import type { RecordedRequest, RequestFilter, RequestObserver } from "./requests.ts";
import type { SettledOptions, StartOptions, TestOperator } from "./test-operator.ts";

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
  /**
   * Deployments, Jobs and the like reach the status that they have in a cluster, and `settled` waits for it: simulated
   * controllers, scheduler and kubelets in memory, those of the control plane on a real server (which then must have them).
   * @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /** `garbageCollection` and `authorization: "RBAC"` are on unless they are switched off here: `settled` waits for it, `cluster.server.settled()` for nothing else. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid" | "workloads">;
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
  /** What is to go wrong with the workloads. @throws Error without `workloads`, and on a real server */
  readonly workloads: Workloads;
  /**
   * Resolves when all operators are at rest as {@link TestOperator.settled} says, and nothing is left to do for the garbage
   * collector and the workloads: no pod starts or ends, nothing is due before the horizon. @throws Error when it is given up
   */
  settled(options?: SettledOptions): Promise<void>;
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
  const { kinds = [], workloads = false } = options;
  const kubeconfig = process.env["TREADLE_TEST_KUBECONFIG"] || undefined;
  if (kubeconfig !== undefined) checkForRealServer(options);
  const where = { where: "startTestCluster objects", namespace: DEFAULT_NAMESPACE };
  const manifests = manifestsOf(options.objects ?? [], new KnownKinds(kinds), where);
  const real = kubeconfig === undefined ? undefined : await RealServer.open(kubeconfig);
  const clock = real !== undefined || options.time === "real" ? systemClock : (options.clock ?? fakeClock());
  const server = real === undefined ? { ...SERVER, ...options.server, workloads } : { workloads };
  const backend = new Backend({ clock, kinds, manifests, real, server });
  const cluster = new Cluster(backend);
  try {
    if (options.http === true) cluster.http = await serveHttp(backend.server);
    if (options.https === true) cluster.https = await serveHttps(backend.server, { auth: { token: randomUUID() } });
    await backend.begin();
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

/** @throws Error for what a real server does not have */
function checkForRealServer(options: TestClusterOptions): void {
  for (const name of ["clock", "http", "https", "server"] as const)
    if (options[name] !== undefined && options[name] !== false) throw onlyInMemory(`startTestCluster({ ${name} })`);
  if (typeof options.workloads === "object") throw onlyInMemory("startTestCluster({ workloads: { ... } })");
  if (options.time === "virtual") throw onlyInMemory('startTestCluster({ time: "virtual" })');
}
