/**
 * The options of `createManager()`. Every option has a default that is right in a cluster. Options that are data can also
 * be set by environment or file (docs/operations.md, "Settings"): the environment wins over the file, the file over the code.
 */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Client, ClusterConfig, Exchange } from "@treadle/client";
import type { DrainRule, Logger, UndeclaredUse } from "@treadle/reconcile";
import type { Shared } from "@treadle/reconcile/unstable/engine";
import type { CachedKind } from "./cached.ts";
import type { DryWrite } from "./dry-run/dry-write.ts";
import type { LeaderElectionOptions } from "./leader-election/options.ts";
import type { LogOptions } from "./log.ts";
import type { PassReport } from "./pass-report.ts";

/** Options of `createManager()`. */
export interface ManagerOptions {
  /** A YAML or JSON file with settings, read at the start. `TREADLE_CONFIG` names another one. @defaultValue none */
  readonly configFile?: string;
  /** Where the variables `TREADLE_...` are read from; `{}`: none is read. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Number of concurrent passes of each controller, unless `add` sets it. @defaultValue 5 */
  readonly concurrency?: number;
  /** Time after which every object gets a pass, in milliseconds, unless `add` sets it. @defaultValue 36_000_000 (10 h) */
  readonly resyncMs?: number | false;
  /**
   * A client, which the manager does not close; or a function that makes one, which the manager closes. Requests of a
   * client that is made with the given `onExchange` are counted in `rest_client_requests_total`.
   * @defaultValue `connect()` at the start
   */
  readonly client?: Client | ((given: ManagerClientOptions) => Client | Promise<Client>);
  /** The cluster to connect to. @defaultValue the result of `loadConfig()` of `@treadle/client` */
  readonly config?: ClusterConfig;
  /** The namespaces that are watched; see `manager.setNamespaces`. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** The parts of kinds that are cached: `[cached(Pod, { labelSelector: { app: "web" } })]`. @defaultValue all but managedFields */
  readonly cache?: readonly CachedKind[];
  /** The log. @defaultValue `createLogger()`: lines on standard output, as text on a terminal and as JSON elsewhere */
  readonly log?: Logger;
  /** Level of the default log. @defaultValue `TREADLE_LOG_LEVEL`, else `LOG_LEVEL`, else "info" */
  readonly logLevel?: NonNullable<LogOptions["level"]>;
  /** Form of the lines of the default log. @defaultValue `TREADLE_LOG_FORMAT`, else `pretty` on a terminal, else `json` */
  readonly logFormat?: NonNullable<LogOptions["format"]>;
  /** The server of `/healthz` and `/readyz`; false: off. @defaultValue port 8081 */
  readonly probes?: ServerOptions | false;
  /** The server of `/metrics`; false: off. @defaultValue port 8080 */
  readonly metrics?: MetricsOptions | false;
  /**
   * The server of `/debug` on loopback: queues, informers, last errors, objects, heap snapshot, CPU profile. Anyone who can
   * reach it can read the memory of the process. `true`: on port 6060. @defaultValue false
   */
  readonly debug?: ServerOptions | boolean;
  /**
   * Runs passes without sending their writes. Each write is logged and reported to `onWrite`, once. No leader is elected,
   * and no event is written. See docs/operations.md. @defaultValue false
   */
  readonly dryRun?: boolean | DryRunOptions;
  /**
   * Uninstall mode: handlers only remove their finalizers, and `run()` resolves when no object holds one. `release` removes
   * them immediately, so that what the cleanups would delete stays; `clean` runs the cleanups first. Objects that are being
   * deleted are cleaned up in both. @defaultValue none: handlers reconcile their objects
   */
  readonly drain?: DrainRule;
  /** Whether `req.event()` writes Event objects; false: it only logs. @defaultValue true */
  readonly events?: boolean;
  /** The address of the probes and metrics servers. @defaultValue all addresses, because the kubelet does not use loopback */
  readonly host?: string;
  /**
   * Elects one replica by a Lease; only that replica works. The others keep their caches up to date and take over. `true`:
   * with the default options. @defaultValue false: every replica works
   */
  readonly leaderElection?: LeaderElectionOptions | boolean;
  /**
   * Maximum time for a graceful stop, in milliseconds. Passes in progress have two thirds of it; then their signals are
   * aborted, and their posts and saves have a sixth. The rest is for runnables and the lease.
   * @defaultValue 30_000, the default of Kubernetes for a pod
   */
  readonly gracefulShutdownMs?: number;
  /**
   * Whether `run()` listens to its process. SIGINT and SIGTERM stop it gracefully; a second one ends it immediately with
   * exit code 128 + signal. A promise that is rejected and not handled is logged, and `run()` stops and rejects.
   * @defaultValue true
   */
  readonly signals?: boolean;
  /**
   * Maximum time for the first lists, in milliseconds; then the start fails. Kinds that the server does not serve are not
   * waited for. @defaultValue 120_000 (controller-runtime `CacheSyncTimeout`)
   */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * Maximum time after which a kind that the server does not serve is listed again, in milliseconds. An operator that may
   * watch CRDs lists it as soon as its CRD exists. @defaultValue 10_000
   */
  readonly kindRetryMs?: number;
  /**
   * The values that extensions share, for managers of one process that share them. Its owner disposes of it.
   * @defaultValue made for the manager, and disposed of at its end
   * @experimental
   */
  readonly shared?: Shared;
  /** Called, for tests, with each use of a kind through `req.client` that the handler does not declare. */
  readonly onUndeclared?: (use: UndeclaredUse) => void;
  /** The clock of everything in the manager. @defaultValue the system's */
  readonly clock?: Clock;
  /** The source of jitter. @defaultValue the system's */
  readonly random?: Random;
  /** Makes the id of each pass for logs and reports. @defaultValue random UUIDs */
  readonly newReconcileID?: () => string;
  /** Called after every pass. What it throws is logged. */
  readonly onPass?: (report: PassReport) => void;
}

/** Options of a dry run. */
export interface DryRunOptions {
  /** Called with each write that is not sent; a write that is repeated unchanged is reported once. */
  readonly onWrite?: (write: DryWrite) => void;
}

/** The address of a server. */
export interface ServerOptions {
  /** The port; 0: any free one, see `manager.addresses`. */
  readonly port?: number;
  /** The address to listen on. @defaultValue `host` of the manager; for debug 127.0.0.1 */
  readonly host?: string;
}

/** Options of the metrics server. */
export interface MetricsOptions extends ServerOptions {
  /** Serves HTTPS with these files, which are read again when they change. @defaultValue HTTP */
  readonly tls?: TlsFiles;
  /**
   * Restricts `/metrics` to callers with a bearer token that the API server accepts (TokenReview) and with the right to
   * `get` that path (SubjectAccessReview). Needs `tls`, unless it is served on loopback only. @defaultValue false
   */
  readonly authorize?: boolean;
  /**
   * `each`: the gauge `treadle_controller_condition` has one series for each condition of each object, so it grows with the
   * objects. @defaultValue only the number of objects for each condition, `treadle_objects`
   */
  readonly conditions?: "each";
}

/** The files of a serving certificate, in PEM. */
export interface TlsFiles {
  /** The path of the certificate chain. */
  readonly certFile: string;
  /** The path of the private key. */
  readonly keyFile: string;
}

/** The options that a client of the manager should be made with. */
export interface ManagerClientOptions {
  /** Counts and traces requests. */
  readonly onExchange: (exchange: Exchange) => void;
  /** Logs the warnings of the server. */
  readonly onWarning: (text: string) => void;
  /** The clock of the manager. */
  readonly clock: Clock;
  /** The random source of the manager. */
  readonly random: Random;
}
