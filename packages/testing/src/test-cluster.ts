/** A test cluster: an API server and operators that run by themselves, in one process. */
import type { FakeClock, Kind } from "@treadle/apimachinery";
import type { ApiServer, ApiServerOptions, WorkloadOptions, Workloads } from "@treadle/apiserver";
import type { Client } from "@treadle/client";
import type { AnyHandler } from "@treadle/reconcile";
import type { Faults } from "./faults/faults.ts";
import type { UserActions } from "./internal/user.ts";
import type { LogLine, TestEnvironment } from "./test-environment.ts";
import type { SettledOptions, StartOptions, TestOperator } from "./test-operator.ts";
import type { TestedWebhooks } from "./webhooks/tested-webhooks.ts";

/** Options of `startTestCluster`. */
export interface TestClusterOptions {
  /**
   * `"virtual"`: time moves only by `settled` and `advance`, so that hours pass in milliseconds and runs are repeatable.
   * `"real"`: the time of the machine. @defaultValue "virtual"; on a real server "real"
   */
  readonly time?: "virtual" | "real";
  /** Virtual time. @defaultValue a fake clock that starts at 2026-01-01T00:00:00Z */
  readonly clock?: FakeClock;
  /**
   * Which of several clusters of a test this is. The objects of each have their own uids. The real server of the second one is that of
   * `TREADLE_TEST_KUBECONFIG_2`, and so on. @defaultValue 1
   */
  readonly nth?: number;
  /** Manifests that exist from the start. A missing name is the kind in lower case, a missing namespace `default`. */
  readonly objects?: readonly object[];
  /** Kinds that neither a handler nor a manifest names. */
  readonly kinds?: readonly Kind[];
  /**
   * Webhooks that the server calls, as `webhooks()` of `@treadle/webhooks` returns them. They are called in this process, in the time of
   * the cluster, and review the objects of the start as well. Their client has the rights that they declare. A real server must run on
   * this machine, because it calls them on loopback. @defaultValue none
   */
  readonly webhooks?: readonly TestedWebhooks[];
  /** Whether the end of the cluster checks the status invariants. @defaultValue true */
  readonly checkStatus?: boolean;
  /** Whether the server also listens on a free loopback port, without encryption: see `url`. @defaultValue false */
  readonly http?: boolean;
  /**
   * Whether the server also listens on a free loopback port with TLS and a token: see `kubeconfig`. A real server listens in any case.
   * @defaultValue false
   */
  readonly https?: boolean;
  /**
   * Whether Deployments, Jobs and other workloads get the status that they have in a cluster, and `settled` waits for it. In
   * memory their controllers, the scheduler and the kubelets are simulated; a real server must have them. @defaultValue false
   */
  readonly workloads?: boolean | WorkloadOptions;
  /** Options of the server in memory. `garbageCollection` and `authorization: "RBAC"` are on by default. */
  readonly server?: Omit<ApiServerOptions, "clock" | "random" | "uid" | "workloads">;
}

/** An API server and the operators that work with it. */
export interface TestCluster extends TestEnvironment, UserActions, AsyncDisposable {
  /** The server in memory. @throws Error on a real server */
  readonly server: ApiServer;
  /** The user's client; its requests are not recorded. */
  readonly client: Client;
  /** URL of the HTTP front. @throws Error without `http` */
  readonly url: string;
  /** Kubeconfig of the HTTPS front, or that of the administrator of a real server, as YAML. @throws Error without `https` */
  readonly kubeconfig: string;
  /** Starts an operator with these handlers and installs their CRDs; resolves when its first passes begin. */
  start(handlers: AnyHandler | readonly AnyHandler[], options?: StartOptions): Promise<TestOperator>;
  /** Installs the CRD of a kind. */
  install(kind: Kind): Promise<void>;
  /** Removes the CRD of a kind, and all its objects with it. */
  uninstall(kind: Kind): Promise<void>;
  /** Makes requests of the operators fail, selected ones or at random; requests of the user never do. */
  readonly faults: Faults;
  /** The log lines of the webhooks, oldest first. An error that a webhook throws is one of them, and the API server's error for the request. */
  readonly webhookLogs: readonly LogLine[];
  /** Makes simulated workloads fail. @throws Error without `workloads`, and on a real server */
  readonly workloads: Workloads;
  /**
   * Resolves when every operator is settled (see {@link TestOperator.settled}), and the garbage collector and the workloads have
   * nothing to do before the horizon. `cluster.server.settled()` waits for the server alone. @throws Error when it times out
   */
  settled(options?: SettledOptions): Promise<void>;
  /**
   * Checks the status of each object of the handlers of running operators.
   * @throws Error when a status breaks an invariant (docs/status-invariants.md)
   */
  checkStatus(): Promise<void>;
  /**
   * Stops all operators and the server. Idempotent. `await using` calls it after `checkStatus()`, which is skipped if
   * `settled()` failed.
   */
  stop(): Promise<void>;
}
