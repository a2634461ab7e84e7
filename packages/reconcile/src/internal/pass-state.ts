/** Everything that one pass knows and changes. Made anew for each pass; nothing in it outlives the pass but `memory`. */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import type { PhaseReport } from "../pass-result.ts";
import { Fetches } from "../fetches.ts";
import type { AnyRead } from "../reads.ts";
import type { ReconcilerEnv } from "../env.ts";
import type { Logger, Outcome } from "../req.ts";
import type { PassType, Progress, Setting } from "./compute-conditions.ts";
import { Draft, type Taken } from "./drafts.ts";
import { type Change, Heartbeats, materialChanges } from "./material.ts";
import { type Misuse, misuse } from "./misuse.ts";
import type { NotStored } from "./not-stored.ts";
import type { Pipeline } from "./pipeline.ts";
import type { Failure, WaitingCurve, Wish } from "./requeue.ts";
import type { Held } from "./resolve.ts";
import { parseState, storedState } from "./state.ts";
import type { StatusPace } from "./status-pace.ts";
import type { StepRuntime } from "./step-runtime.ts";
import type { NewEntry } from "../steps/dependent-apply/core/entries.ts";
import { PrimaryGone, type QuietRequeue, Writer } from "./writer.ts";

/** What is remembered of a key between passes, in this process only; dropped when the uid changes. */
export interface KeyMemory {
  readonly uid: string | undefined;
  /** What the object said in {@link RECONCILE_REQUESTED_ANNOTATION}: with another value everything here starts anew. */
  readonly request: string | undefined;
  /** The spec was checked against the schema at this generation. */
  checked: { readonly generation: number | undefined; readonly problems: readonly string[] } | undefined;
  readonly waiting: WaitingCurve;
  /** What steps wrote through `req.client` in the last pass; the same again is no progress. */
  written: ReadonlySet<string>;
  /** What the server did not store of our last status write: asking for it again would change nothing. */
  notStored: NotStored | undefined;
  /** What was written into the status last, and how often in a row. */
  statusPace?: StatusPace;
  readonly heartbeats: Heartbeats;
  /** When this process saw the object first, by `clock.elapsed()`. */
  readonly sinceMs: number;
  /** When what was found under a former name of the handler got the present one, by `clock.elapsed()`. */
  claimedAtMs?: Map<string, number>;
  /** The fetched objects that the last pass's reads named. */
  fetched: ReadonlyMap<string, Held>;
  /** What `dependentApply()` remembers of its objects, by step. */
  dependents?: Map<string, unknown>;
}

/** Shared: an empty set or map is 200 bytes, and most objects would have several. */
export const NOTHING_WRITTEN: ReadonlySet<string> = new Set();
export const NOTHING_FETCHED: ReadonlyMap<string, Held> = new Map();

/** What is remembered of an object that was never seen. */
export function newMemory(
  uid: string | undefined,
  { request, sinceMs = -Infinity }: Partial<Pick<KeyMemory, "request" | "sinceMs">> = {},
): KeyMemory {
  return {
    uid,
    request,
    sinceMs,
    checked: undefined,
    waiting: { reason: "", attempts: 0, inVain: 0 },
    written: NOTHING_WRITTEN,
    notStored: undefined,
    heartbeats: new Heartbeats(),
    fetched: NOTHING_FETCHED,
  };
}

/** What all drafts ask for at one moment. */
export interface Intents {
  readonly status: Taken;
  readonly labels: Taken;
  readonly annotations: Taken;
  readonly spec: Taken;
  readonly states: ReadonlyMap<StepRuntime, Taken>;
}

/** By name of the step. */
export interface DependentFindings {
  readonly entries: Map<string, readonly NewEntry[]>;
  readonly live: Map<string, KubernetesObject | undefined>;
  /** Those whose objects are wanted no more, and still there. */
  readonly unwanted: Set<string>;
}

/** The state of one step: what it may change, and what the object holds of it. */
export interface StepState {
  readonly draft: Draft;
  /** As it stands in the object, for finding out that somebody else changed it. */
  stored: unknown;
}

export class Pass {
  readonly pipeline: Pipeline;
  readonly env: ReconcilerEnv;
  readonly object: KubernetesObject;
  readonly memory: KeyMemory;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly writer: Writer;
  /** Cleanups run, and not `do`s: the object is being deleted, or the operator goes. */
  readonly isDeleting: boolean;
  /** Our finalizer is taken off an object that lives on. */
  readonly isDraining: boolean;
  /** When the chain must be over, in the clock's milliseconds. */
  readonly endsAtMs: number;

  /** What the steps so far handed over; frozen, replaced by each step that adds to it. */
  vars: Readonly<Record<string, unknown>> = Object.freeze({});
  outcome: Outcome = { type: "done" };
  type: PassType;
  trouble: Setting | undefined;
  isAborted = false;
  /** The status is written later: it was written too often. */
  isStatusHeldBack = false;
  /** A step has asked for a draft since the drafts were last checked. */
  draftsTouched = false;
  /**
   * The object is gone, or changed so that nothing that the pass decided counts any more: no step runs any more but the
   * posts, and nothing is stored.
   */
  over: QuietRequeue | PrimaryGone | undefined;
  /** Where that was a change by somebody else: what changed. */
  endedBy: readonly Change[] = [];
  specChangedBy: StepRuntime | undefined;
  /** What steps wrote through `req.client`: the versions that resulted. */
  readonly written: Set<string> = new Set();

  /** What this pass took from former names. */
  readonly claimed: Set<string> = new Set();

  readonly settings: Map<string, Setting | "keep"> = new Map();
  readonly progress: Map<StepRuntime, Progress> = new Map();
  readonly wishes: Wish[] = [];
  readonly failures: Failure[] = [];
  readonly phases: PhaseReport[] = [];
  /** The answer of the server that the owner still exists, once a step has asked for it. */
  ownerProof: Promise<void> | undefined;
  /** Phases that outlived their deadline. */
  readonly strays: Promise<unknown>[] = [];
  /** What declared reads gave, fixed for the pass; see resolve.ts. */
  readonly reads: Map<AnyRead, unknown> = new Map();
  readonly fetches: Fetches;

  readonly status: Draft;
  readonly labels: Draft<Record<string, string>>;
  readonly annotations: Draft<Record<string, string>>;
  readonly spec: Draft;
  /** What the steps of `dependentApply()` have found so far. */
  readonly dependents: DependentFindings = { entries: new Map(), live: new Map(), unwanted: new Set() };
  readonly #states: Map<StepRuntime, StepState> = new Map();

  constructor(given: {
    readonly pipeline: Pipeline;
    readonly env: ReconcilerEnv;
    readonly object: KubernetesObject;
    readonly memory: KeyMemory;
    readonly signal: AbortSignal;
    readonly log: Logger;
    readonly fetches?: Fetches;
  }) {
    const { pipeline, env, object } = given;
    this.pipeline = pipeline;
    this.env = env;
    this.object = object;
    this.memory = given.memory;
    this.fetches = given.fetches ?? env.fetches ?? new Fetches();
    this.signal = given.signal;
    this.log = given.log;
    this.isDraining = env.drain !== undefined && object.metadata.deletionTimestamp === undefined;
    this.isDeleting = this.isDraining || object.metadata.deletionTimestamp !== undefined;
    // Whoever is gone leaves no word behind that nobody would ever correct.
    this.type = this.isDraining ? "gated" : this.isDeleting ? "deletion" : "full";
    this.endsAtMs = env.clock.now() + pipeline.deadlines.passMs;
    this.writer = new Writer(object, {
      client: env.client,
      kind: pipeline.kind,
      fieldManager: pipeline.name,
      observeWrite: (stored) => env.observeWrite?.(stored),
      expectWrite: (ref) => env.expectWrite?.(ref) ?? noop,
      isImmaterial: (before, after, basis) => {
        const changes = materialChanges(pipeline, [before, after], { basis, touched: this.status.changes() });
        this.endedBy = this.memory.heartbeats.without(changes);
        return this.endedBy.length === 0;
      },
      onOver: (reason) => {
        this.over ??= reason;
      },
    });
    // The engine knows that status and spec are objects where they exist: their CRD says so.
    const { status, spec } = object as { readonly status?: Record<string, unknown>; readonly spec?: Record<string, unknown> };
    this.status = new Draft(() => authorsPart(status, pipeline.kind.resource?.dependents ?? false));
    this.spec = new Draft(() => spec ?? {});
    this.labels = new Draft(() => ({ ...object.metadata.labels }));
    this.annotations = new Draft(() => ({ ...object.metadata.annotations }));
  }

  get isGone(): boolean {
    return this.over instanceof PrimaryGone;
  }

  get clock(): Clock {
    return this.env.clock;
  }

  /** The state of `step`, parsed when first asked for. @throws ReconcileError when what is stored cannot be used. */
  stateOf(step: StepRuntime): StepState {
    let state = this.#states.get(step);
    if (state === undefined) {
      const stored = storedState(this.pipeline, this.object)[step.name];
      const parsed = parseState(step, stored);
      state = { draft: new Draft(() => parsed), stored };
      this.#states.set(step, state);
    }
    return state;
  }

  /** The states that this pass has used. */
  get states(): ReadonlyMap<StepRuntime, StepState> {
    return this.#states;
  }

  /** What the drafts ask for now. */
  intents(): Intents {
    return {
      status: this.status.take(),
      labels: this.labels.take(),
      annotations: this.annotations.take(),
      spec: this.spec.take(),
      states: new Map([...this.#states].map(([step, { draft }]) => [step, draft.take()])),
    };
  }

  /** What is wrong with what was put into the drafts: if it is not JSON, it is taken out again. */
  checkDrafts(): Misuse | undefined {
    if (!this.draftsTouched) return undefined;
    this.draftsTouched = false;
    const kept = this.status.takeOut(this.#keptFields());
    let wrong = kept === undefined ? undefined : misuse("ERR_READ_ONLY", `req.status.${kept} is kept by the engine: ${HOW_TO_WRITE[kept]}`);
    for (const draft of this.#drafts()) wrong = draft.check() ?? wrong;
    return wrong;
  }

  /** Forgets what steps wrote and no checkpoint stored; conditions stay. */
  discardDrafts(): void {
    for (const draft of this.#drafts()) draft.discard();
  }

  /** Ends the drafts that a step still holds; what it changed so far stays. */
  renewDrafts(): void {
    for (const draft of this.#drafts()) draft.renew();
  }

  /** The pass is over: no draft of it can be used any more. */
  close(): void {
    for (const draft of this.#drafts()) draft.close();
  }

  /** What of the status the engine writes itself, whatever is in the draft. */
  #keptFields(): readonly string[] {
    const { conditions, stateIn, kind } = this.pipeline;
    return [
      ...(conditions === undefined ? [] : ["conditions"]),
      ...(conditions?.keepsObservedGeneration === true ? ["observedGeneration", "lastHandledReconcileAt"] : []),
      ...(stateIn === "status" ? ["steps"] : []),
      ...(kind.resource?.dependents === true ? ["dependents"] : []),
    ];
  }

  *#drafts(): Iterable<Draft | Draft<Record<string, string>>> {
    yield this.status;
    yield this.labels;
    yield this.annotations;
    yield this.spec;
    for (const { draft } of this.#states.values()) yield draft;
  }
}

const HOW_TO_WRITE: Readonly<Record<string, string>> = {
  conditions: "declare the condition, and set it by req.conditions",
  observedGeneration: "it is the generation of the object that the pass saw",
  lastHandledReconcileAt: "it is the request that the pass followed",
  steps: "write req.state",
  dependents: "dependentApply writes it",
};

/** The status without what the engine keeps there. */
function authorsPart(status: Record<string, unknown> | undefined, hasDependents: boolean): Record<string, unknown> {
  if (status === undefined) return {};
  const { conditions: _c, observedGeneration: _o, lastHandledReconcileAt: _l, steps: _s, ...rest } = status;
  if (hasDependents) delete rest["dependents"];
  return rest;
}

function noop(): void {}
