/** The options of a component, and the step that it is. Types only. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { AnyDependentStep, Gates } from "@treadle/dependents";
import type { AnyStep, Declared, NeedsOf, Reads, ReadsOf, Step } from "@treadle/reconcile";
import type { Distinct, Members } from "@treadle/reconcile/unstable/engine";
import type { AnyKindRecord } from "./kinds/kind-record.ts";
import type { PreviewOptions, RenderedObject } from "./preview.ts";

/**
 * A component is a step of a handler that sets one condition. `W` is what a client may send as an owner. Previews take any part of it,
 * or an object of the server.
 */
export interface ComponentStep<
  in T extends KubernetesObject,
  in N extends object = {},
  out P extends object = {},
  out C extends string = string,
  in W = T,
> extends Step<T, N, P, C> {
  /**
   * Returns the objects that the component wants for an owner, without a cluster and in the order of its resources. The owner is any
   * part of an object: defaults of its spec are filled in. The gates of resources are asked. Not asked are the gate of the component,
   * `after`, every `until`, and the suspension. Resources with `created: false` are left out.
   *
   * @throws TypeError for an invalid owner, an error for a var that `data` does not have, and what the functions of the author throw
   */
  preview(object: T | W, options?: PreviewOptions<N & P>): readonly RenderedObject[];
  /** Returns the names of the layers that apply to an owner, by resource. Resources without layers are left out. @throws as `preview` */
  firing(object: T | W, options?: PreviewOptions<N & P>): Readonly<Record<string, readonly string[]>>;
  /** The names of all layers, by resource. Resources without layers are left out. */
  readonly layers: Readonly<Record<string, readonly string[]>>;
}

/** This is a component of any owner. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type that matches a parameter of every variance
export type AnyComponent = ComponentStep<any, any, any, string, any>;

/** What the functions of a component get besides the owner. */
export interface ComponentInputs<L extends readonly AnyStep[], R> {
  /** The vars of the steps in `needs`. */
  readonly vars: Readonly<NeedsOf<L>>;
  /** The values of the declared `reads`. */
  readonly reads: ReadsOf<R>;
}

/** Options of {@link component}, for owners `T`. */
export interface ComponentOptions<
  T extends KubernetesObject,
  Name extends string,
  C extends string,
  S extends readonly AnyDependentStep[],
  L extends readonly AnyStep[],
  R extends Reads<T>,
> {
  /** Persistent name of the component, unique among the steps of the handler. Its state is stored under it. */
  readonly name: Name;
  /** The condition that reports the component; no other step may set it. */
  readonly condition: Declared<C>;
  /** The objects of the component, made by `dependentApply()`. They run in this order. */
  readonly resources: S & Members<S>;
  /**
   * Whether the component is on: pure predicates, all of which must hold. "Not known" does not hold. If it is off, its objects are
   * deleted, and the condition becomes Disabled. @defaultValue it is on
   */
  readonly enabled?: Gates<[object: T, inputs: ComponentInputs<L, R>]>;
  /**
   * Components, or steps with one condition, that must have been True once before this component begins. They come earlier in the
   * handler. They are asked in list order, before `until`. @defaultValue none
   */
  readonly after?: readonly AnyStep[];
  /**
   * A function that returns `true` when the component may begin, or a text with the reason why not. It may be asynchronous. It is
   * asked until it has returned `true` once: when a read changes, and with the waiting backoff. @defaultValue it may begin
   */
  readonly until?: (object: T, inputs: NoInfer<ComponentInputs<L, R>>) => true | string | Promise<true | string>;
  /** Earlier steps whose vars the functions of the component get. */
  readonly needs?: L & Distinct<L>;
  /** Objects that the functions of the component get, as in `step()`. */
  readonly reads?: R;
  /** Whether the component is suspended: pure predicates, all of which must hold. @defaultValue it is not */
  readonly suspended?: Gates<[object: T, inputs: ComponentInputs<L, R>]>;
  /**
   * How long the component may converge until it is Degraded or Down, in milliseconds. 0: indefinitely.
   * @defaultValue 0
   */
  readonly graceMs?: number;
  /** Whether a component whose resources are all graded Healthy, and that has not converged in time, is logged once. @defaultValue true */
  readonly warnOfGrace?: boolean;
  /**
   * What a blocked resource stops. `rest`: itself and all later resources. `dependants`: itself and the resources that need it; the
   * others run, up to five at once. @defaultValue "rest"
   */
  readonly blocked?: "rest" | "dependants";
  /** Records of kinds that components do not know, or that replace known ones. @defaultValue none */
  readonly kinds?: readonly AnyKindRecord[];
}

type Provided<S extends readonly AnyStep[]> = string extends keyof NeedsOf<S> ? {} : NeedsOf<S>;
type NeedsOfResources<S extends readonly AnyStep[]> = [S[number]] extends [never]
  ? {}
  : [S[number]] extends [Step<never, infer N, object>]
    ? Omit<N, keyof Provided<S>>
    : {};

/** The component that {@link component} makes of these resources, for owners `T` that clients send as `W`. */
export type ComponentOf<
  T extends KubernetesObject,
  C extends string,
  S extends readonly AnyStep[],
  L extends readonly AnyStep[],
  W = T,
> = ComponentStep<T, NeedsOfResources<S> & NeedsOf<L>, Provided<S>, C, W>;
