/**
 * What a step is at run time. The public type {@link Step} is opaque; this is what stands behind it. A brand under
 * `Symbol.for` finds it, so steps published with another copy of this package work too.
 */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import type { z } from "zod";
import type { Declared } from "../condition.ts";
import type { Permission } from "../permission.ts";
import type { AnyRead } from "../reads.ts";
import type { Cache } from "../req.ts";
import type { DependentIdentity, DependentState } from "../steps/dependent-apply/core/entries.ts";

/** One phase of a step as the engine calls it: its req is made for it, and what it returns is checked. */
export type PhaseFunction = (req: unknown) => unknown;

export interface StepRuntime {
  readonly name: string;
  readonly kind: Kind;
  readonly conditions: readonly DeclaredCondition[];
  readonly needs: readonly StepRuntime[];
  readonly reads: Readonly<Record<string, AnyRead>>;
  readonly owns: readonly Kind[];
  readonly permissions: readonly Permission[];
  /** The reasons that it may give `req.event()`. */
  readonly events: readonly string[];
  readonly state: z.ZodObject | undefined;
  readonly writes: readonly ("labels" | "annotations" | "spec")[];
  readonly finalizer: "before-do" | "on-demand";
  /** Whether it does nothing in a dry run that a dry run must not do. */
  readonly runsDry: boolean;
  readonly timeoutMs: number | undefined;
  readonly gate: PhaseFunction | undefined;
  readonly do: PhaseFunction | undefined;
  readonly cleanup: PhaseFunction | undefined;
  readonly post: PhaseFunction | undefined;
  /** The parts of an `all()`; undefined for any other step. */
  readonly children: readonly StepRuntime[] | undefined;
  /** Present on the group that `dependentApplyAll()` makes: its children run by their `dependsOn`, so many at once. */
  readonly concurrency: number | undefined;
  /** Present on the step that `conditions()` makes: switches the computation on. */
  readonly conditionsOptions: { readonly ready: boolean } | undefined;
  /** Present on the step that `pause()` makes: the engine asks by it whether an object is paused. */
  readonly pauseOptions: { readonly annotation: string; readonly deletions: boolean } | undefined;
  /** Present on the steps that `dependentApply()` makes. */
  readonly dependent: DependentRuntime | undefined;
}

/** What the engine knows of a step that keeps a dependent object. */
export interface DependentRuntime {
  readonly kind: Kind;
  /** Whether it may set an owner reference, for which the right to update the owner's finalizers is needed. */
  readonly refersToOwner: boolean;
  /** Whether it makes an object that has the name of its owner, because no other name is said. */
  readonly makesNamesake: boolean;
  /** Whether it has entries in `status.dependents`. */
  readonly hasEntries: boolean;
  /** Which object it keeps now. @throws what the author's functions throw */
  readonly target: (object: KubernetesObject) => Ref;
  /** What is wrong with it for objects of `primary`; each says how to mend it. */
  readonly problems: (primary: Kind) => readonly string[];
  /** The steps that must be ready before. Read when the handler is built: until then authors may add to their list. */
  readonly dependsOn: () => readonly (StepRuntime | undefined)[];
  /**
   * A `do` and its reads that hands `isWanted` over, and writes nothing: for one that must wait. Absent where it is always wanted.
   */
  readonly whetherWanted: Pick<StepRuntime, "reads" | "do"> | undefined;
  /** The live object that the cache has, where no step of this pass has said more. */
  readonly cached: (object: KubernetesObject, cache: Cache) => KubernetesObject | undefined;
  /** The entry for an object of which no more is known than this. Never throws. */
  readonly entryFor: (object: KubernetesObject, given: UnseenDependent) => DependentIdentity & DependentState;
}

export interface UnseenDependent {
  readonly state: DependentState;
  readonly error: unknown;
  /** What the entry of before calls it: in case its name cannot be told now. */
  readonly last: DependentIdentity | undefined;
}

export interface DeclaredCondition {
  readonly type: string;
  readonly counts: boolean;
}

const RUNTIME: symbol = Symbol.for("treadle.reconcile.Step");

/** The runtime of a step, or `undefined` for anything that `step()` did not make. */
export function runtimeOf(value: unknown): StepRuntime | undefined {
  return typeof value === "object" && value !== null ? (value as { [RUNTIME]?: StepRuntime })[RUNTIME as never] : undefined;
}

/** What untyped callers may hand to {@link defineStep}. */
export interface RawDefinition {
  readonly name: string;
  readonly conditions?: readonly Declared<string>[];
  readonly needs?: readonly unknown[];
  readonly reads?: Readonly<Record<string, unknown>>;
  readonly owns?: readonly Kind[];
  readonly permissions?: readonly Permission[];
  readonly events?: readonly string[];
  readonly state?: z.ZodObject;
  readonly writes?: readonly ("labels" | "annotations" | "spec")[];
  readonly finalizer?: "before-do" | "on-demand";
  readonly dryRun?: boolean;
  readonly timeoutMs?: number;
  readonly gate?: PhaseFunction;
  readonly do?: PhaseFunction;
  readonly cleanup?: PhaseFunction;
  readonly post?: PhaseFunction;
  readonly conditionsOptions?: { readonly ready: boolean };
  readonly pauseOptions?: { readonly annotation: string; readonly deletions: boolean };
  readonly dependent?: DependentRuntime;
}

/** Makes the opaque step. @throws TypeError for what is no definition at all. */
export function defineStep(kind: Kind, definition: RawDefinition): object {
  if (typeof definition?.name !== "string") throw new TypeError("step: the definition needs a name");
  const where = `step "${definition.name}"`;
  requireKind(where, kind);
  if (definition.conditions !== undefined && !Array.isArray(definition.conditions))
    throw new TypeError(`${where}: conditions must be a list`);
  for (const phase of ["gate", "do", "cleanup", "post"] as const) {
    const value: unknown = definition[phase];
    if (value !== undefined && typeof value !== "function") throw new TypeError(`${where}: ${phase} must be a function`);
  }
  if (definition.permissions !== undefined && !Array.isArray(definition.permissions))
    throw new TypeError(`${where}: permissions must be a list of { kind, verbs }`);
  if (definition.events !== undefined && !Array.isArray(definition.events))
    throw new TypeError(`${where}: events must be a list of reasons`);
  if (definition.needs !== undefined && !Array.isArray(definition.needs)) throw new TypeError(`${where}: needs must be a list of steps`);
  const needs = (definition.needs ?? []).map((needed) => {
    const runtime = runtimeOf(needed);
    if (runtime === undefined) throw new TypeError(`${where}: needs must list steps made by step()`);
    return runtime;
  });
  return opaque({
    name: definition.name,
    kind,
    conditions: (definition.conditions ?? []).map((declared) => declaredCondition(where, declared)),
    needs,
    reads: (definition.reads ?? {}) as Readonly<Record<string, AnyRead>>,
    owns: definition.owns ?? [],
    permissions: definition.permissions ?? [],
    events: definition.events ?? [],
    state: definition.state,
    writes: definition.writes ?? [],
    finalizer: definition.finalizer ?? "before-do",
    runsDry: definition.dryRun === true || definition.cleanup === undefined,
    timeoutMs: definition.timeoutMs,
    // Bound, so that phases written as methods may use `this`.
    gate: definition.gate?.bind(definition),
    do: definition.do?.bind(definition),
    cleanup: definition.cleanup?.bind(definition),
    post: definition.post?.bind(definition),
    children: undefined,
    concurrency: undefined,
    conditionsOptions: definition.conditionsOptions,
    pauseOptions: definition.pauseOptions,
    dependent: definition.dependent,
  });
}

/** @throws TypeError for what is no kind. */
export function requireKind(where: string, kind: Kind): void {
  if (typeof (kind as Kind | undefined)?.kind === "string") return;
  throw new TypeError(`${where}: the first argument must be a kind: what defineResource(), kind() or anyKind() gave, or a built-in kind`);
}

function declaredCondition(where: string, declared: Declared<string>): DeclaredCondition {
  if (typeof declared === "string") return { type: declared, counts: true };
  // Whether the type is one is for build() to say, together with everything else.
  if (declared?.ready === "counts" || declared?.ready === "ignored") return { type: declared.type, counts: declared.ready === "counts" };
  throw new TypeError(`${where}: a condition is declared as "Type" or { type: "Type", ready: "counts" | "ignored" }`);
}

/** Makes the step behind `all()`. @throws TypeError when a child was not made by `step()`. */
export function defineGroup(
  name: string,
  steps: readonly unknown[],
  given: { readonly maker?: string; readonly concurrency?: number } = {},
): object {
  const { maker = "all", concurrency } = given;
  if (typeof name !== "string" || !Array.isArray(steps))
    throw new TypeError(`${maker}: give it a name and a list of steps: ${maker}("parts", [one, two])`);
  const children = steps.map((child) => {
    const runtime = runtimeOf(child);
    if (runtime === undefined) throw new TypeError(`${maker}("${name}"): its parts must be steps made by step()`);
    if (concurrency !== undefined && runtime.dependent === undefined)
      throw new TypeError(`${maker}("${name}"): "${runtime.name}" is not made by dependentApply(): place it before or after, or use all()`);
    return runtime;
  });
  return opaque({
    name,
    kind: children[0]?.kind ?? { group: "", version: "", kind: "", plural: "", scope: "Namespaced" },
    conditions: [],
    needs: [],
    reads: {},
    owns: [],
    permissions: [],
    events: [],
    state: undefined,
    writes: [],
    finalizer: "before-do",
    runsDry: true,
    timeoutMs: undefined,
    gate: undefined,
    do: undefined,
    cleanup: undefined,
    post: undefined,
    children,
    concurrency,
    conditionsOptions: undefined,
    pauseOptions: undefined,
    dependent: undefined,
  });
}

/** Every step of the list and every part of an `all()` in it, in list order; groups themselves left out. */
export function leavesOf(steps: readonly StepRuntime[]): readonly StepRuntime[] {
  return steps.flatMap((step) => (step.children === undefined ? [step] : leavesOf(step.children)));
}

/** The kind of a step made with `anyKind`. */
export function isAnyKind(kind: Kind): boolean {
  return kind.kind === "";
}

function opaque(runtime: StepRuntime): object {
  const step = { name: runtime.name };
  Object.defineProperty(step, RUNTIME, { value: Object.freeze(runtime) });
  return Object.freeze(step);
}
