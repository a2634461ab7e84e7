/**
 * Handler: the ordered steps that reconcile one kind, built once, used by any number of concurrent passes.
 * What runs them is in `internal/pass.ts`, one function a phase; what connects them to queue and informers is the controller package.
 */
import type { Kind, KubernetesObject, ObjectOf, Ref } from "@treadle/apimachinery";
import { buildPipeline, type Pipeline } from "./internal/pipeline.ts";
import { runtimeOf, type StepRuntime } from "./internal/step-runtime.ts";
import type { Cache } from "./req.ts";
import type { Problem, ProvidesOf, Step } from "./step.ts";

/** A built handler for objects `T`. */
export interface Handler<in T extends KubernetesObject> {
  /** Persistent: finalizer, field manager, owner label, lease and metric label are made of it. */
  readonly name: string;
  readonly kind: Kind;
  /** What the engine runs; for controllers and tools, not for steps. */
  readonly pipeline: Pipeline;
  /** In types only. */
  readonly $t?: (t: T) => void;
}

/** A handler for some kind, whichever. */
// oxlint-disable-next-line typescript/no-explicit-any -- the only type to which a Handler of every kind is assignable
export type AnyHandler = Handler<any>;

export interface HandlerOptions {
  /** At most 63 characters: the limit of a finalizer's name part. @defaultValue `<plural>.<group>`, shortened with a hash where longer */
  readonly name?: string;
  readonly deadlines?: Deadlines;
}

/** Milliseconds; all reach the step through `req.signal`. */
export interface Deadlines {
  /** Each phase of a step without `timeoutMs` of its own. @defaultValue 30_000 */
  readonly stepMs?: number;
  /** Everything before the posts. @defaultValue 120_000 */
  readonly passMs?: number;
  /** Posts and save together: an expired pass still gets its status stored. @defaultValue 10_000 */
  readonly saveMs?: number;
}

export interface WatchOptions<K extends Kind> {
  /** The primaries that a change of `object` concerns; asked with the state before and after it. Must be pure. */
  map(object: ObjectOf<K>, cache: Cache): Iterable<Ref>;
}

type Missing<V, N> = Exclude<keyof N, keyof V>;
type Check<V, N, P> = [Missing<V, N>] extends [never]
  ? [keyof V & keyof P] extends [never]
    ? unknown
    : Problem<`vars.${keyof V & keyof P & string} is already provided by an earlier step`>
  : Problem<`needs vars.${Missing<V, N> & string}: place the step that provides it before this one`>;
type Place<T extends KubernetesObject, V, S> =
  S extends Step<infer U, infer N, infer P>
    ? [T] extends [U]
      ? Check<V, N, P>
      : Problem<"this step is for another kind, or the kind lacks a field that the step reads">
    : Problem<"steps are made by step(): wrap the definition in step(Kind, { ... })">;

/** Collects steps; immutable: every call returns a new builder. */
export interface HandlerBuilder<T extends KubernetesObject, V extends object> {
  /** Adds a step at the end of the list. */
  step<S>(step: S & Place<T, V, S>): HandlerBuilder<T, V & ProvidesOf<S>>;
  /** Wakes primaries by events that no `reads` or `owns` can express. */
  watch<K extends Kind>(kind: K, options: WatchOptions<K>): HandlerBuilder<T, V>;
  /** @throws BuildError with every problem of the pipeline, each with its fix. */
  build(): Handler<T>;
}

/** Begins a handler for `kind`. */
export function handler<K extends Kind>(kind: K, options: HandlerOptions = {}): HandlerBuilder<ObjectOf<K>, {}> {
  return builder({ kind, options, steps: [], watches: [] });
}

/** A `watch` of the builder, whatever its kind. */
export interface DeclaredWatch {
  readonly kind: Kind;
  readonly map: (object: KubernetesObject, cache: Cache) => Iterable<Ref>;
}

/** What a builder has collected. */
export interface Draft {
  readonly kind: Kind;
  readonly options: HandlerOptions;
  readonly steps: readonly StepRuntime[];
  readonly watches: readonly DeclaredWatch[];
}

function builder<T extends KubernetesObject, V extends object>(draft: Draft): HandlerBuilder<T, V> {
  return {
    step(step) {
      const runtime = runtimeOf(step);
      if (runtime === undefined)
        throw new TypeError("handler().step: steps are made by step(): wrap the definition in step(Kind, { ... })");
      return builder({ ...draft, steps: [...draft.steps, runtime] });
    },
    watch(kind, options) {
      // The kind of the informer that calls `map` is the kind it was declared for.
      const map = options.map.bind(options) as DeclaredWatch["map"];
      return builder({ ...draft, watches: [...draft.watches, { kind, map }] });
    },
    build() {
      const pipeline = buildPipeline(draft);
      return Object.freeze({ name: pipeline.name, kind: pipeline.kind, pipeline });
    },
  };
}
