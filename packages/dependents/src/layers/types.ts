/** The types of layers. Types only. */
import type { Kind, Mutable, ObjectOf } from "@treadle/apimachinery";
import type { Pod } from "@treadle/apimachinery/kinds";
import type { AnyStep } from "@treadle/reconcile";
import type { Gates } from "../gates.ts";
import type { AnyDependentStep, DeepPartial, DependentInputs } from "../types.ts";

/** When a layer applies, relative to other layers: in this order. Layers of one phase apply in list order. */
export type LayerPhase = "defaults" | "feature" | "compat" | "overrides" | "final";

/**
 * A part of `T` that is merged into it. Every field may be left out, and `null` removes it. A list is given as a list, or as a
 * record of its entries by their key: `{ containers: { jaeger: null } }` removes the container `jaeger`.
 */
export type MergePartial<T> = T extends readonly (infer Item)[]
  ? Item extends object
    ? readonly MergePartial<Item>[] | EntriesByKey<Item>
    : T
  : T extends object
    ? { readonly [Member in keyof T]?: MergePartial<T[Member]> | null | undefined }
    : T;

/** The entries of a list by their key. Only entries that one field tells apart can be given like this. */
export type EntriesByKey<Item> = keyof Item & ("name" | "mountPath" | "devicePath" | "ip") extends never
  ? never
  : Readonly<Record<string, MergePartial<Item> | null | undefined>>;

/** A function that edits a draft, with what `desired` gets. The draft is a copy. */
export type EditDraft<T, Args extends readonly unknown[]> = (draft: T, ...args: Args) => void;

/** What a layer changes: a deep partial, a function that edits a draft, or a list of them in order. */
export type LayerMerge<X, Args extends readonly unknown[]> =
  | MergePartial<X>
  | EditDraft<Mutable<X>, Args>
  | readonly (MergePartial<X> | EditDraft<Mutable<X>, Args>)[];

/** A named change of a desired state `X`. `Args` is what `desired` gets. */
export interface Layer<X, Args extends readonly unknown[]> {
  /** Name of the layer, unique among the layers. Messages, `layers` and `firing()` use it. */
  readonly name: string;
  /** Phase of the layer. @defaultValue "feature" */
  readonly layer?: LayerPhase;
  /** Gate, or list of gates that must all hold. "Not known" does not hold. @defaultValue the layer always applies */
  readonly when?: Gates<Args>;
  /** What the layer changes. */
  readonly merge: LayerMerge<X, Args>;
}

/** A layer as `layers` lists it. */
export interface LayerInfo {
  /** Name of the layer. */
  readonly name: string;
  /** Phase of the layer. */
  readonly layer: LayerPhase;
}

/** A `desired` that {@link layered} made. */
export interface LayeredDesired<T, L extends readonly AnyStep[], R, D extends readonly AnyDependentStep[], Item, X> {
  /** Returns the desired state with all layers that apply; `undefined` if the object is not desired. */
  (object: T, inputs: DependentInputs<L, R, D>, item?: Item): X | undefined;
  /** All layers, in the order in which they apply. */
  readonly layers: readonly LayerInfo[];
  /**
   * Returns the names of the layers that apply to `object`, in order. Without `inputs` the gates get empty vars, reads and dependents.
   * @throws TypeError for a gate that throws, or that returns anything but true, false and undefined
   */
  firing(object: T, inputs?: Partial<DependentInputs<L, R, D>>, item?: Item): readonly string[];
}

/** Options of {@link layered}. */
export interface LayeredOptions<K extends Kind> {
  /** Kind of the object. `dependentApply()` knows it; it is needed where the layers are declared or called alone. */
  readonly kind?: K;
}

/** The spec of a pod, as a part of a desired state. */
export type PodSpecPart = DeepPartial<NonNullable<ObjectOf<typeof Pod>["spec"]>>;

/** A container, as a part of a desired state. */
export type ContainerPart = NonNullable<PodSpecPart["containers"]>[number];

/** A draft that has pods: of a Pod, of a workload with a template, or of a CronJob. */
export type PodsDraft =
  | { spec?: { template?: { spec?: Mutable<PodSpecPart> | undefined } | undefined } | undefined }
  | {
      spec?:
        | { jobTemplate?: { spec?: { template?: { spec?: Mutable<PodSpecPart> | undefined } | undefined } | undefined } | undefined }
        | undefined;
    }
  | { spec?: Mutable<PodSpecPart> | undefined };
