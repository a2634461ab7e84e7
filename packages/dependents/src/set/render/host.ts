/**
 * What a renderer of a package gets of the operator besides the context that authors see: shared values, slots of programs, and
 * inputs that change while the process runs, such as a chart folder in development.
 *
 * The set puts its host into the context under a symbol, so that edits and renderers that pass a copy of the context on keep it. A
 * context without a host is one that a test made: its renderer runs alone.
 */
import { type Clock, systemClock } from "@treadle/apimachinery";
import type { RenderContext } from "../types.ts";
import { causeIn } from "./causes.ts";

/** The services of the operator for one rendering. */
export interface RenderHost {
  /** Identifies the owner and the set, for slots. */
  readonly key: string;
  /** The names of the handler, present and former: the prefixes of its annotations. */
  readonly prefixes: readonly string[];
  /** The clock of the operator. */
  readonly clock: Clock;
  /** As `shared` of an extension pass: a value for all handlers and objects of the operator. */
  shared<V extends object>(key: object, make: () => V): V;
  /** Returns a function that triggers a pass of the owner, at any time. */
  waker(): (cause: string) => void;
  /** Returns `text` without the values of Secrets that the pass has read. */
  hide(text: string): string;
  /** Hides these texts as well: they come from Secrets, in a form that the Secrets do not contain. */
  conceal(texts: readonly string[]): void;
  /** Names something that the rendering depends on besides its declared inputs. The set renders again when its version changes. */
  dependsOn(input: LiveInput): void;
  /**
   * Calls `end` when the rendering no longer waits after {@link RenderLater}: it has ended, its inputs have changed, or its owner is
   * deleted. A later call with the same key replaces `end`. @defaultValue nothing is called
   */
  readonly atEnd?: (key: object, end: () => void) => void;
  /**
   * Returns why the set refuses objects of a kind that its option `kinds` does not list; `undefined`: it lists the kind, or has no such
   * option. For kinds of objects that are rendered later. @defaultValue all kinds are allowed
   */
  readonly refusalOf?: (name: { readonly apiVersion: string; readonly kind: string }) => string | undefined;
  /** Results for {@link onceFor}, kept until the rendering is complete or has failed. @defaultValue nothing is kept */
  readonly results?: Map<string, Promise<unknown>>;
}

/** An input that changes while the process runs. */
export interface LiveInput {
  /** The present version. */
  readonly version: number | string;
  /** Calls the listener after each change of the version, until the returned function is called. */
  onChange(listener: () => void): () => void;
}

/**
 * Thrown by a renderer that cannot run now, such as without a free slot for its program. The pass ends at once, and what exists stays as
 * it is. The renderer has arranged that `host.waker()` is called when it can run.
 */
export class RenderLater extends Error {
  /** The name of the class. */
  override readonly name = "RenderLater";
  constructor(reason: string) {
    super(reason);
    Object.defineProperty(this, LATER, { value: true });
  }
}

const LATER: symbol = Symbol.for("treadle.dependents.RenderLater");
const OBJECTS: unique symbol = Symbol.for("treadle.dependents.RenderedObjects") as never; // as below
const HOST: unique symbol = Symbol.for("treadle.dependents.RenderHost") as never; // A well-known symbol has no unique type.

/** Returns whether `error` is a {@link RenderLater} of any copy of the package. */
export function isRenderLater(error: unknown): error is RenderLater {
  return typeof error === "object" && error !== null && LATER in error;
}

/** Returns the {@link RenderLater} that is the error or one of its causes: renderers that call others wrap their errors. */
export function renderLaterIn(error: unknown): RenderLater | undefined {
  return causeIn(error, isRenderLater);
}

/**
 * Returns the result of `run`, which runs once for each `key` of one rendering: also if the renderer throws {@link RenderLater} in
 * between and is called again. So a rendering with several programs ends although each of them waits for a slot. A result that
 * rejects is not kept.
 * @param key a digest of everything that the result follows from
 */
export function onceFor<V>({ results }: RenderHost, key: string, run: () => Promise<V>): Promise<V> {
  const known = results?.get(key) as Promise<V> | undefined; // The key determines the type.
  if (known !== undefined) return known;
  const result = run();
  if (results === undefined) return result;
  results.set(key, result);
  result.catch(() => {
    if (results.get(key) === result) results.delete(key);
  });
  return result;
}

/** Adds a host to the context of a rendering. */
export function withHost<C extends object>(context: C, host: RenderHost): C {
  return { ...context, [HOST]: host };
}

/** Adds the objects that are edited to the context of an edit, so that it can find out what else is rendered. */
export function withObjects<C extends object>(context: C, objects: readonly unknown[]): C {
  return { ...context, [OBJECTS]: objects };
}

/** Returns all objects that are edited, as they were before the edit; `undefined`: a caller that gave none. They may be anything. */
export function objectsOf(context: RenderContext<never, never> | object): readonly unknown[] | undefined {
  return (context as { readonly [OBJECTS]?: readonly unknown[] })[OBJECTS];
}

/** Returns the host of a rendering; for a context that no set made, a host of its own. */
export function hostOf(context: RenderContext<never, never> | object): RenderHost {
  return (context as { readonly [HOST]?: RenderHost })[HOST] ?? aloneHost();
}

function aloneHost(): RenderHost {
  const values = new Map<object, object>();
  return {
    key: "",
    prefixes: [],
    clock: systemClock,
    shared: <V extends object>(key: object, make: () => V) => {
      const value = (values.get(key) as V | undefined) ?? make(); // Only this function adds values, each of its key's type.
      values.set(key, value);
      return value;
    },
    waker: () => () => undefined,
    hide: (text) => text,
    conceal: () => undefined,
    dependsOn: () => undefined,
  };
}
