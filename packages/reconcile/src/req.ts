/**
 * `req`: everything that a step may use in a pass. Each phase has its own type, with only the members that the phase may use.
 * A gate can only look, `cleanup` has no `stop` and no `vars`, and drafts exist only for the parts that the step declares.
 */
import type { Cache, EngineStatus, Kind, KubernetesObject, Mutable, ObjectOf, Ref, WriteOf } from "@treadle/apimachinery";
import type { DeleteOptions, ListOptions, Patch } from "@treadle/client";
import type { CleanupExit, Conditions, Exit } from "./condition.ts";
import type { ReadsOf } from "./reads.ts";
import type { Continue, Stop, Wait } from "./result.ts";

export type { Cache };

/** The client of a step reads and writes live. Its calls end with `req.signal`. A reference without a namespace means that of the primary. */
export interface ReqClient {
  /** Gets an object from the server, or `undefined` if it does not exist. */
  get<K extends Kind>(kind: K, ref: Ref | string): Promise<ObjectOf<K> | undefined>;
  /** Lists objects from the server. */
  list<K extends Kind>(kind: K, options?: Omit<ListOptions, "signal">): Promise<readonly ObjectOf<K>[]>;
  /** Creates an object. With `dryRun` the server checks the object and stores nothing. */
  create<K extends Kind>(kind: K, object: WriteOf<K>, options?: { readonly dryRun?: boolean }): Promise<ObjectOf<K>>;
  /** Replaces an object. With `metadata.resourceVersion` no change of another writer is lost (409 = a quiet requeue). */
  update<K extends Kind>(kind: K, object: WriteOf<K> | ObjectOf<K>): Promise<ObjectOf<K>>;
  /** Patches an object. */
  patch<K extends Kind>(
    kind: K,
    ref: Ref | string,
    patch: Patch,
    options?: { readonly subresource?: "status" | "scale" },
  ): Promise<ObjectOf<K>>;
  /**
   * Applies an object (server-side apply) as the field manager `<handler>/<unit>/<owner uid>`. `existing` is the object that the
   * ownership check saw. Its uid guards the write; `undefined` means "create only" (409 if another writer was faster).
   */
  apply<K extends Kind>(kind: K, object: object, options: ApplyOptions<K>): Promise<ObjectOf<K>>;
  /** Deletes an object. An object that does not exist is a success. */
  delete<K extends Kind>(kind: K, ref: Ref | string, options?: Omit<DeleteOptions, "signal">): Promise<void>;
}

/** These are the options of {@link ReqClient.apply}. */
export interface ApplyOptions<K extends Kind> {
  /** The object as it was read; `undefined` creates it. */
  readonly existing: ObjectOf<K> | undefined;
  /** The persistent name of the unit that applies the object. Fields that the unit stops applying are removed. @defaultValue the name of the step */
  readonly unit?: string;
  /** A former name of the handler, to release fields that were applied under it. @defaultValue the present name */
  readonly handlerName?: string;
}

/** A logger writes structured lines. Each line has the controller, object, reconcileID and step. */
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

/** This type is the draft of the status, without the fields that the engine keeps. */
export type StatusOf<T> = T extends { readonly status?: infer S } ? Mutable<Omit<NonNullable<S>, keyof EngineStatus>> : never;

/** This is the part of `req` that every phase has. */
export interface ReqBase<T extends KubernetesObject, D, C extends string, E> {
  /** The object as loaded; frozen, it never changes in a pass. */
  readonly object: T;
  /** The persistent name of the handler, for `ownership()` and owner labels. */
  readonly handlerName: string;
  /** The name of the handler, then its `formerNames`: for `ownership()`, so that objects with a former name are ours. */
  readonly handlerNames: readonly string[];
  /** Whether the pass is a dry run, in which a step must cause no side effects outside of the cluster. */
  readonly isDryRun: boolean;
  /** The values of the declared reads, fixed for the pass. */
  readonly reads: ReadsOf<D>;
  /** The caches of the kinds that the handler watches. A reference without a namespace means the namespace of the primary. */
  readonly cache: Cache;
  /** The setters of the conditions that the step declares. */
  readonly conditions: Conditions<C, E>;
  /** The log of the step, with the object and the step in each line. */
  readonly log: Logger;
  /** Returns the time of the clock. */
  now(): Date;
  /**
   * Ends the chain. The next pass starts when a read of the step changes, after `afterMs`, or with the waiting backoff (50 ms
   * doubling to 10 s). 0 means at once; after ten passes in a row that wrote nothing but the status it means the backoff.
   */
  wait(reason: string, afterMs?: number): Wait;
}

/** The `req` of a gate. Gates are called in list order before anything is written, also in deletion passes. They are synchronous. */
export interface GateReq<T extends KubernetesObject, D = {}, C extends string = never> extends ReqBase<T, D, C, Exit> {
  /** Ends the chain. The next pass starts by an event. */
  stop(reason: string): Stop;
}

/** This is the part of `req` that `do`, `cleanup` and `post` have. */
export interface ActiveReq<T extends KubernetesObject, D, C extends string, St, E, M = {}> extends ReqBase<T, D, C, E> {
  /** The client of the step; its calls end at the deadline. */
  readonly client: ReqClient;
  /** A signal that ends at the deadline of the step (30 s by default) or of the pass (2 min), or at shutdown. */
  readonly signal: AbortSignal;
  /** The draft of the status; `req.object` does not show its changes. `null` removes a field. */
  readonly status: StatusOf<T>;
  /** The state of the step, stored between passes. It starts as the parsed `{}` of the step's `state` schema. */
  readonly state: St;
  /**
   * The memory of the step for this object, in this process; `memory` of the step makes it. It is dropped with the uid of the object,
   * by the annotation `treadle.dev/reconcile-requested-at`, and after each pass of a dry run. @throws TypeError in a step without `memory`
   */
  readonly memory: M;
  /**
   * Records an event of the object. It is not awaited and never fails. Values of Secrets in `note` are hidden. Repeated events
   * become one event with a count. @throws TypeError when `reason` is not in the `events` of the step
   */
  event(type: "Normal" | "Warning", reason: string, note: string): void;
  /** Asks for another pass after `afterMs` milliseconds at the latest (0 as in `wait`), without ending the chain. The earliest request decides. */
  revisit(afterMs: number, reason: string): void;
  /**
   * Saves status, state, drafts and the conditions set so far, before a side effect. Ready and observedGeneration are not saved.
   * A checkpoint with no changes sends no request and therefore guards nothing: change the state before each side effect, for
   * example by counting attempts.
   * @throws if it is not stored. The side effect must not happen then, and the pass has failed even if the step continues.
   */
  checkpoint(): Promise<void>;
}

/** The drafts of the parts that the step declares in `writes`. No other part of the object can be written. */
export type Drafts<T, W extends string> = {
  readonly [K in W]: K extends "spec" ? (T extends { readonly spec: infer S } ? Mutable<S> : never) : Record<string, string>;
};

/** The `req` of `do`, with the drafts that the step declares. */
export type Req<T extends KubernetesObject, V extends object, D, C extends string, St = {}, W extends string = never, M = {}> = DoReq<
  T,
  V,
  D,
  C,
  St,
  M
> &
  Drafts<T, W>;

/** The `req` of `do`, without drafts. */
export interface DoReq<T extends KubernetesObject, V extends object = {}, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, Exit, M> {
  /** The vars of the steps in `needs`. */
  readonly vars: V;
  /** Continues with the next step. */
  next(): Continue<{}>;
  /** Continues with the next step, which gets `vars`. */
  next<P extends object>(vars: P): Continue<P>;
  /** Ends the chain and schedules nothing; any event runs a normal pass. */
  stop(reason: string): Stop;
  /**
   * Adds our finalizer now, in a step with `finalizer: "on-demand"`. Does nothing if the object has it.
   * @throws if the object is being deleted: the step must create nothing for it.
   */
  holdFinalizer(): Promise<void>;
}

/** The `req` of `cleanup`. It has no `stop`, which would keep the finalizer forever, and no `vars`, because no `do` runs in a deletion pass. */
export interface CleanupReq<T extends KubernetesObject, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, CleanupExit, M> {}

/** The outcome says how the chain of `do` or `cleanup` ended. */
export type Outcome =
  | { readonly type: "done" }
  | { readonly type: "wait" | "stop"; readonly step: string; readonly reason: string }
  | { readonly type: "failed"; readonly step: string; readonly error: unknown };

/** The `req` of `post`. */
export interface PostReq<T extends KubernetesObject, V extends object = {}, D = {}, C extends string = never, St = {}, M = {}>
  extends ActiveReq<T, D, C, St, CleanupExit, M> {
  /** The chain that ran before the post. */
  readonly phase: "do" | "cleanup";
  /** The vars of the steps that ran; the vars of other steps are absent. */
  readonly vars: Partial<V>;
  /** The outcome of the chain. */
  readonly outcome: Outcome;
}
