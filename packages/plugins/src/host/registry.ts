/**
 * Which plugin serves which pair of category and type.
 *
 * Of several plugins the one with the highest priority serves, else the first by name. It keeps the pair while it is away or in a crash
 * loop: another plugin gives other objects, and the objects of the first would be removed. It loses the pair when it is refused, when it
 * is removed, or when its new revision does not offer the pair.
 */
import type { LiveInput } from "@treadle/dependents/unstable/render";
import { truncate } from "@treadle/reconcile/unstable/engine";
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
  #version: string;

  /** @param overview {@link Registry.overview}, which an owner shows as long as no plugin offers the pair */
  constructor(overview: string) {
    this.#version = overview;
  }

  get version(): string {
    return this.#version;
  }

  onChange(listener: () => void): () => void {
    const each = (): void => listener(); // The same function may be given twice.
    this.#listeners.add(each);
    return () => void this.#listeners.delete(each);
  }

  /** Sets the plugins, and calls the listeners if that is new for owners. An owner without a plugin shows the overview. */
  set(candidates: readonly Candidate[], overview: string): void {
    this.candidates = candidates;
    const plugin = candidates[0]?.plugin;
    // The same program that is ready again has the same version, so its plans are not made again.
    const version = plugin === undefined ? overview : [plugin.name, plugin.state, plugin.program].join(" ");
    if (version === this.#version) return;
    this.#version = version;
    for (const listener of Array.from(this.#listeners)) listener();
  }
}

/** The plugins of a host by pair. A pair that was asked for is kept, because renderings hold it. */
export class Registry {
  /** What plugins offer, and which do not work, for an owner without a plugin; `undefined`: the host has not started. */
  overview: string | undefined;
  readonly #pairs = new Map<string, Pair>();
  #plugins: readonly PluginFacts[] = [];

  /** Returns a pair, in any case of letters. */
  pair(category: string, type: string): Pair {
    const key = `${category}/${type}`.toLowerCase();
    let pair = this.#pairs.get(key);
    if (pair === undefined) this.#pairs.set(key, (pair = new Pair(this.overview ?? "")));
    return pair;
  }

  /** Returns a plugin that has not described itself yet. */
  silent(name: string): PluginFacts | undefined {
    return this.#plugins.find((plugin) => plugin.name === name && plugin.offer === undefined);
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
    this.overview = overviewOf([...offers.values()].flat(), plugins);
    for (const pair of this.#pairs.values()) pair.set(offers.get(pair) ?? [], this.overview);
  }

  /** Forgets the plugins: none can be asked before the next update. */
  stop(): void {
    this.#plugins = [];
    this.overview = undefined;
    for (const pair of this.#pairs.values()) pair.set([], "");
  }
}

const NO_PLUGINS = "there are no plugins";

/** Without it the owner of a plugin that never started would show no cause. */
function overviewOf(offers: readonly Candidate[], plugins: readonly PluginFacts[]): string {
  const pairs = new Set(offers.map(({ category, type }) => `${category}/${type.name}`));
  const silent = plugins.filter(({ offer }) => offer === undefined).map(({ name, state }) => `${name} (${state})`);
  const parts = [
    ...(pairs.size === 0 ? [] : [`there are: ${truncate([...pairs].toSorted().join(", "), 300)}`]),
    ...(silent.length === 0 ? [] : [`not ready, see the log of the operator: ${truncate(silent.toSorted().join(", "), 300)}`]),
  ];
  return parts.join("; ") || NO_PLUGINS;
}

function order(a: PluginFacts, b: PluginFacts): number {
  const isRefused = Number(a.state === "Refused") - Number(b.state === "Refused");
  return isRefused || b.priority - a.priority || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}
