/** The environment of passes. A controller or a test environment makes it. */
import type { Clock, Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Fetches } from "./fetches.ts";
import type { KindWatches } from "./kind-watch.ts";
import type { MetricLabels } from "./metric.ts";
import type { PhaseReport } from "./pass-result.ts";
import type { Cache, Logger } from "./req.ts";
import type { Shared } from "./shared.ts";

/** An event note is an event of the primary that a step records by `req.event()`. */
export interface EventNote {
  /** The type of the event. */
  readonly type: "Normal" | "Warning";
  /** The reason, one that the step declares. */
  readonly reason: string;
  /** The text of the event. */
  readonly note: string;
  /** The step that recorded it. */
  readonly action: string;
  /** Whether the engine has logged what the event reports. @defaultValue false */
  readonly isLogged?: boolean;
}

/** An undeclared use is a request of a step for a kind that its handler does not declare. No event of the kind triggers a pass, and no right follows. */
export interface UndeclaredUse {
  /** The name of the handler. */
  readonly handler: string;
  /** The name of the step. */
  readonly step: string;
  /** The verb of the call. */
  readonly verb: "get" | "list";
  /** `kind.group` */
  readonly kind: string;
}

/** This is a phase of a step that has begun. */
export interface RunningPhase {
  /** The name of the step. */
  readonly step: string;
  /** The phase that runs. */
  readonly phase: "gate" | "do" | "cleanup" | "post";
  /** The name and namespace of the object. */
  readonly ref: Ref;
}

/** A phase watch observes one phase, for traces or to find steps that block the event loop. It must be quick and must not throw. */
export interface PhaseWatch {
  /** Runs `work` in a context. It must call `work` once, synchronously, and return its result. */
  run?<T>(work: () => T): T;
  /** Called when the phase yields for the first time, or ends. */
  returned(): void;
  /** Called when the phase ends, with its result. */
  ended(how: Pick<PhaseReport, "result" | "reason">): void;
}

/** The rule by which an operator that is removed releases objects that are not deleted; see {@link ReconcilerEnv.drain}. */
export type DrainRule = "release" | "clean";

/** The services and caches that passes use. */
export interface ReconcilerEnv {
  /** The client of the passes. */
  readonly client: Client;
  /**
   * Makes a client of another cluster obey the rule of {@link ReconcilerEnv.client}: no write is sent without the leadership, and writes
   * under way are aborted at its end. It must keep no client. @defaultValue writes are not checked
   */
  fenced?(client: Client): Client;
  /** The cache. It must know the primary kind and every kind that the handler declares; its objects are frozen. */
  readonly cache: Cache;
  /** The clock of the passes. */
  readonly clock: Clock;
  /** The log of the passes. */
  readonly log: Logger;
  /**
   * Whether the pass is a dry run. The client answers as if it wrote, but writes nothing. No later pass may rely on its
   * answers, and side effects outside of the cluster are not done. @defaultValue false
   */
  readonly isDryRun?: boolean;
  /**
   * Uninstall mode: no `do` runs, and each object loses our finalizer. `release`: at once, so the objects that the cleanups would
   * remove stay. `clean`: after the cleanups. Objects that are being deleted are cleaned up in both. @defaultValue not uninstalling
   */
  readonly drain?: DrainRule;
  /** Called after every write of the primary, so that the next pass does not see an older version. */
  observeWrite?(object: KubernetesObject): void;
  /**
   * Called before each write of the primary; the returned function is called after the answer was observed. So an echo on the
   * watch that arrives before the answer is recognised.
   */
  expectWrite?(ref: Ref): () => void;
  /** Called after every write of another object through `req.client`, so that reads of the next pass show it. */
  observeOther?(kind: Kind, object: KubernetesObject): void;
  /** Called after a delete through `req.client` removed another object, so that reads of the next pass do not show it. */
  observeOtherDelete?(kind: Kind, ref: Ref, uid: string): void;
  /** Called when our write removed the primary. */
  observeDelete?(object: KubernetesObject): void;
  /** The fetched objects of kinds that are cached as metadata, shared by reconcilers that share a cache. @defaultValue not shared */
  readonly fetches?: Fetches;
  /** The values that extensions share, for reconcilers of one operator. Its owner disposes of it. @defaultValue not shared, and never disposed of */
  readonly shared?: Shared;
  /** Whether the server is known to serve the kind. Steps that read or own a kind that is not served wait. @defaultValue every kind is served */
  isServed?(kind: Kind): boolean;
  /**
   * Whether the selectors of the cache select `object`, as the server has it. An object that they leave out exists, but the cache
   * does not show it. @defaultValue every object is selected
   */
  isSelected?(kind: Kind, object: KubernetesObject): boolean;
  /**
   * Why the server refuses the watch of the kind, and which right is missing. Steps that read or own the kind wait with the reason
   * `Forbidden`, because the cached objects may be outdated. @defaultValue no watch is refused
   */
  refusalOf?(kind: Kind): string | undefined;
  /** The watches of kinds that are known only at run time. @defaultValue none: `req.watch` throws */
  readonly watches?: KindWatches;
  /** Triggers a pass of the primary `key` at once; it must not throw. @defaultValue nothing is triggered */
  wake?(key: string, cause: string): void;
  /** Called, in tests, when a step uses a kind through `req.client` that the handler does not declare. */
  undeclared?(use: UndeclaredUse): void;
  /** Records an event about the object; it must not throw. */
  recordEvent?(object: KubernetesObject, event: EventNote): void;
  /**
   * Adds to a counter or an object gauge of an extension, sets a gauge, or adds a duration in seconds to a histogram, with the values of the
   * labels that it defines; it must not throw. @defaultValue nothing is measured
   */
  measure?(metric: string, labels: MetricLabels, value: number): void;
  /** Called when a phase begins; the returned observer is called when it ends. */
  phaseBegan?(phase: RunningPhase): PhaseWatch | undefined;
}
