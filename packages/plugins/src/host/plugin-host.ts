/**
 * Keeps the plugins of an operator.
 *
 * Guarantees
 * - Plugins run in the leader only. When the host stops, they end.
 * - One bad plugin stops neither the operator nor another plugin.
 * - 20 idle plugins need one timer, every 30 s.
 */
import { type Clock, groupKindOf, isMetadataOnly, type Kind, type KubernetesObject, sleep } from "@treadle/apimachinery";
import { type Discovery, discovery } from "@treadle/client";
import type { RunnableEnv } from "@treadle/controller";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import type { Origin, PluginSource } from "../connection.ts";
import { pluginStep } from "../step/plugin-step.ts";
import type { GrantedKinds, PluginHost, PluginHostOptions } from "../types.ts";
import { CapabilityInfo } from "./capability-info.ts";
import { type InfoSource, InfoWriter } from "./info-writer.ts";
import { NO_METRICS, pluginMetrics } from "./metrics.ts";
import { Registry } from "./registry.ts";
import { releasesIn } from "../sources/release.ts";
import { type PluginFacts, Supervisor, type SupervisorEnv } from "./supervisor.ts";

/** How often the health of plugins is asked for, in milliseconds. */
const HEALTH_MS = 30_000;
/** Maximum time for which the first passes wait, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/**
 * Makes a host of plugins. Add it to the manager before the handlers that use its steps, and add its `source` to their options.
 *
 * @throws TypeError for options of the wrong form
 */
export function pluginHost(options: PluginHostOptions): PluginHost {
  const { name = "plugins", from, kinds: grants, releases } = options;
  const kinds = grantedKinds(grants);
  const host = new Host(name, () => {
    const list = releases ?? process.env["TREADLE_PLUGINS"] ?? "";
    return list === "" ? from : [...from, releasesIn(list)];
  });
  return {
    name,
    needsLeader: true,
    permissions: [
      { kind: CapabilityInfo, verbs: ["list", "create", "patch", "delete"], because: "CapabilityInfos show the plugins to users" },
      { kind: CapabilityInfo, verbs: ["patch"], subresource: "status" },
    ],
    start: (signal, env) => host.start(signal, env),
    stop: () => host.stop(),
    source: { name, start: (signal, { clock }) => host.looked(signal, clock) },
    step: (primary, step = {}) => pluginStep(primary, step, { host, grants, kinds }),
  };
}

/** Returns all kinds that plugins may give. @throws TypeError for kinds that no plugin may give */
function grantedKinds(grants: PluginHostOptions["kinds"]): GrantedKinds {
  const found = new Map<string, Kind>();
  for (const [plugin, kinds] of Object.entries(grants))
    for (const kind of kinds === "any" ? [] : kinds) {
      const where = `pluginHost: kinds["${plugin}"]`;
      if (kind.scope === "Cluster")
        throw new TypeError(`${where} lists ${kind.kind}: objects of plugins are in the namespace of their owner`);
      if (isMetadataOnly(kind)) throw new TypeError(`${where} lists metadata of ${kind.kind}: list the kind itself`);
      const other = found.get(groupKindOf(kind))?.version ?? kind.version;
      if (other !== kind.version)
        throw new TypeError(
          `${where} lists ${groupKindOf(kind)} in version ${kind.version}, and another plugin has ${other}: use one version`,
        );
      found.set(groupKindOf(kind), kind);
    }
  return Object.values(grants).includes("any") ? "any" : [...found.values()];
}

/** The state of a host between its start and its stop. */
interface Started {
  readonly kinds: Discovery;
  readonly end: AbortController;
  readonly infos: InfoWriter;
}

/** The plugins behind the steps of a host. */
class Host {
  readonly registry: Registry = new Registry();
  readonly #name: string;
  readonly #sources: () => readonly PluginSource[];
  readonly #plugins = new Map<string, Supervisor>();
  readonly #waiting = new Map<string, () => void>();
  #look = Promise.withResolvers<void>();
  #started: Started | undefined;

  /** @param sources called at each start */
  constructor(name: string, sources: () => readonly PluginSource[]) {
    this.#name = name;
    this.#sources = sources;
  }

  /** Whether plugins can be asked now. */
  get isStarted(): boolean {
    return this.#started !== undefined;
  }

  /** Calls `wake` when the host has started. A later call with the same key replaces it. */
  onStart(key: string, wake: () => void): void {
    this.#waiting.set(key, wake);
  }

  /** Returns whether the server serves a kind as cluster-scoped. @throws the error of the request */
  async isClusterScoped(name: Pick<KubernetesObject, "apiVersion" | "kind">, signal: AbortSignal): Promise<boolean> {
    return (await this.#started?.kinds.find(name, { signal }))?.scope === "Cluster";
  }

  async start(signal: AbortSignal, env: RunnableEnv): Promise<void> {
    const registry = await env.metrics();
    const metrics = registry === undefined ? NO_METRICS : await pluginMetrics(registry);
    signal.throwIfAborted();
    const { clock, random, log, client } = env;
    const end = new AbortController();
    let hasLooked = false;
    const all = (): readonly PluginFacts[] => [...this.#plugins.values()].map(({ facts }) => facts);
    const source: InfoSource = {
      host: this.#name,
      offered: () => this.registry.offered(),
      silent: (plugin) => all().find(({ name, offer }) => name === plugin && offer === undefined),
      hasLooked: () => hasLooked,
    };
    const infos = new InfoWriter(env, source, end.signal);
    this.#started = { end, infos, kinds: discovery(client, { clock }) };
    const changed = (): void => {
      if (end.signal.aborted) return;
      for (const { name, state } of all()) metrics.state(name, state);
      this.registry.update(all());
      infos.changed();
    };
    const supervision: SupervisorEnv = { clock, random, log, metrics, changed };
    void this.#lookAt(supervision, end.signal).then(() => {
      hasLooked = true;
      this.#look.resolve();
      infos.changed();
    });
    this.#checkHealth(clock, end.signal).catch(() => undefined); // It ends by the signal.
    for (const wake of this.#waiting.values()) wake();
    this.#waiting.clear();
  }

  /** Ends all plugins. A later start begins again. */
  async stop(): Promise<void> {
    const started = this.#started;
    if (started === undefined) return;
    this.#started = undefined;
    started.end.abort();
    const ending = [...this.#plugins.values()].map((plugin) => plugin.stop());
    this.#plugins.clear();
    this.registry.update([]);
    this.#look = Promise.withResolvers();
    await Promise.all([...ending, started.infos.ended]);
  }

  /** Waits until each plugin was looked at, for a limited time. */
  async looked(signal: AbortSignal, clock: Clock): Promise<void> {
    const done = new AbortController();
    const limit = sleep(clock, FIRST_LOOK_MS, AbortSignal.any([signal, done.signal])).catch(() => undefined);
    await Promise.race([this.#look.promise, limit]);
    done.abort();
  }

  async #lookAt(env: SupervisorEnv, signal: AbortSignal): Promise<void> {
    const looks = this.#sources().map(async (source, i) => {
      // Two sources may have a plugin of the same name.
      const keyOf = (name: string): string => `${i} ${name}`;
      const offer = (origin: Origin): void => {
        if (signal.aborted) return;
        const known = this.#plugins.get(keyOf(origin.name));
        if (known !== undefined) known.offer(origin);
        else this.#plugins.set(keyOf(origin.name), new Supervisor(origin, env));
        env.changed();
      };
      const withdraw = (name: string): void => {
        const known = this.#plugins.get(keyOf(name));
        if (known === undefined || !this.#plugins.delete(keyOf(name))) return;
        env.metrics.state(name, undefined);
        env.changed();
        void known.stop();
      };
      try {
        await source.start({ ...env, offer, withdraw }, signal);
      } catch (error) {
        if (!signal.aborted) env.log.error(errorFields(error), `cannot look for plugins in ${source.title}`);
      }
    });
    await Promise.all(looks);
    await Promise.all([...this.#plugins.values()].map(({ tried }) => tried));
  }

  async #checkHealth(clock: Clock, signal: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(clock, HEALTH_MS, signal);
      for (const { facts } of this.#plugins.values()) void facts.running?.check();
    }
  }
}
