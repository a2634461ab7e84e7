/**
 * What a manager is told. Everything has a default that is right in a cluster. What is not code can be set from outside of
 * the program, too (docs/operations.md, "Settings"): the environment wins over the file, and that over what is said here.
 */
import type { Clock, Random } from "@treadle/apimachinery";
import type { Client, ClusterConfig, Exchange } from "@treadle/client";
import type { DrainRule, Logger, UndeclaredUse } from "@treadle/reconcile";
import type { DryWrite } from "./dry-run/dry-write.ts";
import type { LeaderElectionOptions } from "./leader-election/options.ts";
import type { CachedKind } from "./cached.ts";
import type { LogOptions } from "./log.ts";
import type { PassReport } from "./controller-options.ts";

export interface ManagerOptions {
  /** A file of YAML or JSON with settings, read at the start. `TREADLE_CONFIG` names another. @defaultValue none */
  readonly configFile?: string;
  /** Where the variables `TREADLE_...` are looked for; `{}`: nothing is set by them. @defaultValue `process.env` */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** How many passes of each controller at once, where `add` does not say it. @defaultValue 5 */
  readonly concurrency?: number;
  /** How often every object gets a pass, see `ControllerOptions`, where `add` does not say it. @defaultValue 36_000_000 (10 h) */
  readonly resyncMs?: number | false;
  /**
   * The client, which the manager then does not close; or how to make one, which it closes. One that is made with the
   * given `onExchange` counts in `rest_client_requests_total`.
   * @defaultValue `connect()`, when the manager starts
   */
  readonly client?: Client | ((given: ClientWish) => Client | Promise<Client>);
  /** Where to connect to. @defaultValue what `loadConfig()` of `@treadle/client` finds */
  readonly config?: ClusterConfig;
  /** The namespaces that are watched; see `manager.setNamespaces`. @defaultValue all */
  readonly namespaces?: readonly string[];
  /** What of which kinds is cached: `[cached(Pod, { labelSelector: { app: "web" } })]`. @defaultValue all but managedFields */
  readonly cache?: readonly CachedKind[];
  /** @defaultValue JSON lines on standard output by pino */
  readonly log?: Logger;
  /** Level of the default log. @defaultValue `TREADLE_LOG_LEVEL`, else `LOG_LEVEL`, else "info" */
  readonly logLevel?: NonNullable<LogOptions["level"]>;
  /** `/healthz` and `/readyz`. @defaultValue port 8081 */
  readonly probes?: ServerOptions | false;
  /** `/metrics`. @defaultValue port 8080 */
  readonly metrics?: MetricsOptions | false;
  /**
   * `/debug` on loopback: queues, informers, last errors, heap snapshot, CPU profile. Who can reach it can read the memory
   * of the process. `true`: on port 6060. @defaultValue false
   */
  readonly debug?: ServerOptions | boolean;
  /**
   * Passes run, and nothing of what they would write is sent: each write is a line of the log, told once, and `onWrite` hears
   * of it. No leader is elected, and no event is written. See docs/operations.md. @defaultValue false
   */
  readonly dryRun?: boolean | DryRunOptions;
  /**
   * The operator goes: its handlers only take their finalizers off, and `run()` ends when no object holds one, so that it can be removed and
   * nothing hangs. `release`: of objects that live on at once, and what their cleanups would remove stays; `clean`: after
   * their cleanups. Objects that are being deleted are cleaned up in both. @defaultValue it works
   */
  readonly drain?: DrainRule;
  /** Whether `req.event()` writes objects of kind Event, or only lines of the log. @defaultValue true */
  readonly events?: boolean;
  /** Address on which probes and metrics are served. @defaultValue all: the kubelet is not on this machine's loopback */
  readonly host?: string;
  /**
   * Only one replica works, by a Lease; the others keep their caches up to date and take over. `true`: with the defaults.
   * @defaultValue false: every replica works
   */
  readonly leaderElection?: LeaderElectionOptions | boolean;
  /**
   * How long stopping may take in milliseconds. Passes in progress have two thirds of it to finish, then their signal
   * is aborted, and a sixth is for their posts and saves; the rest is for runnables and the lease.
   * @defaultValue 30_000, as Kubernetes gives a pod
   */
  readonly gracefulShutdownMs?: number;
  /**
   * Whether `run()` listens to its process: SIGINT and SIGTERM stop it gracefully, the second of them at once with exit
   * code 128 + signal; a promise that was rejected and not handled is logged, stops it and makes `run()` reject.
   * @defaultValue true
   */
  readonly signals?: boolean;
  /**
   * How long the first lists may take before the start fails, in milliseconds. Kinds that are not installed are not waited
   * for. @defaultValue 120_000 (controller-runtime `CacheSyncTimeout`)
   */
  readonly cacheSyncTimeoutMs?: number;
  /**
   * A kind that the server does not serve is asked for again within so many milliseconds; at once where the operator may
   * watch CRDs. @defaultValue 10_000
   */
  readonly kindRetryMs?: number;
  /** Told, for tests, of each use of a kind through `req.client` that nothing in the handler declares. */
  readonly onUndeclared?: (use: UndeclaredUse) => void;
  /** @defaultValue the system's */
  readonly clock?: Clock;
  /** For jitter. @defaultValue the system's */
  readonly random?: Random;
  /** Names a pass in logs. @defaultValue random UUIDs */
  readonly reconcileID?: () => string;
  /** Told of every pass when it is over. What it throws is logged. */
  readonly onPass?: (report: PassReport) => void;
}

export interface DryRunOptions {
  /** Told of every write that is not sent, once as long as it stays the same. */
  readonly onWrite?: (write: DryWrite) => void;
}

export interface ServerOptions {
  /** 0 for any free one, see `manager.addresses`. */
  readonly port?: number;
  readonly host?: string;
}

export interface MetricsOptions extends ServerOptions {
  /** Serves HTTPS; the files are read again when they change. @defaultValue HTTP */
  readonly tls?: TlsFiles;
  /**
   * Only for callers with a bearer token that the API server knows (TokenReview) and that may `get` the path `/metrics`
   * (SubjectAccessReview). Needs `tls`, unless it is served on loopback only. @defaultValue false: for everybody
   */
  readonly authorize?: boolean;
}

/** Files in PEM. */
export interface TlsFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** What a client that belongs to the manager should be made with. */
export interface ClientWish {
  readonly onExchange: (exchange: Exchange) => void;
  /** Logs what the server warns of. */
  readonly onWarning: (text: string) => void;
  readonly clock: Clock;
  readonly random: Random;
}

/** What a runnable is given of its manager. */
export interface RunnableEnv {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** Something else that lives as long as the operator. */
export interface Runnable {
  /** For messages. */
  readonly name?: string;
  /**
   * Called in the order in which they were added, after the caches have synced and before the first pass; awaited, so
   * begin long work here and return. `signal` is aborted when the manager begins to stop, and then the start is not
   * awaited any more.
   */
  start(signal: AbortSignal, env: RunnableEnv): void | Promise<void>;
  /** Called in reverse order, after the last pass. */
  stop?(): void | Promise<void>;
  /**
   * False: it runs in every replica, from when the caches have synced. Otherwise, with leader election, it begins when
   * this replica becomes the leader. @defaultValue true
   */
  readonly needsLeader?: boolean;
}
