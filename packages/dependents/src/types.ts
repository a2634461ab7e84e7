/** What an author says of one dependent object. Types only. */
import type { Kind, KubernetesObject, ObjectOf, WriteOf } from "@treadle/apimachinery";
import type { Reads, ReadsOf, AnyStep, NeedsOf, Step } from "@treadle/reconcile";
import type { DependentEntry, DependentState } from "./core/entries.ts";
import type { Adoption } from "./core/plan.ts";

/** A step made by {@link dependentApply}: it knows the name and the kind of what it keeps, for `dependents` of others. */
export interface DependentStep<
  in T extends KubernetesObject,
  in N extends object = {},
  out Name extends string = string,
  out K extends Kind = Kind,
> extends Step<T, N> {
  /** In types only: what other steps are not. */
  readonly $dependent: { readonly name: Name; readonly kind: K };
}

// oxlint-disable-next-line typescript/no-explicit-any -- the only type that matches a parameter of every variance
export type AnyDependentStep = DependentStep<any, any>;

/** Every member optional, at any depth. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]?: DeepPartial<T[Member]> | undefined }
    : T;

/** What is wanted of an object of kind `K`; its name, namespace and the marks of its owner are added. */
export type Desired<K extends Kind> = DeepPartial<Omit<WriteOf<K>, "apiVersion" | "kind" | "metadata" | "status">> & {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
};

/** What a dependent may be made of, besides the object itself. */
export interface DependentInputs<L extends readonly AnyStep[], R, D extends readonly AnyDependentStep[]> {
  /** What the steps in `needs` handed over. */
  readonly vars: Readonly<NeedsOf<L>>;
  /** The declared `reads`. */
  readonly reads: ReadsOf<R>;
  /** The live objects of the steps in `dependsOn`, by step name; `undefined` for one that is not wanted. */
  readonly dependents: DependentsOf<D>;
}

type NameOf<S> = S extends { readonly $dependent: { readonly name: infer Name extends string } } ? Name : never;
type KindOf<S> = S extends { readonly $dependent: { readonly kind: infer K extends Kind } } ? K : never;

/** The live objects of `D`, by step name. */
export type DependentsOf<D extends readonly AnyDependentStep[]> = {
  readonly [S in D[number] as NameOf<S>]: ObjectOf<KindOf<S>> | undefined;
};

/** Options of {@link dependentApply}, for owners `T` and objects of kind `K`. */
export interface DependentOptions<
  T extends KubernetesObject,
  K extends Kind,
  Name extends string,
  L extends readonly AnyStep[],
  R extends Reads<T>,
  D extends readonly AnyDependentStep[],
> {
  /** Persistent: each object carries it as a label, by which it is found again. */
  readonly name: Name;
  readonly kind: K;
  /**
   * What is wanted: a deep partial, or a pure function that gives one; `undefined` = not wanted, and what there is of ours
   * is deleted. Fields that it does not name are left to others. May be left out with `created: false`.
   */
  readonly desired?: Desired<K> | ((object: T, inputs: DependentInputs<L, R, D>) => Desired<K> | undefined);
  /** Dependents that must be ready before, and are cleaned up after this one. */
  readonly dependsOn?: D;
  readonly needs?: L;
  readonly reads?: R;
  /** Pure. @defaultValue the name of the owner */
  readonly objectName?: string | ((object: T) => string);
  /** Pure; of no effect for a cluster-scoped kind. @defaultValue the namespace of the owner */
  readonly namespace?: string | ((object: T) => string);
  /** `true`, or a sentence why not yet; pure. @defaultValue it exists */
  readonly readyWhen?: (live: ObjectOf<K>, object: T, inputs: DependentInputs<L, R, D>) => true | string;
  /**
   * Refines the entry in `status.dependents`, from the live object or from the error; pure. A type `Pending`, `Failed` or
   * `Unknown` instead of `Ready` makes the step wait.
   */
  readonly status?: (entry: DependentState, live: ObjectOf<K> | undefined, error: unknown) => DependentState;
  /**
   * It is marked as the owner's, and deleted with it. With `false` it carries only the label of the step, and stays.
   * @defaultValue true, but false with `created: false`
   */
  readonly owned?: boolean;
  /**
   * Created when missing; `false`: somebody else creates it, and the step waits. What is wanted of it is then applied, too,
   * unless somebody controls it, which is said. @defaultValue true
   */
  readonly created?: boolean;
  /** What is wanted is put back, and follows the owner; `false`: an existing object is left as it is. @defaultValue true */
  readonly updated?: boolean;
  /** A change of the object starts a pass; `false`: no watch, but a GET in each pass. @defaultValue true */
  readonly watched?: boolean;
  /** It has an entry in `status.dependents` and the step waits until it is ready. @defaultValue true */
  readonly checkedForReadiness?: boolean;
  /** How it is marked as the owner's. @defaultValue "reference" where the owner can be referred to, else "label" */
  readonly ownership?: "reference" | "label";
  /** @defaultValue "never"; "ifUnowned" with `owned: false` */
  readonly adopt?: Adoption;
  /**
   * A merge of one's own in place of server-side apply: `undefined` = nothing to write; what it returns is stored as it is,
   * unless the object has changed meanwhile. Must not change `live`.
   */
  readonly update?: (live: ObjectOf<K>, desired: Desired<K>) => object | undefined;
  /** What it is called in messages. @defaultValue the kind */
  readonly displayName?: string;
  /** Deadline of each phase in milliseconds. @defaultValue `deadlines.stepMs` of the handler */
  readonly timeoutMs?: number;
}

export type { Adoption, DependentState };
