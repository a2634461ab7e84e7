/**
 * The step at run time. The public type {@link Step} is opaque. A brand under `Symbol.for` finds the runtime of a step, so steps
 * published with another copy of this package work too.
 */
import type { Kind } from "@treadle/apimachinery";
import type { BackoffProfile } from "@treadle/workqueue";
import type { z } from "zod";
import type { Declared } from "../condition.ts";
import { type DeclaredCondition, declaredCondition, declaredOwned } from "./declared.ts";
import type { AllRights, Permission } from "../permission.ts";
import type { AnyRead, OwnedKind } from "../reads.ts";
import type { PauseFunction, PauseRules } from "../record/pause.ts";
import { type Gives, optionalOf } from "./gives.ts";
import type { Wait } from "../result.ts";
import type { Rank } from "../save/ready-rank.ts";

/** A phase function is one phase of a step as the engine calls it. The engine makes its req and checks its return value. */
export type PhaseFunction = (req: unknown) => unknown;

/** A step runtime is a step as the engine runs it: complete, and checked as far as possible without its handler. */
export interface StepRuntime {
  /** The name of the step. */
  readonly name: string;
  /** The kind of the step. */
  readonly kind: Kind;
  /** The conditions that the step owns. */
  readonly conditions: readonly DeclaredCondition[];
  /** The steps that must come before: those whose vars the step uses. */
  readonly needs: readonly StepRuntime[];
  /** The steps of `needs` whose vars may be missing. */
  readonly optionalNeeds: ReadonlySet<StepRuntime>;
  /** The names of the steps whose vars the step sees: those of `needs`, parts of composites included. */
  readonly providers: readonly string[];
  /** The steps with `gives` in `needs` whose values must be there before `do` runs, parts of composites included. */
  readonly givers: readonly StepRuntime[];
  /** The values that the step hands over late or not at all; `undefined`: its vars are there when it is done. */
  readonly gives: Gives | undefined;
  /** The reads of the step, by name. */
  readonly reads: Readonly<Record<string, AnyRead>>;
  /** The reads that are resolved in a cleanup. */
  readonly cleanupReads: Readonly<Record<string, AnyRead>>;
  /** The kinds that the step owns. */
  readonly owns: readonly Kind[];
  /** Those of `owns` without which the step runs. */
  readonly optionalOwns: readonly Kind[];
  /** Whether the cleanup runs also without these kinds, and finds out by itself whether objects of them are left. */
  readonly cleanupChecksKinds: boolean;
  /** Further rights of the step. */
  readonly permissions: readonly Permission[];
  /** Why the step needs all rights; `undefined`: it does not. */
  readonly allRights: AllRights | undefined;
  /** The kinds whose objects refer to the primary as their owner; `undefined` means those in `owns`, with all rights to create them. */
  readonly refersFrom: readonly Kind[] | undefined;
  /** The reasons of the events that the step records. */
  readonly events: readonly string[];
  /** The schema of the state of the step. */
  readonly state: z.ZodObject | undefined;
  /** Makes the memory of the step for an object. */
  readonly memory: (() => object) | undefined;
  /** The parts of the primary that the step writes. */
  readonly writes: readonly ("labels" | "annotations" | "spec")[];
  /** When the finalizer is added. */
  readonly finalizer: "before-do" | "on-demand";
  /** Whether the step runs in a dry run. */
  readonly runsDry: boolean;
  /** The deadline of a phase, in milliseconds. */
  readonly timeoutMs: number | undefined;
  /** The delays after failures of the step; `undefined` means those of the controller. */
  readonly backoff: BackoffProfile | undefined;
  /** The gate. */
  readonly gate: PhaseFunction | undefined;
  /** The phase `do`. */
  readonly do: PhaseFunction | undefined;
  /** Runs before the reads of `do` are resolved. With a result of it, they are not resolved, and `do` does not run. */
  readonly beforeReads: PhaseFunction | undefined;
  /** Runs in place of `do` when a kind is not served, a watch is refused, or a read fails; `undefined`: the step waits or fails. */
  readonly unresolved: ((req: unknown, error: unknown) => unknown) | undefined;
  /** Runs in place of `do` when values of `needs` are missing; `undefined`: the step waits. */
  readonly unprovided: ((req: unknown, wait: Wait) => unknown) | undefined;
  /** The phase `cleanup`. */
  readonly cleanup: PhaseFunction | undefined;
  /** Runs in place of `cleanup` when the finalizer is removed without the cleanups; `undefined`: nothing runs. */
  readonly release: PhaseFunction | undefined;
  /** The phase `post`. */
  readonly post: PhaseFunction | undefined;
  /** The parts of a composite; `undefined` for other steps. The phases of the composite run after theirs. */
  readonly parts: Parts | undefined;
  /** The settings that the step makes for its handler. */
  readonly configures: HandlerSettings;
  /** The extensions that the step uses, by name. */
  readonly uses: ReadonlyMap<string, Use>;
}

/** Parts are the steps of a composite. Their order follows from their `needs` and their extensions, else from the list. */
export interface Parts {
  /** The function that makes such composites, for errors, such as `all`. */
  readonly maker: string;
  /** The steps of the composite. */
  readonly steps: readonly StepRuntime[];
  /** The number of parts that run at once. */
  readonly concurrency: number;
  /** Runs before the parts, in the phase `do` of the composite. If it does not continue, the parts do not run. */
  readonly opens: PhaseFunction | undefined;
  /** Runs in the place of `opens` while values are missing. */
  readonly opensWithout: ((req: unknown, wait: Wait) => unknown) | undefined;
  /** Whether the `do` of the composite reports for its parts. Their waits and errors then count neither for Ready nor for the outcome. */
  readonly reports: boolean;
  /** Whether each part is cleaned up after all parts that come later in the list. */
  readonly isList: boolean;
}

/** Handler settings are the settings of a handler that a step may make. */
export interface HandlerSettings {
  /**
   * Present if conditions are kept. `ready`: whether `Ready` is computed. `rank`: which condition Ready reports. `kstatus`: whether
   * `Reconciling` and `Stalled` are kept.
   */
  readonly conditions?: { readonly ready: boolean; readonly rank?: Rank; readonly kstatus?: boolean };
  /** What pauses an object, and whether it also pauses cleanups. */
  readonly pause?: Omit<PauseRules, "steps">;
  /**
   * Pauses an object in addition to `pause`, by a function of the object that returns the reason as a text. It must be pure and must not
   * rely on the schema, because it is asked before each pass and for each event. If it fails, no step runs, and Ready reports the
   * failure. Of several steps with one, the first that returns a reason decides. The condition `Paused` exists only while the object is
   * paused, unless `pause()` is in the list. @defaultValue nothing
   */
  readonly pausesWhen?: PauseFunction;
}

/** A use says that a step uses an extension. It is opaque: only `extension.ts` knows the type of the extension. */
export interface Use {
  /** The name of the extension. */
  readonly name: string;
  /** The extension. */
  readonly extension: object;
  /** The data that the step gives to the extension. */
  readonly data: unknown;
}

const RUNTIME: symbol = Symbol.for("treadle.reconcile.Step");

/** Returns the runtime of a step, or `undefined` for a value that is not a step. */
export function runtimeOf(value: unknown): StepRuntime | undefined {
  return typeof value === "object" && value !== null ? (value as { [RUNTIME]?: StepRuntime })[RUNTIME as never] : undefined;
}

/** A raw definition has what an author declares in a step, and what only factories of steps declare. */
export interface RawDefinition {
  /** The name of the step. */
  readonly name: string;
  /** The conditions that the step owns. */
  readonly conditions?: readonly Declared<string>[];
  /** The steps that must come before, or what `optional()` makes of them. */
  readonly needs?: readonly unknown[];
  /** The values that the step hands over by `handOver()`. @defaultValue none */
  readonly gives?: Gives;
  /** The reads of the step, by name. */
  readonly reads?: Readonly<Record<string, unknown>>;
  /** The names of the reads that are resolved in a cleanup. @defaultValue all */
  readonly cleanupReads?: readonly string[];
  /** The kinds that the step owns. */
  readonly owns?: readonly (Kind | OwnedKind)[];
  /**
   * Whether `cleanup` also runs while a kind in `owns` with `ifNotServed: "skip"` is not served, or its watch is refused. The cleanup
   * must then find out by `servedVersionOf()` whether objects of such a kind are left, and wait for them.
   * @defaultValue false: the cleanup waits for them, and the engine asks discovery in each pass
   */
  readonly cleanupChecksKinds?: boolean;
  /** Further rights of the step. */
  readonly permissions?: readonly Permission[];
  /** Asks for all rights, because the kinds of the objects are not known when the manifest is written. @defaultValue not asked for */
  readonly allRights?: AllRights;
  /**
   * The kinds whose objects refer to the primary as their owner. With it, only the rights to list and watch follow from `owns`, and
   * `permissions` names all others. An empty list: no object refers to it, so that no right to its finalizers follows.
   * @defaultValue those in `owns`, with the rights to create, patch and delete them
   */
  readonly refersFrom?: readonly Kind[];
  /** The reasons of the events that the step records. */
  readonly events?: readonly string[];
  /** The schema of the state of the step. */
  readonly state?: z.ZodObject;
  /** Makes the memory of an object. */
  readonly memory?: () => object;
  /** The parts of the primary that the step writes. */
  readonly writes?: readonly ("labels" | "annotations" | "spec")[];
  /** When the finalizer is added. */
  readonly finalizer?: "before-do" | "on-demand";
  /** Whether the step runs in a dry run. */
  readonly dryRun?: boolean;
  /** The deadline of a phase, in milliseconds. */
  readonly timeoutMs?: number;
  /** The delays after failures of the step. */
  readonly backoff?: BackoffProfile;
  /** The gate. */
  readonly gate?: PhaseFunction;
  /** The phase `do`. */
  readonly do?: PhaseFunction;
  /**
   * Runs before the reads of `do` are resolved, without reads. If it returns a result, no read is resolved, no kind need be
   * served, and `do` does not run. It must be synchronous.
   */
  readonly beforeReads?: PhaseFunction;
  /** Runs in place of `do`, without reads, when they cannot be resolved: with the error that otherwise ends the phase. */
  readonly unresolved?: (req: unknown, error: unknown) => unknown;
  /** Runs in place of `do` when values of `needs` are missing, with the wait that otherwise ends the step. */
  readonly unprovided?: (req: unknown, wait: Wait) => unknown;
  /** The phase `cleanup`. */
  readonly cleanup?: PhaseFunction;
  /**
   * Runs in place of `cleanup` when the finalizer is removed without the cleanups: in a drain by the rule `release`, and for the
   * annotation `treadle.dev/skip-cleanup`. It removes marks of the operator that harm objects without it, such as finalizers. It
   * runs without reads, waits for no kind, and must be idempotent. In a drain, the finalizer stays until it continues. For the
   * annotation, the finalizer is removed whatever it ends with, but for a conflict and a shutdown: a user asked for a way out.
   * @defaultValue nothing
   */
  readonly release?: PhaseFunction;
  /** The phase `post`. */
  readonly post?: PhaseFunction;
  /** The settings of the handler that the step makes. */
  readonly configures?: HandlerSettings;
  /** The extensions that the step uses. */
  readonly uses?: readonly Use[];
}

/** Makes a step from a raw definition. @throws TypeError for an invalid definition */
export function defineStep(kind: Kind, definition: RawDefinition): object {
  return opaque(runtimeFrom(kind, definition));
}

/** Makes the runtime of a step. @throws TypeError for an invalid definition */
export function runtimeFrom(kind: Kind, definition: RawDefinition): StepRuntime {
  if (typeof definition?.name !== "string") throw new TypeError("step: the definition needs a name");
  const where = `step "${definition.name}"`;
  requireKind(where, kind);
  requireForms(where, definition);
  const listed = (definition.needs ?? []).map((needed) => {
    const runtime = runtimeOf(needed) ?? (optionalOf(needed) as StepRuntime | undefined); // What optional() was called with.
    if (runtime === undefined) throw new TypeError(`${where}: needs must list steps made by step()`);
    return { runtime, isOptional: runtimeOf(needed) === undefined };
  });
  const owned = (definition.owns ?? []).map((entry) => declaredOwned(where, entry));
  const needs = listed.map(({ runtime }) => runtime);
  const required = listed.filter(({ isOptional }) => !isOptional).map(({ runtime }) => runtime);
  return {
    name: definition.name,
    kind,
    conditions: (definition.conditions ?? []).map((declared) => declaredCondition(where, declared)),
    needs,
    optionalNeeds: new Set(needs.filter((needed) => !required.includes(needed))),
    providers: leavesOf(needs).map(({ name }) => name),
    givers: leavesOf(required).filter(({ gives }) => gives !== undefined),
    gives: definition.gives,
    reads: (definition.reads ?? {}) as Readonly<Record<string, AnyRead>>,
    cleanupReads: picked(definition.reads, definition.cleanupReads),
    owns: owned.map(({ kind: each }) => each),
    optionalOwns: owned.filter(({ ifNotServed }) => ifNotServed === "skip").map(({ kind: each }) => each),
    cleanupChecksKinds: definition.cleanupChecksKinds ?? false,
    permissions: definition.permissions ?? [],
    allRights: definition.allRights,
    refersFrom: definition.refersFrom,
    events: definition.events ?? [],
    state: definition.state,
    memory: definition.memory?.bind(definition),
    writes: definition.writes ?? [],
    finalizer: definition.finalizer ?? "before-do",
    runsDry: definition.dryRun === true || definition.cleanup === undefined,
    timeoutMs: definition.timeoutMs,
    backoff: definition.backoff,
    // Bound, so that phases written as methods may use `this`.
    gate: definition.gate?.bind(definition),
    do: definition.do?.bind(definition),
    beforeReads: definition.beforeReads?.bind(definition),
    unresolved: definition.unresolved?.bind(definition),
    unprovided: definition.unprovided?.bind(definition),
    cleanup: definition.cleanup?.bind(definition),
    release: definition.release?.bind(definition),
    post: definition.post?.bind(definition),
    parts: undefined,
    configures: definition.configures ?? {},
    uses: new Map((definition.uses ?? []).map((use) => [use.name, use])),
  };
}

function picked(reads: object = {}, names?: readonly string[]): Readonly<Record<string, AnyRead>> {
  const entries = Object.entries(reads as Record<string, AnyRead>);
  return Object.fromEntries(names === undefined ? entries : entries.filter(([name]) => names.includes(name)));
}

/** @throws TypeError for members of a wrong type (untyped code). */
function requireForms(where: string, definition: RawDefinition): void {
  for (const member of ["gate", "do", "cleanup", "release", "post", "memory"] as const)
    if (definition[member] !== undefined && typeof definition[member] !== "function")
      throw new TypeError(`${where}: ${member} must be a function`);
  if (definition.configures?.pausesWhen !== undefined && typeof definition.configures.pausesWhen !== "function")
    throw new TypeError(`${where}: configures.pausesWhen must be a function of the object that returns a reason`);
  if (definition.release !== undefined && definition.cleanup === undefined)
    throw new TypeError(`${where}: release runs in place of cleanup, and there is no cleanup: add one`);
  const lists = { conditions: "a list", permissions: "a list of { kind, verbs }", events: "a list of reasons", needs: "a list of steps" };
  for (const [member, form] of Object.entries(lists)) {
    const value: unknown = definition[member as keyof RawDefinition];
    if (value !== undefined && !Array.isArray(value)) throw new TypeError(`${where}: ${member} must be ${form}`);
  }
}

/** @throws TypeError for a value that is not a kind. */
export function requireKind(where: string, kind: Kind): void {
  if (typeof (kind as Kind | undefined)?.kind === "string") return;
  throw new TypeError(`${where}: the first argument must be a kind: what defineResource(), kind() or anyKind() gave, or a built-in kind`);
}

/** Returns the steps that have phases or declarations, in list order. A composite comes after its parts, if it has phases. */
export function leavesOf(steps: readonly StepRuntime[]): readonly StepRuntime[] {
  return steps.flatMap((step) => {
    if (step.parts === undefined) return [step];
    const inner = leavesOf(step.parts.steps);
    return hasOwn(step) ? [...inner, step] : inner;
  });
}

/** Whether a composite itself has phases or declarations. */
function hasOwn({ gate, do: run, cleanup, post, conditions, state }: StepRuntime): boolean {
  return [gate, run, cleanup, post, state].some((member) => member !== undefined) || conditions.length > 0;
}

/** Returns the composite that reports for each part, by the part. */
export function reportersOf(steps: readonly StepRuntime[]): ReadonlyMap<StepRuntime, StepRuntime> {
  const reporters = new Map<StepRuntime, StepRuntime>();
  const visit = (step: StepRuntime, reporter: StepRuntime | undefined): void => {
    if (reporter !== undefined) reporters.set(step, reporter);
    for (const part of step.parts?.steps ?? []) visit(part, reporter ?? (step.parts?.reports === true ? step : undefined));
  };
  for (const step of steps) visit(step, undefined);
  return reporters;
}

/** The kind of a step made with `anyKind`. */
export function isAnyKind(kind: Kind): boolean {
  return kind.kind === "";
}

/** Wraps a runtime in a step, as authors see it. */
export function opaque(runtime: StepRuntime): object {
  const step = { name: runtime.name };
  Object.defineProperty(step, RUNTIME, { value: Object.freeze(runtime) });
  return Object.freeze(step);
}
