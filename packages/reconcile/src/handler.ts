/**
 * A handler is the ordered list of steps that reconcile one kind. It is built once, and any number of concurrent passes use it.
 * `pass/pass.ts` runs the steps; the controller package connects a handler to a queue and informers.
 */
import type { Kind, KubernetesObject, ObjectOf } from "@treadle/apimachinery";
import type { HandlerOptions, HandlerWatchOptions } from "./handler-options.ts";
import type { Collected, DeclaredWatch } from "./build/collected.ts";
import { buildPipeline, type Pipeline } from "./build/pipeline.ts";
import { watchFormOf } from "./reads.ts";
import { requireKind, runtimeOf } from "./build/step-runtime.ts";
import type { OptionalStep, Problem, ProvidesOf, Step } from "./step.ts";

/** A handler reconciles the objects `T` of one kind by its steps. `handler(Kind).step(...).build()` makes it. */
export interface Handler<in T extends KubernetesObject> {
  /** The persistent name: part of the finalizer, the field manager, the owner label, the lease and the metric label. */
  readonly name: string;
  /** The kind of the objects that the handler reconciles. */
  readonly kind: Kind;
  /** A marker that exists in types only: which objects the handler accepts. */
  readonly $t?: (t: T) => void;
}

/** A handler for any kind, for code that does not depend on the kind. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type to which a Handler of every kind is assignable
export type AnyHandler = Handler<any>;

type Missing<V, N> = Exclude<keyof N, keyof V>;
type Check<V, N, P> = [Missing<V, N>] extends [never]
  ? [keyof V & keyof P] extends [never]
    ? unknown
    : Problem<`vars.${keyof V & keyof P & string} is already provided by an earlier step`>
  : Problem<`needs vars.${Missing<V, N> & string}: place the step that provides it before this one`>;
type Place<T extends KubernetesObject, V, S> =
  S extends OptionalStep<object> ? Problem<"optional() is for needs: place the step itself"> : Placed<T, V, S>;
type Placed<T extends KubernetesObject, V, S> =
  S extends Step<infer U, infer N, infer P>
    ? [T] extends [U]
      ? [Exclude<keyof U, keyof T>] extends [never]
        ? Check<V, N, P>
        : Problem<`the kind has no ${Exclude<keyof U, keyof T> & string}, which the step uses: leave the step out`>
      : Problem<"this step is for another kind, or the kind lacks a field that the step reads">
    : Problem<"steps are made by step(): wrap the definition in step(Kind, { ... })">;

/** A builder collects the steps of a handler. It is immutable: every call returns a new builder. */
export interface HandlerBuilder<T extends KubernetesObject, V extends object> {
  /** Adds a step at the end of the list. */
  step<S>(step: S & Place<T, V, S>): HandlerBuilder<T, V & ProvidesOf<S>>;
  /** Triggers passes by events that no `reads` or `owns` can express. */
  watch<K extends Kind>(kind: K, options: HandlerWatchOptions<K, T>): HandlerBuilder<T, V>;
  /** Builds the handler. @throws BuildError with every problem of the pipeline, each with its fix */
  build(): Handler<T>;
}

/** Begins a handler for the objects of `kind`. */
export function handler<K extends Kind>(kind: K, options: HandlerOptions = {}): HandlerBuilder<ObjectOf<K>, {}> {
  requireKind("handler", kind);
  return builder({ kind, options, steps: [], watches: [] });
}

function builder<T extends KubernetesObject, V extends object>(collected: Collected): HandlerBuilder<T, V> {
  return {
    step(step) {
      const runtime = runtimeOf(step);
      if (runtime === undefined)
        throw new TypeError("handler().step: steps are made by step(): wrap the definition in step(Kind, { ... })");
      return builder({ ...collected, steps: [...collected.steps, runtime] });
    },
    watch(kind, options) {
      return builder({ ...collected, watches: [...collected.watches, declaredWatch("handler().watch", kind, options)] });
    },
    build() {
      const pipeline = buildPipeline(collected);
      return Object.freeze(Object.defineProperty({ name: pipeline.name, kind: pipeline.kind }, PIPELINE, { value: pipeline }));
    },
  };
}

/** The key of a handler's pipeline. `Symbol.for` finds it, so handlers built with another copy of this package work too. */
const PIPELINE: symbol = Symbol.for("treadle.reconcile.Pipeline");

/** Tells whether `value` is a built handler. */
export function isHandler(value: unknown): value is AnyHandler {
  return typeof value === "object" && value !== null && PIPELINE in value;
}

/**
 * Returns what the engine runs for a handler.
 * @throws TypeError if `handler` was not built by `handler(Kind).step(...).build()`
 */
export function pipelineOf(handler: Pick<AnyHandler, "name">): Pipeline {
  if (!isHandler(handler)) throw new TypeError("this is not a handler: make one with handler(Kind).step(...).build()");
  // Only build() sets the property, to a pipeline.
  return Reflect.get(handler, PIPELINE) as Pipeline;
}

/**
 * Checks and reads the options of a watch; `where` is for the message.
 * @throws TypeError if `kind` is not a kind, and if no option maps a change to primaries
 */
export function declaredWatch(where: string, kind: Kind, options: { readonly metadata?: boolean }): DeclaredWatch {
  requireKind(where, kind);
  return { kind, form: watchFormOf(kind, options?.metadata), by: whomBy(where, kind, options) };
}

function whomBy(where: string, kind: Kind, options: object): DeclaredWatch["by"] {
  const { map, refs, label, owner } = (options ?? {}) as Readonly<Record<string, unknown>>;
  // The kinds of the objects that the functions are called with are those that they were declared for.
  if (typeof map === "function") return { type: "map", map: map.bind(options) as never };
  if (typeof refs === "function") return { type: "refs", refs: refs.bind(options) as never };
  if (typeof label === "string" && label !== "") return { type: "label", label };
  if (owner === true) return { type: "owner" };
  throw new TypeError(`${where}(${kind.kind}): give map, refs, label or owner: true, so that a change finds its primaries`);
}
