/**
 * Step: a named unit of reconciliation with `gate`, `do`, `cleanup` and `post`, all optional, and what it declares.
 * Steps are made by {@link step} (and the factories around it), never as literals: the types that make order, vars and
 * conditions safe hang on it.
 */
/* oxlint-disable typescript/no-explicit-any -- `any` is the only type that a parameter of every variance matches; it never reaches a user. */
import type { Kind, KubernetesObject, ObjectOf, OutputOf } from "@treadle/apimachinery";
import type { z } from "zod";
import type { Declared } from "./condition.ts";
import { defineComposite, defineStep } from "./build/step-runtime.ts";
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
  /** In types only. */
  readonly $t?: (t: T) => void;
  /** For the compiler only: the vars that the step needs. */
  readonly $n?: (n: N) => void;
  /** For the compiler only: the vars that the step provides. */
  readonly $p?: P;
}

/** A step of any kind, with any needs. */
export type AnyStep = Step<any, any, any>;

/** A sentence in place of a type: the compiler prints it where a step does not fit. */
export interface Problem<M extends string> {
  readonly "treadle: this step cannot stand here": M;
}

/** The vars that a step provides. */
export type ProvidesOf<S> = S extends Step<any, any, infer P> ? P : never;
type UnionToIntersection<U> = (U extends any ? (x: U) => void : never) extends (x: infer I) => void ? I : never;

/** The vars of all steps of the list together. */
export type NeedsOf<L extends readonly AnyStep[]> = L extends readonly [] ? {} : UnionToIntersection<ProvidesOf<L[number]>> & object;

/** A first pass has no state yet: `{}` must be a valid input. */
export type Startable<S extends z.ZodObject> =
  {} extends z.input<S> ? unknown : Problem<"every key of state needs .default() or .optional(): the first pass starts from {}">;

/** What `do` may return: nothing only where it provides nothing. */
export type DoResult<P extends object> = StepResult<P> | ({} extends P ? void : never);

/** What the steps of a handler are made of; see {@link step}. */
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
  /** Unique in the handler; persistent where the step has state. Lower case letters, digits and `-`. */
  readonly name: string;
  /** The condition types it manages; no other step may manage them. */
  readonly conditions?: readonly Declared<C>[];
  /** The steps whose vars it uses. */
  readonly needs?: L;
  /** What it reads of other objects: watched, indexed, typed in `req.reads`. */
  readonly reads?: D;
  /** The kinds of objects that it creates: changes of an owned object wake its owner. */
  readonly owns?: readonly Kind[];
  /**
   * Rights that do not follow from `reads`, `owns`, `cleanup`, `writes` and `state`: what else it does by `req.client`.
   * `rbacManifests()` grants them; nothing checks here that they are used. @defaultValue none
   */
  readonly permissions?: readonly Permission[];
  /** The reasons of the events that it records by `req.event()`; the right to write events follows from them. @defaultValue none */
  readonly events?: readonly string[];
  /** What it remembers between passes, kept in `status.steps.<name>`. */
  readonly state?: St & Startable<St>;
  /**
   * Makes what it remembers of each object in this process, in `req.memory`: caches, the last observation, open handles. It is
   * dropped with the uid of the object, by a new value of the annotation `treadle.dev/reconcile-requested-at`, and at every restart.
   * @defaultValue no memory
   */
  readonly memory?: () => M;
  /** What of the object itself it may write besides the status. A change of the spec ends the chain. */
  readonly writes?: readonly W[];
  /** When a step with `cleanup` takes the finalizer. @defaultValue "before-do" */
  readonly finalizer?: "before-do" | "on-demand";
  /**
   * Whether it may run in a dry run although it has a cleanup, and so does something that only it can undo: because all of
   * that is done by `req.client`, or `req.isDryRun` is asked before. A step without cleanup always runs. @defaultValue false
   */
  readonly dryRun?: boolean;
  /** Deadline of each phase in milliseconds. @defaultValue `deadlines.stepMs` of the handler */
  readonly timeoutMs?: number;
  /** Decides whether the chain runs; it must not change anything. */
  gate?(req: GateReq<T, D, C>): Wait | Stop | void;
  /** Makes the world match the spec. */
  do?(req: Req<T, NeedsOf<L>, D, C, OutputOf<St>, W, M>): DoResult<P> | Promise<DoResult<P>>;
  /** Undoes what `do` did, while the object is being deleted. */
  cleanup?(req: CleanupReq<T, D, C, OutputOf<St>, M>): Wait | void | Promise<Wait | void>;
  /** Runs after the chain, whatever its outcome is. */
  post?(req: PostReq<T, NeedsOf<L>, D, C, OutputOf<St>, M>): Wait | void | Promise<Wait | void>;
}

/**
 * Makes a step. Everything about its types is inferred from `kind` and the definition.
 *
 * @throws TypeError when the definition is not one (untyped code); what depends on the pipeline is reported by `build()`.
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

/** A step for every kind that has this shape: `step(anyKind<{ spec: { replicas: number } }>(), ...)`. */
export function anyKind<Shape extends object>(): Kind<KubernetesObject & Shape> {
  return ANY_KIND;
}

/** Stands for every kind; a handler never has it. */
const ANY_KIND: Kind = { group: "", version: "", kind: "", plural: "", scope: "Namespaced" };

type Join<L extends readonly AnyStep[]> = [L[number]] extends [Step<infer T, infer N, any>] ? Step<T, N> : never;
type KeysOf<S> = S extends Step<any, any, infer P> ? keyof P & string : never;
/** A list whose steps are known only at run time (`AnyStep[]`) is let through; `build()` and the pass look at it. */
type Silent<L extends readonly AnyStep[]> = [KeysOf<L[number]>] extends [never]
  ? unknown
  : string extends KeysOf<L[number]>
    ? unknown
    : Problem<`a child of all() provides vars.${KeysOf<L[number]>}: place it before all()`>;

/**
 * One step of several, for parts that do not depend on each other: runs every child in list order (cleanups in reverse)
 * whatever the others do, each with its own deadline; joins their errors; else the earliest wait, else a stop ends the chain.
 * Gates and posts of children run as if they stood in the list.
 */
export function all<const L extends readonly Step<any, any, {}>[]>(name: string, steps: L & Silent<L>): Join<L> {
  // The join of the children's types is what the signature computes; at run time there is nothing to check it against.
  return defineComposite({ name, parts: { steps } }) as unknown as Join<L>;
}
