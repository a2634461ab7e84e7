/**
 * Req: everything a step may use in a pass, for each phase its own type. Only what a phase may do is there:
 * a gate looks, `cleanup` has no `stop` and no `vars`, drafts exist only for what the step said it writes.
 */
import type { Cache, EngineStatus, Kind, KubernetesObject, Mutable, ObjectOf, Ref, WriteOf } from "@treadle/apimachinery";
import type { DeleteOptions, ListOptions, Patch } from "@treadle/client";
import type { CleanupExit, Conditions, Exit } from "./condition.ts";
import type { ReadsOf } from "./reads.ts";
import type { Continue, Stop, Wait } from "./result.ts";

export type { Cache };

/** Live reads and writes. Calls end with `req.signal`; a namespaced kind without a namespace means the primary's. */
export interface ReqClient {
  /** Gets an object from the server; undefined if it does not exist. */
  get<K extends Kind>(kind: K, ref: Ref | string): Promise<ObjectOf<K> | undefined>;
  /** Lists objects from the server. */
  list<K extends Kind>(kind: K, options?: Omit<ListOptions, "signal">): Promise<readonly ObjectOf<K>[]>;
  /** Creates an object. */
  create<K extends Kind>(kind: K, object: WriteOf<K>): Promise<ObjectOf<K>>;
  /** Replaces; give it an object with `metadata.resourceVersion`, so that nobody's change is lost (409 = a quiet requeue). */
  update<K extends Kind>(kind: K, object: WriteOf<K> | ObjectOf<K>): Promise<ObjectOf<K>>;
  /** Patches an object. */
  patch<K extends Kind>(
    kind: K,
    ref: Ref | string,
    patch: Patch,
    options?: { readonly subresource?: "status" | "scale" },
  ): Promise<ObjectOf<K>>;
  /**
   * Server-side apply as the field manager `<handler>/<unit>/<owner uid>`. `existing` is what the ownership check saw: its
   * uid guards the write, and `undefined` means "create only" (409 when another writer was faster).
   */
  apply<K extends Kind>(kind: K, object: object, options: ApplyOptions<K>): Promise<ObjectOf<K>>;
  /** An object that is gone is a success. */
  delete<K extends Kind>(kind: K, ref: Ref | string, options?: Omit<DeleteOptions, "signal">): Promise<void>;
}

/** Options of {@link ReqClient.apply}. */
export interface ApplyOptions<K extends Kind> {
  /** The object as it was read; `undefined`: create it. */
  readonly existing: ObjectOf<K> | undefined;
  /** Persistent name of what the step keeps by this apply. Fields that the unit stops applying are removed. @defaultValue the name of the step */
  readonly unit?: string;
  /** A former name of the handler, to give up what was applied under it. @defaultValue the present name */
  readonly handlerName?: string;
}

/** Structured log lines; carries controller, object, reconcileID and step. */
export interface Logger {
  /** Logs at the level debug. */
  debug(data: object, text: string): void;
  /** Logs at the level info. */
  info(data: object, text: string): void;
  /** Logs at the level warn. */
  warn(data: object, text: string): void;
  /** Logs at the level error. */
  error(data: object, text: string): void;
}

/** The draft of the status: everything but what the engine keeps there. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? Mutable<Omit<NonNullable<S>, keyof EngineStatus>> : never;

/** What every phase has. */
export interface ReqBase<T extends KubernetesObject, D, C extends string, E> {
  /** As loaded; frozen, never changes in a pass. */
  readonly object: T;
  /** The persistent name of the handler, for `ownership()` and owner labels. */
  readonly handlerName: string;
  /** The same, followed by its `formerNames`: for `ownership()`, so that what was made under one of them counts as ours. */
  readonly handlerNames: readonly string[];
  /** The operator only shows what it would write: what a step does outside of the cluster must not be done. */
  readonly isDryRun: boolean;
  /** The step's declared reads, fixed for the pass. */
  readonly reads: ReadsOf<D>;
  /** Reads from the caches. A reference to a namespaced kind without a namespace means the namespace of the primary. */
  readonly cache: Cache;
  /** The setters of the conditions that the step declares. */
  readonly conditions: Conditions<C, E>;
  /** The log of the step, with the object and the step in each line. */
  readonly log: Logger;
  /** Returns the time of the clock. */
  now(): Date;
  /**
   * Ends the chain; the step's reads, `afterMs`, or the waiting curve (50 ms doubling to 10 s) start the next pass. 0 is at
   * once; after ten passes in a row that wrote nothing but the status it is the curve.
   */
  wait(reason: string, afterMs?: number): Wait;
}

/** Asked in list order in both kinds of pass, before anything is written; synchronous, so it can only look. */
export interface GateReq<T extends KubernetesObject, D = {}, C extends string = never> extends ReqBase<T, D, C, Exit> {
  /** Ends the chain with a reason; no pass follows before a change. */
  stop(reason: string): Stop;
}

/** What `do`, `cleanup` and `post` have. */
export interface ActiveReq<T extends KubernetesObject, D, C extends string, St, E, M = {}> extends ReqBase<T, D, C, E> {
  /** The client, with the deadline and the rights of the step. */
  readonly client: ReqClient;
  /** Ends at the step's deadline (30 s by default), at the pass's (2 min), or at shutdown. */
  readonly signal: AbortSignal;
  /** The draft of the status; the only place where changes of it show. `null` in it means removal. */
  readonly status: StatusOf<T>;
  /** Remembered between passes; starts as the parsed `{}` of the step's `state` schema. */
  readonly state: St;
  /**
   * What the step remembers of the object in this process; made by its `memory`. Dropped with the uid of the object and by the annotation
   * `treadle.dev/reconcile-requested-at`; a dry run drops it after each pass. @throws TypeError in a step without `memory`
   */
  readonly memory: M;
  /**
   * Records an event of the object, for people who look at it; never awaited, never fails. Secrets in `note` are hidden, and
   * many of one kind become one with a count. @throws TypeError when `reason` is not in the `events` of the step
   */
  event(type: "Normal" | "Warning", reason: string, note: string): void;
  /** Asks for another pass at the latest after `afterMs` (0 as in `wait`); does not end the chain; the earliest of all wins. */
  revisit(afterMs: number, reason: string): void;
  /**
   * Saves status, state and drafts now: the write-ahead of what must be known before a side effect. Of the conditions
   * only those set so far, neither Ready nor observedGeneration.
   * Sends nothing where nothing is new, and is no guard then: change the state before each side effect, e.g. count the tries.
   * @throws when it is not stored: the side effect must not happen, and the pass has failed even if the step goes on.
   */
  checkpoint(): Promise<void>;
}

/** Drafts of what the step said it writes; nothing else of the object can be written. */
export type Drafts<T, W extends string> = {
  readonly [K in W]: K extends "spec" ? (T extends { readonly spec: infer S } ? Mutable<S> : never) : Record<string, string>;
};

/** `req` of `do`. */
export type Req<T extends KubernetesObject, V extends object, D, C extends string, St = {}, W extends string = never, M = {}> = DoReq<
  T,
  V,
  D,
  C,
  St,
  M
> &
  Drafts<T, W>;

/** The request in the phase `do`. */
export interface DoReq<T extends KubernetesObject, V extends object = {}, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, Exit, M> {
  /** What earlier steps handed over. */
  readonly vars: V;
  /** Continues with the next step. */
  next(): Continue<{}>;
  /** Continues with the next step, which gets `vars`. */
  next<P extends object>(vars: P): Continue<P>;
  /** Ends the chain and schedules nothing; any event runs a normal pass. */
  stop(reason: string): Stop;
  /**
   * Takes our finalizer now (steps with `finalizer: "on-demand"`); does nothing when it is there.
   * @throws when the object is being deleted: nothing may be made for it any more.
   */
  holdFinalizer(): Promise<void>;
}

/** `req` of `cleanup`: no `stop` (it would leave the finalizer for ever) and no `vars` (no `do` runs in a deletion pass). */
export interface CleanupReq<T extends KubernetesObject, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, CleanupExit, M> {}

/** How the chain of `do`s or `cleanup`s ended. */
export type Outcome =
  | { readonly type: "done" }
  | { readonly type: "wait" | "stop"; readonly step: string; readonly reason: string }
  | { readonly type: "failed"; readonly step: string; readonly error: unknown };

/** `req` of `post`. */
export interface PostReq<T extends KubernetesObject, V extends object = {}, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, CleanupExit, M> {
  /** The chain that ran before the post. */
  readonly phase: "do" | "cleanup";
  /** The vars of the steps that ran; those of others are absent. */
  readonly vars: Partial<V>;
  /** The outcome of the chain. */
  readonly outcome: Outcome;
}
