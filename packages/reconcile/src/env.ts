/** What passes run against: given by the controller in an operator, by a test in a test. */
import type { Clock, Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Fetches } from "./fetches.ts";
import type { PhaseReport } from "./pass-result.ts";
import type { Cache, Logger } from "./req.ts";

/** What `req.event()` records. */
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

/** A step asked the server for a kind that its handler neither reads, owns nor watches: no event wakes it, no rule allows it. */
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

/** A phase of a step that has begun. */
export interface RunningPhase {
  /** The name of the step. */
  readonly step: string;
  /** The phase that runs. */
  readonly phase: "gate" | "do" | "cleanup" | "post";
  /** The name and namespace of the object. */
  readonly ref: Ref;
}

/** Whoever looks for steps that do not give way, or traces. It must be quick and must not throw. */
export interface PhaseWatch {
  /** Called instead of `work`; calls it once, at once, and returns what it returns: to put it into a context. */
  run?<T>(work: () => T): T;
  /** The phase gave way for the first time, or is over. */
  returned(): void;
  /** The phase is over, and how it ended. */
  ended(how: Pick<PhaseReport, "result" | "reason">): void;
}

/** By which rule objects that live on are let go when the operator is removed; see {@link ReconcilerEnv.drain}. */
export type DrainRule = "release" | "clean";

/** What passes run against. */
export interface ReconcilerEnv {
  /** The client of the passes. */
  readonly client: Client;
  /** Must know the primary kind and every kind that the handler declares; its objects are frozen. */
  readonly cache: Cache;
  /** The clock of the passes. */
  readonly clock: Clock;
  /** The log of the passes. */
  readonly log: Logger;
  /**
   * Nothing is really written: the client answers as if it were. No later pass may believe what it answers, and what a step
   * might do outside of the cluster is not done. @defaultValue false
   */
  readonly isDryRun?: boolean;
  /**
   * The operator goes: no `do` runs, and each object loses our finalizer. `release`: at once, so what the cleanups of an object that
   * lives on would remove stays; `clean`: after its cleanups. Objects that are being deleted are cleaned up in both. @defaultValue neither
   */
  readonly drain?: DrainRule;
  /** Told of every write of the primary, so that the next pass does not see an older one. */
  observeWrite?(object: KubernetesObject): void;
  /**
   * Told before each write of the primary; what it returns is called when the answer is there and observed. So an echo
   * that overtakes the answer on the watch is recognised as one.
   */
  expectWrite?(ref: Ref): () => void;
  /** Told of every write of another object through `req.client`, so that reads of the next pass show it. */
  observeOther?(kind: Kind, object: KubernetesObject): void;
  /** Told when a delete through `req.client` removed another object: reads of the next pass do not show it. */
  observeOtherDelete?(kind: Kind, ref: Ref, uid: string): void;
  /** Told when our write removed the primary. */
  observeDelete?(object: KubernetesObject): void;
  /** The fetched objects of kinds that are cached as metadata; shared by reconcilers that share a cache. @defaultValue its own */
  readonly fetches?: Fetches;
  /** Whether the server serves the kind, as far as is known: steps that read or own one that it does not serve wait. @defaultValue all */
  isServed?(kind: Kind): boolean;
  /**
   * Whether `object`, as the server has it, is one that the cache shows: with selectors it may exist and be in no cache.
   * @defaultValue it is
   */
  isSelected?(kind: Kind, object: KubernetesObject): boolean;
  /**
   * Why the server refuses the watch of the kind, and what to allow: steps that read or own it wait, with the reason
   * `Forbidden`, instead of working with what was known before. @defaultValue none is refused
   */
  refusalOf?(kind: Kind): string | undefined;
  /** Told, for tests, of a use of a kind through `req.client` that nothing in the handler declares. */
  undeclared?(use: UndeclaredUse): void;
  /** Records an event about the object; it must not throw. */
  recordEvent?(object: KubernetesObject, event: EventNote): void;
  /** Told of each phase when it begins, and through what it returns. */
  phaseBegan?(phase: RunningPhase): PhaseWatch | undefined;
}
