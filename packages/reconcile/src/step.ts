/**
 * A step is a named unit of reconciliation: optional phases `gate`, `do`, `cleanup` and `post`, and declarations. {@link step} and
 * the factories around it make steps. An object literal is not a step, because the types of order, vars and conditions are missing.
 */
/* oxlint-disable typescript/no-explicit-any -- `any` is the only type that a parameter of every variance matches; it never reaches a user. */
import type { Kind, KubernetesObject, ObjectOf, OutputOf } from "@treadle/apimachinery";
import type { z } from "zod";
import type { Declared } from "./condition.ts";
import { defineComposite, defineStep, optionalStep } from "./build/step-runtime.ts";
import type { Permission } from "./permission.ts";
import type { Reads } from "./reads.ts";
import type { CleanupReq, GateReq, PostReq, Req } from "./req.ts";
import type { made, StepResult, Stop, Wait } from "./result.ts";

/** A step for objects `T` that needs the vars `N` of earlier steps and provides the vars `P`. */
export interface Step<in T extends KubernetesObject, in N extends object = {}, out P extends object = {}> {
  /** Marks a step that `step()` made. */
  readonly [made]: true;
  /** The name of the step, unique in its handler. */
  readonly name: string;
  /** For the compiler only: the objects that the step accepts. */
  readonly $t?: (t: T) => void;
  /** For the compiler only: the vars that the step needs. */
  readonly $n?: (n: N) => void;
  /** For the compiler only: the vars that the step provides. */
  readonly $p?: P;
}

/** This is a step of any kind, with any needs. */
export type AnyStep = Step<any, any, any>;

/** A problem is a sentence that the compiler prints for a step that does not fit. */
export interface Problem<M extends string> {
  readonly "treadle: this step cannot stand here": M;
}

/** These are the vars that a step provides. */
export type ProvidesOf<S> = S extends Step<any, any, infer P> ? P : never;
type UnionToIntersection<U> = (U extends any ? (x: U) => void : never) extends (x: infer I) => void ? I : never;

/** These are the vars of all steps of a list together. */
export type NeedsOf<L extends readonly AnyStep[]> = L extends readonly [] ? {} : UnionToIntersection<ProvidesOf<L[number]>> & object;

/** A step in `needs` whose vars may be missing; `optional()` makes it. */
export interface OptionalStep<out P extends object = {}> extends Step<any, {}, P> {
  /** Marks what `optional()` returned. It is for `needs` alone. */
  readonly $optional: true;
}

/**
 * Lets a step run without the vars of another step: `needs: [optional(role)]`. Each var is `undefined` while it is missing. The
 * other step must be in the list before, as every step in `needs`.
 *
 * @throws TypeError for a value that is not a step
 */
export function optional<P extends object>(step: Step<any, any, P>): OptionalStep<{ readonly [Name in keyof P]: P[Name] | undefined }> {
  return optionalStep(step) as OptionalStep<any>; // What optionalStep() gives is opaque; the signature is what is known of it.
}

type NamesOf<S> = S extends Step<any, any, infer P> ? (string extends keyof P ? never : keyof P & string) : never;
/** The names of vars that two steps of a list provide. */
type Twice<L, Seen = never> = L extends readonly [infer First, ...infer Rest]
  ? (NamesOf<First> & Seen) | Twice<Rest, Seen | NamesOf<First>>
  : never;

/** Accepts a list of `needs` in which no two steps provide the same var. */
export type Distinct<L extends readonly AnyStep[]> = [Twice<L>] extends [never]
  ? unknown
  : Problem<`two steps provide vars.${Twice<L>}: rename it in one of them`>;

/** This type accepts a state schema that parses `{}`, because the first pass has no state. */
export type Startable<S extends z.ZodObject> =
  {} extends z.input<S> ? unknown : Problem<"every key of state needs .default() or .optional(): the first pass starts from {}">;

/** This is the type that `do` may return. `void` is allowed only in a step that provides no vars. */
export type DoResult<P extends object> = StepResult<P> | ({} extends P ? void : never);

/** A step definition has the phases and declarations of a step; see {@link step}. */
export interface StepDefinition<
  T extends KubernetesObject,
  C extends string,
  L extends readonly AnyStep[],
  D extends Reads<T>,
  St extends z.ZodObject,
  W extends "labels" | "annotations" | "spec",
  P extends object,
  M extends object = {},
> {
  /** The name of the step, unique in the handler, with lower case letters, digits and `-`. Persistent if the step has state. */
  readonly name: string;
  /** The condition types that the step manages; no other step may manage them. */
  readonly conditions?: readonly Declared<C>[];
  /** The steps whose vars this step uses. */
  readonly needs?: L & Distinct<L>;
  /** The other objects that the step reads: watched, indexed, typed in `req.reads`. */
  readonly reads?: D;
  /** The kinds of the objects that the step creates. A change of an owned object triggers a pass of its owner. */
  readonly owns?: readonly Kind[];
  /**
   * Rights for other uses of `req.client`, which do not follow from `reads`, `owns`, `cleanup`, `writes` and `state`.
   * `rbacManifests()` grants them; the engine does not check that they are used. @defaultValue none
   */
  readonly permissions?: readonly Permission[];
  /** The reasons of the events that the step records by `req.event()`. The right to write events follows from them. @defaultValue none */
  readonly events?: readonly string[];
  /** The schema of the state that the step stores between passes, in `status.steps.<name>`. */
  readonly state?: St & Startable<St>;
  /**
   * Makes `req.memory`, the data that the step keeps for each object in this process: caches, the last observation, open handles.
   * It is dropped with the uid of the object, by a new value of `treadle.dev/reconcile-requested-at`, and at every restart.
   * @defaultValue no memory
   */
  readonly memory?: () => M;
  /** The parts of the object that the step may write besides the status. A change of the spec ends the chain. */
  readonly writes?: readonly W[];
  /** When a step with `cleanup` adds the finalizer. @defaultValue "before-do" */
  readonly finalizer?: "before-do" | "on-demand";
  /**
   * Whether a step with a cleanup runs in a dry run. Say `true` if the step causes side effects only by `req.client`, or checks
   * `req.isDryRun` before. A step without cleanup always runs. @defaultValue false
   */
  readonly dryRun?: boolean;
  /** Maximum time of each phase, in milliseconds. @defaultValue `deadlines.stepMs` of the handler */
  readonly timeoutMs?: number;
  /** Decides whether the chain runs. It must not change anything. */
  gate?(req: GateReq<T, D, C>): Wait | Stop | void;
  /** Brings the world to the spec. */
  do?(req: Req<T, NeedsOf<L>, D, C, OutputOf<St>, W, M>): DoResult<P> | Promise<DoResult<P>>;
  /** Undoes the effects of `do`, while the object is being deleted. */
  cleanup?(req: CleanupReq<T, D, C, OutputOf<St>, M>): Wait | void | Promise<Wait | void>;
  /** Runs after the chain, for every outcome. */
  post?(req: PostReq<T, NeedsOf<L>, D, C, OutputOf<St>, M>): Wait | void | Promise<Wait | void>;
}

/**
 * Makes a step. All types are inferred from `kind` and the definition.
 *
 * @throws TypeError when the definition is invalid (untyped code). `build()` reports problems that depend on the handler.
 */
export function step<
  K extends Kind,
  const C extends string = never,
  const L extends readonly AnyStep[] = readonly [],
  D extends Reads<ObjectOf<K>> = {},
  St extends z.ZodObject = z.ZodObject<{}>,
  const W extends "labels" | "annotations" | "spec" = never,
  P extends object = {},
  M extends object = {},
>(kind: K, definition: StepDefinition<ObjectOf<K>, C, L, D, St, W, P, M>): Step<ObjectOf<K>, NeedsOf<L>, P> {
  return defineStep(kind, definition as unknown as Parameters<typeof defineStep>[1]) as AnyStep;
}

/** Returns a kind for steps that accept every kind of this shape: `step(anyKind<{ spec: { replicas: number } }>(), ...)`. */
export function anyKind<Shape extends object>(): Kind<KubernetesObject & Shape> {
  return ANY_KIND;
}

/** The placeholder for every kind; a handler never has it. */
const ANY_KIND: Kind = { group: "", version: "", kind: "", plural: "", scope: "Namespaced" };

type Join<L extends readonly AnyStep[], P extends object> = [L[number]] extends [Step<infer T, infer N, any>]
  ? Step<T, Omit<N, keyof P>, P>
  : never;
/** The vars of a list of steps; nothing is known of those of `AnyStep[]`, a list that is known only at run time. */
type ProvidedBy<L extends readonly AnyStep[]> = string extends keyof NeedsOf<L> ? {} : NeedsOf<L>;

/** The step that a group of steps makes: it needs only the vars that no member provides, and provides those of its members. */
export type GroupOf<L extends readonly AnyStep[]> = Join<L, ProvidedBy<L>>;

/** Accepts the members of a group. `build()` and the pass check a list that is known only at run time (`AnyStep[]`). */
export type Members<L extends readonly AnyStep[]> = [Extract<L[number], OptionalStep<any>>] extends [never]
  ? Distinct<L>
  : Problem<"optional() is for needs: give the group the step itself">;

/**
 * Makes one step of several parts. Every part runs with its own deadline, one after the other, also if others fail. Their errors
 * are joined; else the earliest wait ends the chain, else a stop. Gates and posts of the parts run as if the parts were in the
 * list of the handler.
 *
 * The parts run in list order, but a part that needs another runs after it; cleanups run in the reverse order. A part whose
 * provider is not done does not run, unless it uses `optional()`. Later steps get the vars of all parts.
 */
export function all<const L extends readonly AnyStep[]>(name: string, steps: L & Members<L>): GroupOf<L> {
  // The join of the members' types is what the signature computes; at run time there is nothing to check it against.
  return defineComposite({ name, parts: { steps } }) as unknown as GroupOf<L>;
}
