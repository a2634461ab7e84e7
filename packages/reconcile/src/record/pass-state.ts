/**
 * One pass: its frozen input, what its steps found, their drafts, and the writer. Made for each pass; nothing in it outlives the pass
 * but `memory`.
 */
import { type Clock, keyOf, type Kind, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { ReconcilerEnv } from "../env.ts";
import { ReconcileError } from "../errors.ts";
import { Fetches } from "../fetches.ts";
import type { KindWatch } from "../kind-watch.ts";
import type { PhaseReport } from "../pass-result.ts";
import type { AnyRead, OneRead } from "../reads.ts";
import type { Logger, Outcome } from "../req.ts";
import { Shared } from "../shared.ts";
import { logPrimary } from "./change-log.ts";
import { withoutDrafts } from "./drafts.ts";
import { type Ending, type EndingFacts, endingOf, reportsOf } from "./ending.ts";
import { skipsCleanup } from "./finalizer-names.ts";
import { type Change, Heartbeats } from "./heartbeats.ts";
import { materialChanges } from "./material.ts";
import type { KeyMemory } from "./memory.ts";
import { PassDrafts } from "./pass-drafts.ts";
import { type PauseState, pauseStateOf } from "./pause.ts";
import type { Pipeline } from "../build/pipeline.ts";
import type { Asked, Failure, Handed, HandOver, PassType, Progress, Setting } from "./progress.ts";
import { References } from "./references.ts";
import { type SecretValues, secretValuesFor } from "./secret-values.ts";
import type { StepRuntime } from "../build/step-runtime.ts";
import { PrimaryGone, type QuietRequeue, Writer } from "./writer.ts";

/** What a pass is given; nothing of it changes while the pass runs, but the memory. */
export interface PassInput {
  readonly pipeline: Pipeline;
  readonly env: ReconcilerEnv;
  readonly object: KubernetesObject;
  readonly memory: KeyMemory;
  /** Ends the chain at shutdown. */
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly fetches?: Fetches;
  readonly references?: References;
  readonly shared?: Shared;
  /** What started the pass, for the log. */
  readonly cause?: string | undefined;
}

/** Why nothing that the pass decided counts any longer. */
export interface Over {
  readonly reason: QuietRequeue | PrimaryGone;
  /** The changes of another writer that ended it; none where the object no longer exists. */
  readonly changes: readonly Change[];
}

export class Pass implements EndingFacts {
  readonly pipeline: Pipeline;
  readonly env: ReconcilerEnv;
  readonly object: KubernetesObject;
  readonly memory: KeyMemory;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly fetches: Fetches;
  readonly references: References;
  readonly shared: Shared;
  readonly cause: string | undefined;
  /** When the chain must be over, in the clock's milliseconds. */
  readonly endsAtMs: number;
  /** Cleanups run, and not `do`s: the object is being deleted, or the operator is removed. */
  readonly isDeleting: boolean;
  /** Our finalizer is removed from an object that lives on. */
  readonly isDraining: boolean;
  readonly skips: EndingFacts["skips"];
  /** Whether the object is paused; a deletion asks only if the handler pauses deletions. */
  readonly pause: PauseState;
  readonly isPaused: boolean;
  readonly isPauseUndecided: boolean;
  readonly isInvalid: boolean;

  readonly drafts: PassDrafts;
  readonly writer: Writer;

  // What the steps found.
  /** What the steps so far handed over; frozen, replaced by each step that adds to it. */
  vars: Readonly<Record<string, unknown>> = NO_VARS;
  /** The vars that the caller of a single step gave; every step sees them. */
  givenVars: Readonly<Record<string, unknown>> = NO_VARS;
  /** What each step handed over, by its name; made for the first vars. */
  handed: Map<string, Handed> | undefined;
  /** How the chain ended; `undefined` until then. */
  outcome: Outcome | undefined;
  /** What keeps the object from being ready although no step reported it. */
  trouble: Setting | undefined;
  /** What the server does not store of the status; Ready reports it where it would be True. */
  notStored: Setting | undefined;
  /** The steps whose transient failure Ready does not report yet. */
  hidden: ReadonlySet<StepRuntime> | undefined;
  /** The time until Ready reports the first of them, in milliseconds: the next pass is due then at the latest. */
  dueMs: number | undefined;
  /** Whether a conflict ended a step. */
  hasConflict = false;
  /** Whether a step waits for what ends by itself in a moment. */
  hasTransientWait = false;
  isGated = false;
  isAborted = false;
  over: Over | undefined;
  /** The step whose change of the spec ended the chain. */
  specChangedBy: StepRuntime | undefined;
  readonly settings: Map<string, Setting | "keep"> = new Map();
  readonly progress: Map<StepRuntime, Progress> = new Map();
  /** The parts that did not run because others are not done; what requires them does not run either. */
  blocked: Set<StepRuntime> | undefined;
  /** How composites were opened; made for the first. */
  openings: Map<StepRuntime, Progress> | undefined;
  /** What asks for the next pass. */
  readonly asked: Asked[] = [];
  readonly failures: Failure[] = [];
  readonly phases: PhaseReport[] = [];
  /** Guarded writes that steps asked for and that did not succeed, or not yet. */
  unprovenWrites: Set<object> | undefined;
  /** Phases that outlived their deadline. */
  readonly strays: Promise<unknown>[] = [];
  /** The values of declared reads, fixed for the pass. */
  readonly reads: Map<AnyRead, unknown> = new Map();
  /** Called when a read through another one names another object than in the last pass. */
  onReference: ((pass: Pass) => void) | undefined;
  /** The watches that steps asked for, by step and by id; made for the first. */
  watches: Map<string, Map<string, KindWatch>> | undefined;
  /** The values of Secrets that the pass has read: no text that a step gives may hold them. Made for the first Secret. */
  secrets: SecretValues | undefined;
  /** The ids of kinds that the server does not serve, as a request of this pass found; made for the first one. */
  notServed: Set<string> | undefined;
  /** The versions that resulted from what steps wrote through `req.client`. */
  readonly written: Set<string> = new Set();
  /** What was found under a former name of the handler, and got the present one in this pass. */
  claimed: Set<string> | undefined;
  /** What extensions found, by their name; made when it is asked for. */
  found: Map<string, object> | undefined;
  /** The pass as extensions see it, by their name; made when it is asked for. */
  scopes: Map<string, object> | undefined;
  /** The object as posts see it: with the parts of the status that extensions will store. */
  objectForPosts: KubernetesObject;
  /** Extensions whose part of the status could not be computed. */
  brokenParts: Set<string> | undefined;
  /** The answer to whether the object still exists, asked once before the first write that needs it. */
  ownerCheck: Promise<void> | undefined;

  constructor(input: PassInput) {
    const { pipeline, env, object, memory } = input;
    this.pipeline = pipeline;
    this.env = env;
    this.object = object;
    this.objectForPosts = object;
    this.memory = memory;
    this.signal = input.signal;
    this.log = input.log;
    this.cause = input.cause;
    this.fetches = input.fetches ?? env.fetches ?? new Fetches();
    this.references = input.references ?? new References();
    this.shared = input.shared ?? env.shared ?? new Shared();
    this.endsAtMs = env.clock.now() + pipeline.deadlines.passMs;
    this.drafts = new PassDrafts(pipeline, object);
    const { deletionTimestamp } = object.metadata;
    const isDraining = env.drain !== undefined && deletionTimestamp === undefined;
    const isDeleting = isDraining || deletionTimestamp !== undefined;
    this.isDraining = isDraining;
    this.isDeleting = isDeleting;
    this.skips = isDeleting ? skipped(pipeline, object, isDraining && env.drain === "release") : undefined;
    this.pause = pipeline.pause.deletions || !isDeleting ? pauseStateOf(pipeline.pause, object) : { type: "running" };
    this.isPaused = this.pause.type === "paused";
    this.isPauseUndecided = this.pause.type === "undecided";
    this.isInvalid = (memory.checked?.problems.length ?? 0) > 0;
    this.noteSecrets(pipeline.kind, object);
    this.writer = this.#writer();
  }

  /** Nothing that the pass decided counts any longer. */
  get isOver(): boolean {
    return this.over !== undefined;
  }

  /** Every step of the chain went on. */
  get isDone(): boolean {
    return this.outcome?.type === "done";
  }

  /** A step could not release its objects. */
  get isHeld(): boolean {
    return this.skips !== undefined && this.outcome !== undefined && this.outcome.type !== "done";
  }

  /** How the pass ends, as far as it has come. */
  get ending(): Ending {
    return endingOf(this);
  }

  /** What the conditions report about. */
  get reports(): PassType {
    return reportsOf(this.ending, this);
  }

  /** Notes what the step has read or written of a Secret; objects of other kinds are not looked at. */
  noteSecrets({ group, kind }: Kind, answer: unknown): void {
    if (answer !== undefined && group === "" && kind === "Secret") (this.secrets ??= secretValuesFor(this.object)).note(answer);
  }

  /** Notes the object that a read names through another one. */
  noteReference(read: OneRead, ref: Ref | undefined): void {
    if (this.references.note(keyOf(this.object.metadata), read, ref)) this.onReference?.(this);
  }

  /** Notes texts that a step made of Secrets. */
  noteSecretTexts(texts: readonly string[]): void {
    if (texts.length > 0) (this.secrets ??= secretValuesFor(this.object)).noteTexts(texts);
  }

  /** An error without the values of Secrets that the pass has read. */
  hideInError<E>(error: E): E | Error {
    return this.secrets === undefined || !(error instanceof Error) ? error : this.secrets.hideInError(error);
  }

  /** `text` without the values of Secrets that the pass has read. */
  hide(text: string): string {
    return this.secrets === undefined ? text : this.secrets.hide(text);
  }

  /** The same for every text in a value, also in errors. */
  hideIn<V>(value: V): V {
    return this.secrets === undefined ? value : this.secrets.hideIn(value);
  }

  /** Adds the vars of a step. Later calls for the step replace what it added. @throws ReconcileError for a name of another step */
  addVars(step: StepRuntime, { vars, missing }: HandOver): void {
    const before = this.handed?.get(step.name)?.vars ?? NO_VARS;
    const taken = Object.keys(vars).find((name) => Object.hasOwn(this.vars, name) && !Object.hasOwn(before, name));
    if (taken !== undefined) {
      const message = `step "${step.name}" provides vars.${taken}, which an earlier step already provides: rename it`;
      throw new ReconcileError("ERR_STEP_FAILED", message, { step: step.name });
    }
    const added: Handed["vars"] = Object.freeze(withoutDrafts(vars));
    (this.handed ??= new Map()).set(step.name, { vars: added, missing });
    const others = Object.entries(this.vars).filter(([name]) => !Object.hasOwn(before, name));
    // Replaced as a whole: a step that runs at the same time never sees a part of it.
    this.vars = Object.freeze({ ...Object.fromEntries(others), ...added });
  }

  /**
   * Returns the vars of the steps in `needs`, and those that the caller of a single step gave. A step sees no other vars, so that
   * its inputs do not depend on what runs at the same time.
   */
  varsFor({ providers }: StepRuntime): Handed["vars"] {
    const { handed, givenVars } = this;
    if (providers.length === 0 || handed === undefined) return givenVars;
    // Entries, because an assignment to `__proto__` sets no member.
    return Object.freeze(Object.fromEntries([givenVars, ...providers.map((name) => handed.get(name)?.vars ?? {})].flatMap(Object.entries)));
  }

  get isGone(): boolean {
    return this.over?.reason instanceof PrimaryGone;
  }

  /** No further step is begun. */
  get isStopped(): boolean {
    return this.over !== undefined || this.isAborted;
  }

  get clock(): Clock {
    return this.env.clock;
  }

  #writer(): Writer {
    const { pipeline, env, memory } = this;
    let changes: readonly Change[] = [];
    return new Writer(this.object, {
      client: env.client,
      kind: pipeline.kind,
      fieldManager: pipeline.name,
      observeWrite: (stored, before) => {
        env.observeWrite?.(stored);
        logPrimary(this, before, stored);
      },
      expectWrite: (ref) => env.expectWrite?.(ref) ?? (() => undefined),
      isImmaterial: (before, after, basis) => {
        const touched = this.drafts.status.changes();
        memory.heartbeats ??= new Heartbeats();
        changes = memory.heartbeats.without(materialChanges(pipeline, [before, after], { basis, touched }));
        return changes.length === 0;
      },
      onOver: (reason) => {
        this.over ??= { reason, changes };
      },
    });
  }
}

function skipped(pipeline: Pipeline, object: KubernetesObject, isReleased: boolean): EndingFacts["skips"] {
  if (skipsCleanup(pipeline, object)) return "cleanup";
  return isReleased ? "drain" : undefined;
}

const NO_VARS: Readonly<Record<string, unknown>> = Object.freeze({});
