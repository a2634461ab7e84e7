/** What the programs of the fault suite say to each other, as JSON between processes. */

/** An object in one of its states; `version` is its resourceVersion. */
export interface State {
  /** `namespace/name` */
  readonly key: string;
  readonly uid: string;
  readonly version: string;
}

export type KindName = "Widget" | "ConfigMap" | "Secret";

/** What an operator saw, in the order in which it saw it. */
export type Seen =
  | (State & { readonly type: "event"; readonly kind: KindName; readonly event: "added" | "updated" | "deleted" })
  /** A pass, and what it read; null: that there is none. */
  | (State & { readonly type: "pass"; readonly ConfigMap: State | null; readonly Secret: State | null });

/** Everything that its informers hold. */
export type Dump = Readonly<Record<KindName, readonly State[]>>;

export interface Stats {
  readonly rssMb: number;
  readonly heapMb: number;
  /** Open files and sockets; undefined where the system does not tell. */
  readonly files: number | undefined;
  readonly sockets: number;
  readonly timers: number;
  readonly passes: number;
  readonly failures: number;
}

export type FromOperator =
  | { readonly type: "ready" }
  | { readonly type: "seen"; readonly seen: readonly Seen[] }
  | { readonly type: "dump"; readonly dump: Dump }
  | { readonly type: "stats"; readonly stats: Stats };

export type ToOperator =
  | { readonly type: "dump" }
  | { readonly type: "stats" }
  /** The wall clock of its machine is set by so much. */
  | { readonly type: "jump"; readonly ms: number }
  /** The next pass does not let go of the thread for so long. */
  | { readonly type: "block"; readonly ms: number };

/** What is wrong on purpose: each is to be found by the auditor. */
export type Defect = "drops an event" | "loses deletions" | "invents an event" | "goes backwards" | "never comes back" | "forgets to act";

export interface OperatorOptions {
  readonly server: string;
  readonly token: string | undefined;
  /** PEM; the connection is HTTP/2 then. */
  readonly ca: string | undefined;
  readonly namespace: string;
  /** By how much its clock is faster than the real one. */
  readonly speed: number;
  readonly defect: Defect | undefined;
}

export interface AuditorOptions {
  readonly server: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  readonly namespace: string;
}

export type ToAuditor =
  | { readonly type: "seen"; readonly seen: readonly Seen[] }
  | { readonly type: "dump"; readonly dump: Dump }
  /** Our own write was answered: the object has this state. */
  | { readonly type: "wrote"; readonly kind: KindName; readonly state: State }
  /** From now on the operator is to recover. */
  | { readonly type: "fault over" }
  /** Nobody writes any more but the operator: within this time everything has to be right. */
  | { readonly type: "rest"; readonly withinMs: number };

export type FromAuditor =
  | { readonly type: "ready" }
  /** The operator's informers are to be shown. */
  | { readonly type: "dump" }
  | { readonly type: "verdict"; readonly verdict: Verdict };

export interface Verdict {
  readonly problems: readonly string[];
  /** The longest from a change, or the end of the fault where that was later, until it was seen; and what that was. */
  readonly recoveryMs: number;
  readonly slowest: string;
  readonly changes: number;
  readonly passes: number;
  /** Of what was seen, so much was of a time when the auditor was cut off from the server: known to be of no other. */
  readonly unverified: number;
  /** By how much this process was late at most. */
  readonly lateMs: number;
}
