/**
 * The `req` of one phase of one step at run time. One class serves all phases. The types of `req.ts` show only what a phase may
 * use; this class refuses harmful calls of untyped code.
 */
import { groupKindOf, isMetadataOnly, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import type { KindName } from "@treadle/client";
import type { KindWatch } from "../kind-watch.ts";
import { inNamespaceOf } from "../read-refs.ts";
import type { Cache, Logger, Outcome, ReqClient } from "../req.ts";
import { type Continue, makeContinue, makeStop, makeWait, NEXT, requireDelay, requireReason, type Stop, type Wait } from "../result.ts";
import type { Scope } from "../internal/deadline.ts";
import { DryRunEnd } from "./dry-run.ts";
import { takeFinalizer } from "../save/finalizer.ts";
import { stepLogger } from "./loggers.ts";
import { slotOf } from "../record/memory.ts";
import { misuse } from "../internal/misuse.ts";
import type { Pass } from "../record/pass-state.ts";
import { requireWatched, watchedBy, watchKind } from "./pass-watches.ts";
import { type OtherCluster, reqClient } from "./req-client.ts";
import { checkpoint } from "../save/save.ts";
import { isServedIn } from "./served.ts";
import { StepConditions } from "./step-conditions.ts";
import type { StepRuntime } from "../build/step-runtime.ts";

/** A phase of a step. */
export type Phase = "gate" | "do" | "cleanup" | "post";

/** Returns the pass and the step of a req. @throws TypeError for a value that is not a req of the engine */
export let stepOf: (req: unknown) => { readonly pass: Pass; readonly step: StepRuntime; readonly scope: Scope };

/**
 * Returns a client of a step for another cluster: with its field manager, its deadline and its log of changes, and without effects on
 * the caches of the own cluster. @throws TypeError for a value that is not a req of the engine
 */
export function clientFor(req: unknown, other: OtherCluster): ReqClient {
  const { pass, step, scope } = stepOf(req);
  return reqClient(pass, step, scope, other);
}

export class StepReq {
  static {
    stepOf = (req) => {
      if (!(req instanceof StepReq)) throw new TypeError("the step was called with a req that the engine did not make");
      return { pass: req.#pass, step: req.#step, scope: req.#scope };
    };
  }
  readonly #pass: Pass;
  readonly #step: StepRuntime;
  readonly #phase: Phase;
  readonly #scope: Scope;
  #client: ReqClient | undefined;
  #conditions: StepConditions | undefined;
  #vars: Readonly<Record<string, unknown>> | undefined;
  /** The last guarded write: they run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  /** Values of the declared reads; resolved before the phase began. */
  readonly #reads: Readonly<Record<string, unknown>>;

  /** @throws ReconcileError when stored state cannot be used. */
  constructor(
    pass: Pass,
    step: StepRuntime,
    phase: Phase,
    given: { readonly scope: Scope; readonly reads: Readonly<Record<string, unknown>> },
  ) {
    this.#pass = pass;
    this.#step = step;
    this.#phase = phase;
    this.#scope = given.scope;
    this.#reads = given.reads;
    if (step.state !== undefined && phase !== "gate") pass.drafts.stateOf(step);
  }

  get object(): KubernetesObject {
    return this.#phase === "post" ? this.#pass.objectForPosts : this.#pass.object;
  }

  get reads(): Readonly<Record<string, unknown>> {
    return this.#reads;
  }

  get handlerName(): string {
    return this.#pass.pipeline.name;
  }

  get handlerNames(): readonly string[] {
    return this.#pass.pipeline.before.names;
  }

  get isDryRun(): boolean {
    return this.#pass.env.isDryRun === true;
  }

  get cache(): Cache {
    const { env, object } = this.#pass;
    return {
      get: (kind, ref) => env.cache.get(declared(this.#pass, kind), inNamespaceOf(object, kind, ref)),
      list: (kind, select) => env.cache.list(declared(this.#pass, kind), select),
    };
  }

  get conditions(): StepConditions {
    this.#conditions ??= new StepConditions(this.#pass, this.#step, this.#scope);
    return this.#conditions;
  }

  isServed(kind: Kind): boolean {
    return isServedIn(this.#pass, kind);
  }

  get log(): Logger {
    return stepLogger(this.#pass.log, this.#step.name, this.#pass);
  }

  get vars(): Readonly<Record<string, unknown>> {
    this.#vars ??= this.#pass.varsFor(this.#step);
    return this.#vars;
  }

  get phase(): "do" | "cleanup" {
    return this.#pass.isDeleting ? "cleanup" : "do";
  }

  get outcome(): Outcome {
    return this.#pass.outcome ?? { type: "done" };
  }

  get client(): ReqClient {
    this.#act("client");
    this.#client ??= reqClient(this.#pass, this.#step, this.#scope);
    return this.#client;
  }

  get signal(): AbortSignal {
    return this.#scope.signal;
  }

  get status(): object {
    this.#act("status");
    return this.#pass.drafts.forStep("status");
  }

  get state(): object {
    this.#act("state");
    return this.#pass.drafts.stateForStep(this.#step);
  }

  get memory(): object {
    this.#act("memory");
    const { memory: make, name } = this.#step;
    if (make === undefined) throw misuse("ERR_NOT_DECLARED", `step "${name}" has no memory: add memory: () => ({ ... }) to its definition`);
    return slotOf(this.#pass.memory, `step ${name}`, make);
  }

  get labels(): object {
    return this.#written("labels");
  }

  get annotations(): object {
    return this.#written("annotations");
  }

  get spec(): object {
    return this.#written("spec");
  }

  now(): Date {
    return new Date(this.#pass.clock.now());
  }

  next(vars?: object): Continue {
    return vars === undefined ? NEXT : makeContinue(vars);
  }

  wait(reason: string, afterMs?: number): Wait {
    return this.#scope.made(makeWait(this.#pass.hide(reason), afterMs));
  }

  stop(reason: string): Stop {
    return this.#scope.made(makeStop(this.#pass.hide(reason)));
  }

  event(type: "Normal" | "Warning", reason: string, note: string): void {
    this.#act("event");
    if (type !== "Normal" && type !== "Warning")
      throw misuse("ERR_INVALID_STEP", `event: the type is "Normal" or "Warning", not ${JSON.stringify(type)}`);
    requireReason("event", reason);
    if (!this.#step.events.includes(reason))
      throw misuse(
        "ERR_NOT_DECLARED",
        `event: the step does not declare ${reason}: add events: [${JSON.stringify(reason)}] to its definition`,
      );
    this.#pass.env.recordEvent?.(this.#pass.object, { type, reason, note: this.#pass.hide(note), action: this.#step.name });
  }

  /** @throws TypeError when `afterMs` is not a time. */
  revisit(afterMs: number, reason: string): void {
    this.#act("revisit");
    requireDelay("revisit", afterMs);
    requireReason("revisit", reason);
    this.#pass.asked.push({ afterMs, reason: this.#pass.hide(reason) });
  }

  watch(kind: Kind | KindName): KindWatch {
    this.#act("watch");
    return watchKind(this.#pass, this.#step, kind);
  }

  checkpoint(): Promise<void> {
    this.#act("checkpoint");
    return this.#scope.began(
      "checkpoint()",
      this.#fatal(() => checkpoint(this.#pass, this.#scope)),
    );
  }

  holdFinalizer(): Promise<void> {
    this.#act("holdFinalizer");
    if (this.#phase !== "do" || this.#step.cleanup === undefined) {
      throw misuse("ERR_INVALID_STEP", `step "${this.#step.name}": holdFinalizer() is for the do of a step with a cleanup`);
    }
    return this.#scope.began(
      "holdFinalizer()",
      this.#fatal(() => takeFinalizer(this.#pass, this.#scope)),
    );
  }

  /**
   * Runs a write that must succeed before a side effect. A failure counts even if the step catches it, and a repeated call fails
   * as well. State that the step changed for the side effect is reset, because the side effect does not happen.
   */
  #fatal(write: () => Promise<void>): Promise<void> {
    const unprovenWrites = (this.#pass.unprovenWrites ??= new Set());
    const inTurn = async (): Promise<void> => {
      if (this.#pass.over !== undefined) throw this.#pass.over.reason;
      try {
        await write();
        unprovenWrites.delete(inTurn);
        // Side effects outside of the cluster follow.
        if (this.isDryRun) throw new DryRunEnd(this.#step);
      } catch (error) {
        this.#scope.fail(error);
        if (this.#step.state !== undefined && !this.#scope.isRevoked) this.#pass.drafts.stateOf(this.#step).draft.reset();
        throw error;
      }
    };
    unprovenWrites.add(inTurn);
    const turn = this.#turn.then(inTurn, inTurn);
    this.#turn = turn;
    return turn;
  }

  #written(part: "labels" | "annotations" | "spec"): object {
    this.#act(part);
    if (this.#phase !== "do" || !this.#step.writes.includes(part)) {
      throw misuse("ERR_NOT_DECLARED", `step "${this.#step.name}" may not write ${part}: add writes: ["${part}"] to it, and write in do`);
    }
    return this.#pass.drafts.forStep(part);
  }

  /** @throws if the phase is a gate, or no longer runs. */
  #act(what: string): void {
    this.#scope.check(this.#step.name);
    if (this.#phase === "gate")
      throw misuse("ERR_INVALID_STEP", `step "${this.#step.name}": a gate can only look; use req.${what} in do, cleanup or post`);
  }
}

/** @throws TypeError for a kind that the handler does not watch, even if another handler does: no event would trigger a pass. */
function declared<K extends Kind>(pass: Pass, kind: K): K {
  const { pipeline } = pass;
  const groupKind = groupKindOf(kind);
  if (pipeline.wholeKinds.has(groupKind) || (isMetadataOnly(kind) && pipeline.watchedKinds.has(groupKind))) return kind;
  if (pipeline.watchedKinds.has(groupKind) && watchedBy(pass, kind) !== "whole") {
    throw misuse(
      "ERR_NOT_DECLARED",
      `req.cache: of ${groupKind} handler "${pipeline.name}" watches metadata only: declare reads: { ... one(${kind.kind}, ...) }, ask for metadataOnly(${kind.kind}), or use req.client`,
    );
  }
  requireWatched(pass, kind);
  return kind;
}
