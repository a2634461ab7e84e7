/**
 * The runtime of a provider: what the passes of an operator share. There is one for each operator and provider. It has one entry for
 * each config, which begins with the first object that uses the config.
 */
import type { Clock, KubernetesObject } from "@treadle/apimachinery";
import { Connections } from "./connections.ts";
import { Credential } from "./credential.ts";
import type { ProviderDefinition } from "./provider.ts";

/** The time between two sweeps, and the shortest interval after which an object counts as unseen. */
const MIN_INTERVAL_MS = 60_000;

/** The options of {@link ProviderRuntime}. */
export interface ProviderRuntimeOptions {
  /** The clock of the operator. */
  readonly clock: Clock;
  /** Called with the error of a connection that could not be disposed. It must not throw. */
  readonly onError: (error: unknown) => void;
}

/** What the objects of one config share. */
export class ConfigRuntime {
  /** The limits and the breaker. */
  readonly credential: Credential;
  /** The connections. */
  readonly connections: Connections<unknown>;
  /** The names that are being created, with the object that creates each. */
  readonly #claims = new Map<string, { readonly owner: string; readonly untilMs: number }>();
  #version: string | undefined;
  #longestMs = 0;
  #isSlow = false;

  constructor(definition: ProviderDefinition, options: ProviderRuntimeOptions) {
    this.credential = new Credential(definition.options.rate);
    this.connections = new Connections(options);
  }

  /**
   * Records the version that a pass has read, before it asks for a turn. A new one closes the breaker at once. Passes that began
   * before the change may report the older version again, which costs a probe.
   */
  use(version: string): void {
    if (this.#version !== undefined && this.#version !== version) this.credential.renewed();
    this.#version = version;
  }

  /** Records the poll interval that an object asks for. Returns the effective one: the rate may not allow as many calls. */
  intervalFor(wantedMs: number): number {
    this.#longestMs = Math.max(this.#longestMs, wantedMs);
    return Math.max(wantedMs, this.credential.floorMs());
  }

  /** Records that the rate is too low for a poll interval. Returns whether that is new. */
  becomesSlow(): boolean {
    const isNew = !this.#isSlow;
    this.#isSlow = true;
    return isNew;
  }

  /**
   * Claims a name for a create, or claims it again. Returns whether no other object has claimed it: two objects that choose the same name
   * would both find that nothing exists, and both take what one of them creates.
   */
  claim(name: string, owner: string, { nowMs, untilMs }: { readonly nowMs: number; readonly untilMs: number }): boolean {
    const claim = this.#claims.get(name);
    if (claim !== undefined && claim.owner !== owner && nowMs < claim.untilMs) return false;
    this.#claims.set(name, { owner, untilMs });
    return true;
  }

  /** Ends the claims of an object. */
  release(owner: string): void {
    for (const [name, claim] of this.#claims) if (claim.owner === owner) this.#claims.delete(name);
  }

  /** Forgets objects that have not asked for three intervals, and claims that are over. Returns whether none is left. */
  sweep(nowMs: number): boolean {
    for (const [name, { untilMs }] of this.#claims) if (untilMs <= nowMs) this.#claims.delete(name);
    this.credential.forgetUnseen(nowMs - UNSEEN_INTERVALS * Math.max(MIN_INTERVAL_MS, this.#longestMs, this.credential.floorMs()));
    return this.credential.isIdle(nowMs);
  }
}

/** An object that was not seen for so many intervals does not use the config any more. */
const UNSEEN_INTERVALS = 3;

/** The runtime of a provider in one operator. */
export class ProviderRuntime implements AsyncDisposable {
  readonly #definition: ProviderDefinition;
  readonly #options: ProviderRuntimeOptions;
  readonly #configs = new Map<string, ConfigRuntime>();
  #isEnded = false;
  #sweptMs = Number.NEGATIVE_INFINITY;

  constructor(definition: ProviderDefinition, options: ProviderRuntimeOptions) {
    this.#definition = definition;
    this.#options = options;
  }

  /** The configs in use, by their key. */
  get configs(): ReadonlyMap<string, ConfigRuntime> {
    return this.#configs;
  }

  /** Returns what the objects of a config share. `configKey` is `namespace/name`, or the name of a cluster-scoped config. */
  of(configKey: string): ConfigRuntime {
    this.#sweep();
    const known = this.#configs.get(configKey);
    if (known !== undefined) return known;
    const made = new ConfigRuntime(this.#definition, this.#options);
    this.#configs.set(configKey, made);
    // A pass that outlives the operator must not open a connection that nothing closes. It waits for nothing, because no connection exists.
    if (this.#isEnded) void made.connections[Symbol.asyncDispose]();
    return made;
  }

  /** Disposes all connections, at the end of the operator. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true;
    await Promise.all([...this.#configs.values()].map(({ connections }) => connections[Symbol.asyncDispose]()));
  }

  /**
   * Forgets objects that have not asked for three effective intervals: they were deleted, are paused, or name another config. A
   * config without objects is forgotten too, and its connection is disposed.
   */
  #sweep(): void {
    const nowMs = this.#options.clock.now();
    if (nowMs - this.#sweptMs < MIN_INTERVAL_MS) return;
    this.#sweptMs = nowMs;
    for (const [key, config] of this.#configs) {
      if (!config.sweep(nowMs)) continue;
      config.connections.retire();
      this.#configs.delete(key);
    }
  }
}

/**
 * Returns the version of a config and its Secret. A change of the status of a config with a `generation` is no new version.
 * @param secret the Secret; `undefined`: none is named, or it does not exist
 */
export function versionOf(config: KubernetesObject, secret: KubernetesObject | undefined): string {
  const { uid, generation, resourceVersion } = config.metadata;
  const ofSecret = secret === undefined ? "-" : `${secret.metadata.uid}/${secret.metadata.resourceVersion}`;
  return `${uid}/${generation === undefined ? `v${resourceVersion}` : generation}/${ofSecret}`;
}
