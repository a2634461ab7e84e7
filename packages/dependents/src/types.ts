/** The options of one dependent object. Types only. */
import type { Kind, KubernetesObject, ObjectOf, WriteOf } from "@treadle/apimachinery";
import type { AnyStep, Declared, NeedsOf, Reads, ReadsOf, Step } from "@treadle/reconcile";
import type { Distinct } from "@treadle/reconcile/unstable/engine";
import type { DependentState } from "./core/entries.ts";
import type { OnImmutable } from "./core/immutable.ts";
import type { Adoption } from "./core/plan.ts";
import type { Gates } from "./gates.ts";
import type { Target } from "./targets/types.ts";

/** A step made by `dependentApply()`. Its type knows the name of the step and the kind of its object, for the `dependents` of others. */
export interface DependentStep<
  in T extends KubernetesObject,
  in N extends object = {},
  out Name extends string = string,
  out K extends Kind = Kind,
  out P extends object = {},
  out I extends EachItem | undefined = EachItem | undefined,
> extends Step<T, N, P> {
  /** Exists in types only: other steps do not have it. */
  readonly $dependent: { readonly name: Name; readonly kind: K; readonly item: I };
}

/** A {@link DependentStep} of any owner, name and kind. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that matches a parameter of every variance
export type AnyDependentStep = DependentStep<any, any, string, Kind, any>;

/** An element of the list that `each` returns: its key, and any other data for the functions of the step. */
export interface EachItem {
  /** Names the item in the list: a text that is not empty, and that no other item of the list has. */
  readonly key: string;
}

/** The values that the functions in `gives` return, by name. */
export type GivenValues = Readonly<Record<string, unknown>>;

/** The vars that a step hands over for `gives`: each value by its name, or with `each` a record of the values by key. */
export type GivenVars<G extends object, I extends EachItem | undefined> = {
  readonly [V in keyof G]: [I] extends [EachItem] ? Readonly<Record<string, NonNullable<G[V]>>> : NonNullable<G[V]>;
};

/** Makes every member optional, at any depth. */
export type DeepPartial<T> = T extends readonly (infer Item)[]
  ? readonly DeepPartial<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]?: DeepPartial<T[Member]> | undefined }
    : T;

/** The desired state of an object of kind `K`. Its name, its namespace and the marks of its owner are added. */
export type Desired<K extends Kind> = DeepPartial<Omit<WriteOf<K>, "apiVersion" | "kind" | "metadata" | "status">> & {
  readonly metadata?: {
    readonly labels?: Readonly<Record<string, string>> | undefined;
    readonly annotations?: Readonly<Record<string, string>> | undefined;
    readonly finalizers?: readonly string[] | undefined;
  };
};

/** What the functions of an author get besides the owner. */
export interface DependentInputs<L extends readonly AnyStep[], R, D extends readonly AnyDependentStep[]> {
  /** The vars of the steps in `needs`. */
  readonly vars: Readonly<NeedsOf<L>>;
  /** The values of the declared `reads`. */
  readonly reads: ReadsOf<R>;
  /**
   * The live objects of the steps in `dependsOn`, by step name; `undefined` for an object that is not desired. For a step with
   * `each` it is a record of the objects that exist, by key.
   */
  readonly dependents: DependentsOf<D>;
  /**
   * Returns the time of the pass, in milliseconds since 1970. A function that called it is called again in each pass, because its
   * answer may change while its inputs stay. It must say by `revisit` when that happens.
   */
  readonly now: () => number;
  /**
   * Asks for another pass after so many milliseconds, in which the function is called again. Of several requests the earliest
   * counts. `Infinity` means that the answer does not change by time any more.
   */
  readonly revisit: (afterMs: number) => void;
}

/** Facts about the cluster, for `includeWhen`. */
export interface ClusterFacts {
  /** Whether the server serves a kind that the handler reads, owns or watches. */
  readonly isServed: (kind: Kind) => boolean;
}

type NameOf<S> = S extends { readonly $dependent: { readonly name: infer Name extends string } } ? Name : never;
type ItemOf<S> = S extends { readonly $dependent: { readonly item: infer I } } ? I : never;
type KindOf<S> = S extends { readonly $dependent: { readonly kind: infer K extends Kind } } ? K : never;

/** The live objects of `D`, by step name. */
export type DependentsOf<D extends readonly AnyDependentStep[]> = {
  readonly [S in D[number] as NameOf<S>]: [ItemOf<S>] extends [EachItem]
    ? Readonly<Record<string, ObjectOf<KindOf<S>>>>
    : ObjectOf<KindOf<S>> | undefined;
};

/** The options of a step with any types. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that fits the functions of every author
export type AnyOptions = DependentFields<any, Kind, string, any, any, any, any, any>;

/** Options of `dependentApply()`, for owners `T` and objects of kind `K`. */
export type DependentOptions<
  T extends KubernetesObject,
  K extends Kind,
  Name extends string,
  L extends readonly AnyStep[],
  R extends Reads<T>,
  D extends readonly AnyDependentStep[],
  I extends EachItem | undefined = undefined,
  G extends GivenValues = {},
> = DependentFields<T, K, Name, L, R, D, I, G> & SwitchRules;

/** The fields of {@link DependentOptions}, without the rules about their combinations. */
export interface DependentFields<
  T extends KubernetesObject,
  K extends Kind,
  Name extends string,
  L extends readonly AnyStep[],
  R extends Reads<T>,
  D extends readonly AnyDependentStep[],
  I extends EachItem | undefined = undefined,
  G extends GivenValues = {},
> {
  /** Persistent name of the step: each object carries it as a label, by which it is found again. */
  readonly name: Name;
  /** Kind of the object. */
  readonly kind: K;
  /**
   * Pure function of the owner that returns a list: the step keeps one object for each item. An object whose key is no longer in
   * the list is deleted. Write it before the functions that get the item, so that the compiler knows its type.
   * @defaultValue one object
   */
  readonly each?: (object: T) => readonly I[];
  /**
   * The desired state, or a pure function that returns it. `undefined` means that the object is not desired: if it is ours,
   * it is deleted. Fields that the desired state does not name are not modified. May be left out with `created: false`.
   */
  readonly desired?: Desired<K> | ((object: T, inputs: NoInfer<DependentInputs<L, R, D>>, item: NoInfer<I>) => Desired<K> | undefined);
  /**
   * Whether the object is desired: pure predicates of the owner and the inputs, all of which must hold. If one does not hold, what
   * exists of ours is deleted. With `created: false` nothing is deleted. @defaultValue it is desired
   */
  readonly when?: Gates<[T, DependentInputs<L, R, D>]>;
  /**
   * Whether the object is released: pure predicates of the owner, all of which must hold. Then nothing is created, and an existing
   * object stays without our marks and owner reference. They are also asked when the owner is deleted. @defaultValue never
   */
  readonly orphanWhen?: Gates<[T]>;
  /**
   * Whether the step is part of the list in this pass: a pure function of the owner and the cluster. With `false` nothing is read,
   * rendered, created or deleted, the entry is removed, and the kind need not be served. @defaultValue always
   */
  readonly includeWhen?: (object: T, cluster: ClusterFacts) => boolean;
  /**
   * A precondition: a pure function that returns `true`, or a text with the reason why not. With a text the step waits, and the
   * object is neither created nor changed nor deleted. @defaultValue none
   */
  readonly until?: (object: T, inputs: NoInfer<DependentInputs<L, R, D>>) => true | string;
  /**
   * The conditions that the step sets, as in `step()`. They follow the entry: Ready is True, Pending and Failed are False. Of several
   * objects the worst decides. @defaultValue none
   */
  readonly conditions?: readonly Declared<string>[];
  /** Dependents that must be ready before this one, and are cleaned up after it. */
  readonly dependsOn?: D;
  /** Earlier steps whose vars the functions get. */
  readonly needs?: L & Distinct<L>;
  /** Objects that the functions get, as in `step()`. */
  readonly reads?: R;
  /**
   * Name of the object, or a pure function that returns it. @defaultValue the name of the owner; with `each`, `<owner>-<key>`.
   * A default of more than 63 characters (52 for a StatefulSet or CronJob) is shortened, and ends with a hash.
   */
  readonly objectName?: string | ((object: T, item: NoInfer<I>) => string);
  /** Namespace of the object, or a pure function that returns it; ignored for a cluster-scoped kind. @defaultValue the namespace of the owner */
  readonly namespace?: string | ((object: T, item: NoInfer<I>) => string);
  /**
   * Function that returns `true`, or a sentence that says why the object is not ready yet. Each pass calls it until it returns
   * `true`, and again after a change. `() => true`: it is ready when it exists. @defaultValue `health()` of the object; a
   * PersistentVolumeClaim that is not bound yet is ready
   */
  readonly readyWhen?: (live: ObjectOf<K>, object: T, inputs: DependentInputs<L, R, D>, item: NoInfer<I>) => true | string;
  /**
   * Pure functions that return values of the live object, by name. Later steps with this step in `needs` get them as vars. They
   * wait as long as a value is `undefined` or `null`. A value is plain JSON. With `each`, a var is a record of the values by key.
   */
  readonly gives?: { readonly [V in keyof G]: (live: ObjectOf<K>, object: T, item: NoInfer<I>) => G[V] };
  /**
   * Pure function that refines the entry in `status.dependents`, from the live object or from the error. A type `Pending`,
   * `Failed` or `Unknown` instead of `Ready` makes the step wait.
   */
  readonly status?: (entry: DependentState, live: ObjectOf<K> | undefined, error: unknown, item: NoInfer<I>) => DependentState;
  /**
   * Whether the object is marked as the owner's, and deleted with it. With `false` it carries only the label of the step, and stays.
   * @defaultValue true, but false with `created: false`
   */
  readonly owned?: boolean;
  /**
   * Whether the object is created when it is missing. With `false` another writer creates it, and the step waits. The desired
   * state is then applied too, unless the object has a controller: the entry reports that. @defaultValue true
   */
  readonly created?: boolean;
  /**
   * With `created: false`: what the step does as long as the object does not exist. `"wait"`: the entry is Pending. `"ignore"`: the
   * step continues, without an entry. `"fail"`: the entry is Failed, and Ready is False. @defaultValue "wait"
   */
  readonly absent?: "wait" | "ignore" | "fail";
  /** Whether drift is reverted, and the object follows the owner. With `false` an existing object is not modified. @defaultValue true */
  readonly updated?: boolean;
  /** Whether a change of the object starts a pass. With `false` there is no watch, but a GET in each pass. @defaultValue true */
  readonly watched?: boolean;
  /**
   * Whether the object has an entry in `status.dependents`, and the step waits until it is ready. With `false` its owner does
   * not wait for it: a failure is logged and retried with a backoff. @defaultValue true
   */
  readonly checkedForReadiness?: boolean;
  /** How the object is marked as the owner's. @defaultValue "reference" where the owner can be referred to, else "label" */
  readonly ownership?: "reference" | "label";
  /** Which existing objects may be taken. @defaultValue "never"; "ifUnowned" with `owned: false` */
  readonly adopt?: Adoption;
  /**
   * A custom merge in place of server-side apply. The object that it returns is stored, unless the object has changed
   * meanwhile; `undefined` means that there is nothing to write. It must not change `live`.
   */
  readonly update?: (live: ObjectOf<K>, desired: Desired<K>) => object | undefined;
  /**
   * What happens when the desired state changes a field that the server does not let change, e.g. `spec.template` of a Job.
   * `fail`: the entry is Failed, and nothing is written. `recreate`: the object is deleted in the foreground, and created again
   * when it no longer exists; claims of a StatefulSet stay. `ignore`: the field keeps its value. @defaultValue "fail"
   */
  readonly onImmutable?: OnImmutable;
  /**
   * Whether the object runs to completion once: after it was seen ready it is not created again when it is deleted, unless the
   * desired state changes. For Jobs with a time to live. The resource needs `stepState: true`. @defaultValue false
   */
  readonly once?: boolean;
  /**
   * When the step adds the finalizer of the handler, as in `step()`. With `"on-demand"` it never does: the garbage collector deletes
   * the object by its owner reference, unless another step holds the finalizer. @defaultValue "before-do"
   */
  readonly finalizer?: "before-do" | "on-demand";
  /**
   * Another cluster, or another user, for the objects: what `clusters.target()` returned. The resource needs `stepState: true`.
   * @defaultValue the cluster of the operator
   */
  readonly target?: Target<T>;
  /** The name of the kind in messages. @defaultValue the kind */
  readonly displayName?: string;
  /** Maximum time for one phase, in milliseconds. @defaultValue `deadlines.stepMs` of the handler */
  readonly timeoutMs?: number;
}

/** A sentence that the compiler prints for switches that exclude each other. */
export interface SwitchProblem<M extends string> {
  readonly "treadle: these switches exclude each other": M;
}

/** The combinations of switches that have a meaning. `build()` refuses the others for untyped code. */
export type SwitchRules =
  | {
      readonly absent?: SwitchProblem<"absent is for an object that another writer creates: set created: false, or leave absent out">;
      readonly orphanWhen?: SwitchProblem<"orphanWhen is for an object that the owner owns: leave out owned: false and created: false">;
    }
  | { readonly created: false; readonly orphanWhen?: never }
  | { readonly created?: true; readonly owned?: true; readonly absent?: never };

export type { Adoption, OnImmutable };
