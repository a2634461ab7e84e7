/** The options of one dependent object. Types only. */
import type { Kind, KubernetesObject, ObjectOf, WriteOf } from "@treadle/apimachinery";
import type { Reads, ReadsOf, AnyStep, NeedsOf, Step } from "@treadle/reconcile";
import type { DependentState } from "./core/entries.ts";
import type { OnImmutable } from "./core/immutable.ts";
import type { Adoption } from "./core/plan.ts";

/** A step made by `dependentApply()`. Its type knows the name of the step and the kind of its object, for the `dependents` of others. */
export interface DependentStep<
  in T extends KubernetesObject,
  in N extends object = {},
  out Name extends string = string,
  out K extends Kind = Kind,
> extends Step<T, N> {
  /** Exists in types only: other steps do not have it. */
  readonly $dependent: { readonly name: Name; readonly kind: K };
}

/** A {@link DependentStep} of any owner, name and kind. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that matches a parameter of every variance
export type AnyDependentStep = DependentStep<any, any>;

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
  /** The live objects of the steps in `dependsOn`, by step name; `undefined` for an object that is not desired. */
  readonly dependents: DependentsOf<D>;
}

type NameOf<S> = S extends { readonly $dependent: { readonly name: infer Name extends string } } ? Name : never;
type KindOf<S> = S extends { readonly $dependent: { readonly kind: infer K extends Kind } } ? K : never;

/** The live objects of `D`, by step name. */
export type DependentsOf<D extends readonly AnyDependentStep[]> = {
  readonly [S in D[number] as NameOf<S>]: ObjectOf<KindOf<S>> | undefined;
};

/** Options of `dependentApply()`, for owners `T` and objects of kind `K`. */
export interface DependentOptions<
  T extends KubernetesObject,
  K extends Kind,
  Name extends string,
  L extends readonly AnyStep[],
  R extends Reads<T>,
  D extends readonly AnyDependentStep[],
> {
  /** Persistent name of the step: each object carries it as a label, by which it is found again. */
  readonly name: Name;
  /** Kind of the object. */
  readonly kind: K;
  /**
   * The desired state, or a pure function that returns it. `undefined` means that the object is not desired: if it is ours,
   * it is deleted. Fields that the desired state does not name are not modified. May be left out with `created: false`.
   */
  readonly desired?: Desired<K> | ((object: T, inputs: DependentInputs<L, R, D>) => Desired<K> | undefined);
  /** Dependents that must be ready before this one, and are cleaned up after it. */
  readonly dependsOn?: D;
  /** Earlier steps whose vars the functions get. */
  readonly needs?: L;
  /** Objects that the functions get, as in `step()`. */
  readonly reads?: R;
  /** Name of the object, or a pure function that returns it. @defaultValue the name of the owner */
  readonly objectName?: string | ((object: T) => string);
  /** Namespace of the object, or a pure function that returns it; ignored for a cluster-scoped kind. @defaultValue the namespace of the owner */
  readonly namespace?: string | ((object: T) => string);
  /**
   * Function that returns `true`, or a sentence that says why the object is not ready yet. Each pass calls it until it returns
   * `true`, and again after a change. `() => true`: it is ready when it exists. @defaultValue `health()` of the object; a
   * PersistentVolumeClaim that is not bound yet is ready
   */
  readonly readyWhen?: (live: ObjectOf<K>, object: T, inputs: DependentInputs<L, R, D>) => true | string;
  /**
   * Pure function that refines the entry in `status.dependents`, from the live object or from the error. A type `Pending`,
   * `Failed` or `Unknown` instead of `Ready` makes the step wait.
   */
  readonly status?: (entry: DependentState, live: ObjectOf<K> | undefined, error: unknown) => DependentState;
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
  /** The name of the kind in messages. @defaultValue the kind */
  readonly displayName?: string;
  /** Maximum time for one phase, in milliseconds. @defaultValue `deadlines.stepMs` of the handler */
  readonly timeoutMs?: number;
}

export type { Adoption, OnImmutable };
