/**
 * Calls a renderer, and gives it `context.cluster`, whose facts come from requests. A renderer that reads no fact costs none. The first
 * read of a fact that is not known ends the call by an exception. The fact is requested, and the renderer is called again.
 */
import { type KubernetesObject, orAborted } from "@treadle/apimachinery";
import { isPromiseLike, misuse } from "@treadle/reconcile/unstable/engine";
import { called } from "../../core/ask.ts";
import type { Cluster, RenderContext, Renderer, ServedKinds } from "../types.ts";
import type { RenderedObject } from "../configured.ts";
import { calledAsync, requireList } from "./calls.ts";
import type { ClusterFacts, FactName, Facts } from "./cluster-facts.ts";

/** What a renderer read of the cluster, with the answers. It is plain JSON. */
export interface ClusterReads {
  /** The version; `undefined`: it was not read. */
  readonly version?: string;
  /** The answers of `kinds.has()`, by API version or `apiVersion/kind`. */
  readonly has?: Readonly<Record<string, boolean>>;
  /** A digest of `kinds.all()`; `undefined`: it was not read. */
  readonly all?: string;
}

/** The reads of a renderer that asks nothing about the cluster. */
export const NO_READS: ClusterReads = Object.freeze({});

/** What {@link callRenderer} needs besides the arguments of the renderer. */
export interface RenderCall {
  /** Name of the step, for errors. */
  readonly step: string;
  readonly facts: Pick<ClusterFacts, "peek" | "fetch">;
  /** Ends the call, even if the renderer hangs. */
  readonly signal: AbortSignal;
  /** Called before the error of the renderer is thrown, with what the renderer read until then. */
  readonly onFailed?: (read: ClusterReads) => void;
}

/** What a renderer returned. */
export interface Rendered {
  /** The list, which may contain anything. */
  readonly objects: readonly unknown[];
  readonly read: ClusterReads;
}

/**
 * Calls a renderer until it has all facts that it reads: at most three times.
 * @throws the error of the renderer, after the name of the step; TypeError if it returns no list; ApiError or ConnectionError of a
 *   fact; the signal's reason
 */
export async function callRenderer<T extends KubernetesObject, R, V>(
  renderer: Renderer<T, R, V, RenderedObject>,
  object: T,
  context: Omit<RenderContext<R, V>, "cluster">,
  { step, facts: service, signal, onFailed }: RenderCall,
): Promise<Rendered> {
  const where = `step "${step}": objects`;
  let facts = service.peek();
  for (;;) {
    signal.throwIfAborted();
    const tracked = new TrackedCluster(facts);
    const call = (): ReturnType<typeof renderer> => renderer(object, { ...context, cluster: tracked.cluster });
    const answer = await answerOf(where, call, signal);
    if (tracked.missing.size > 0) {
      // The renderer may have caught the exception: what it returned or threw is not its answer.
      const known = facts;
      const fetched = await service.fetch(tracked.missing, signal);
      facts = { version: fetched.version ?? known.version, served: fetched.served ?? known.served };
      continue;
    }
    if (answer.type === "failed") {
      onFailed?.(tracked.reads);
      throw answer.error;
    }
    return { objects: requireList(where, answer.value), read: tracked.reads };
  }
}

type Answer = { readonly type: "answered"; readonly value: unknown } | { readonly type: "failed"; readonly error: unknown };

/** @throws the signal's reason */
async function answerOf(where: string, call: () => unknown, signal: AbortSignal): Promise<Answer> {
  try {
    const returned = called(where, call);
    if (!isPromiseLike(returned)) return { type: "answered", value: returned };
    const value = await orAborted(
      calledAsync(where, () => returned),
      signal,
    );
    return { type: "answered", value };
  } catch (error) {
    signal.throwIfAborted();
    return { type: "failed", error };
  }
}

/** Decides whether a renderer would read the same. `undefined`: a fact must be requested first, by `facts.fetch(factsIn(reads))`. */
export function isSameCluster(reads: ClusterReads, { version, served }: Facts): boolean | undefined {
  const { version: seen, has, all } = reads;
  if (seen !== undefined && version !== undefined && version !== seen) return false;
  if (served !== undefined) {
    if (all !== undefined && served.digest !== all) return false;
    // A server that does not answer changes nothing.
    for (const name in has) if ((served.has(name) ?? has[name]) !== has[name]) return false;
  }
  const isKnown = (seen === undefined || version !== undefined) && ((has ?? all) === undefined || served !== undefined);
  return isKnown ? true : undefined;
}

/** Returns the facts that a renderer read, for `fetch()`. */
export function factsIn({ version, has, all }: ClusterReads): ReadonlySet<FactName> {
  const names = new Set<FactName>();
  if (version !== undefined) names.add("version");
  if ((has ?? all) !== undefined) names.add("served");
  return names;
}

/** The cluster as one call of a renderer sees it. */
class TrackedCluster {
  readonly missing = new Set<FactName>();
  readonly #facts: Facts;
  readonly #has = new Map<string, boolean>();
  #version: string | undefined;
  #all: string | undefined;

  constructor(facts: Facts) {
    this.#facts = facts;
  }

  /** What the renderer gets. */
  get cluster(): Cluster {
    // Authors may take it apart, so these functions need no `this`.
    const kinds: ServedKinds = Object.freeze({
      has: (apiVersion: string, kind?: string) => this.#isServed(apiVersion, kind),
      all: () => {
        const { all, digest } = this.#known("served");
        this.#all = digest;
        return all;
      },
    });
    return new RendererCluster(() => (this.#version = this.#known("version")), kinds);
  }

  get reads(): ClusterReads {
    if (this.#version === undefined && this.#all === undefined && this.#has.size === 0) return NO_READS;
    return {
      ...(this.#version === undefined ? {} : { version: this.#version }),
      ...(this.#has.size === 0 ? {} : { has: Object.fromEntries([...this.#has].toSorted(([a], [b]) => (a < b ? -1 : 1))) }),
      ...(this.#all === undefined ? {} : { all: this.#all }),
    };
  }

  #isServed(apiVersion: unknown, kind: unknown): boolean {
    if (typeof apiVersion !== "string" || (kind !== undefined && typeof kind !== "string"))
      throw misuse(
        "ERR_INVALID_REFERENCE",
        'cluster.kinds.has() takes an API version and a kind as texts, e.g. has("apps/v1", "Deployment")',
      );
    const name = kind === undefined ? apiVersion : `${apiVersion}/${kind}`;
    const isServed = this.#known("served").has(name);
    if (isServed === undefined)
      throw new Error(`cannot tell whether the API server serves ${name}: the server behind its API version does not answer`);
    this.#has.set(name, isServed);
    return isServed;
  }

  #known<Name extends FactName>(name: Name): NonNullable<Facts[Name]> {
    const fact = this.#facts[name];
    if (fact !== undefined && fact !== null) return fact;
    this.missing.add(name);
    throw new Error(
      `cluster.${name === "version" ? "version" : "kinds"} is not known yet: it is requested, and the renderer is called again`,
    );
  }
}

class RendererCluster implements Cluster {
  readonly kinds: ServedKinds;
  readonly #version: () => string;

  constructor(version: () => string, kinds: ServedKinds) {
    this.#version = version;
    this.kinds = kinds;
    Object.freeze(this);
  }

  get version(): string {
    return this.#version();
  }
}
