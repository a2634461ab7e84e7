/**
 * Which plugin serves which pair of category and type.
 *
 * Of several plugins the one with the highest priority serves, else the first by name. It keeps the pair while it is away or in a crash
 * loop: another plugin gives other objects, and the objects of the first would be removed. It loses the pair when it is refused, when it
 * is gone for good, or when its new revision does not offer the pair.
 */
import type { LiveInput } from "@treadle/dependents/unstable/render";
import type { OfferedType } from "./offer.ts";
import type { PluginFacts } from "./supervisor.ts";

/** A plugin that offers a pair. */
export interface Candidate {
  readonly plugin: PluginFacts;
  readonly category: string;
  readonly type: OfferedType;
}

/** Those that offer a pair, the one that serves first. */
export type Candidates = readonly [Candidate, ...Candidate[]];

/** A pair of category and type. Its version changes with what an owner must see. */
export class Pair implements LiveInput {
  /** Those that offer the pair, the one that serves first. */
  candidates: readonly Candidate[] = [];
  readonly #listeners = new Set<() => void>();
  #version = "";

  get version(): string {
    return this.#version;
  }

  onChange(listener: () => void): () => void {
    const each = (): void => listener(); // The same function may be given twice.
    this.#listeners.add(each);
    return () => void this.#listeners.delete(each);
  }

  /** Sets the plugins, and calls the listeners if that is new for owners. */
  set(candidates: readonly Candidate[], version = versionOf(candidates)): void {
    this.candidates = candidates;
    if (version === this.#version) return;
    this.#version = version;
    for (const listener of Array.from(this.#listeners)) listener();
  }
}

/** The same program that is ready again has the same version, so its plans are not made again. */
function versionOf([first]: readonly Candidate[]): string {
  return first === undefined ? "no plugin" : [first.plugin.name, first.plugin.state, first.plugin.program].join(" ");
}

/** The plugins of a host by pair. A pair that was asked for is kept, because renderings hold it. */
export class Registry {
  readonly #pairs = new Map<string, Pair>();
  #plugins: readonly PluginFacts[] | undefined;

  /** Whether plugins can be asked now. */
  get isStarted(): boolean {
    return this.#plugins !== undefined;
  }

  /** Returns a pair, in any case of letters. */
  pair(category: string, type: string): Pair {
    const key = `${category}/${type}`.toLowerCase();
    let pair = this.#pairs.get(key);
    if (pair === undefined) {
      this.#pairs.set(key, (pair = new Pair()));
      if (this.isStarted) pair.set([]);
    }
    return pair;
  }

  /** Returns a plugin that has not described itself yet. */
  silent(name: string): PluginFacts | undefined {
    return this.#plugins?.find((plugin) => plugin.name === name && plugin.offer === undefined);
  }

  /** The pairs that a plugin offers, sorted, by key. */
  offered(): readonly (readonly [string, Candidates])[] {
    return [...this.#pairs]
      .flatMap(([key, { candidates }]) => (candidates.length === 0 ? [] : [[key, candidates as unknown as Candidates] as const]))
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Takes the plugins as they are now. */
  update(plugins: readonly PluginFacts[]): void {
    this.#plugins = plugins;
    const offers = new Map<Pair, Candidate[]>();
    for (const plugin of plugins.toSorted(order))
      for (const type of plugin.offer?.types ?? []) {
        const category = plugin.offer?.category ?? "";
        const pair = this.pair(category, type.name);
        offers.set(pair, [...(offers.get(pair) ?? []), { plugin, category, type }]);
      }
    for (const pair of this.#pairs.values()) pair.set(offers.get(pair) ?? []);
  }

  /** Forgets the plugins: none can be asked before the next update. */
  stop(): void {
    this.#plugins = undefined;
    for (const pair of this.#pairs.values()) pair.set([], "");
  }
}

function order(a: PluginFacts, b: PluginFacts): number {
  const isRefused = Number(a.state === "Refused") - Number(b.state === "Refused");
  return isRefused || b.priority - a.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
