/**
 * Keeps the plugins of an operator.
 *
 * Guarantees
 * - Plugins run in the leader only. When the host stops, they end.
 * - One bad plugin stops neither the operator nor another plugin.
 * - 20 idle plugins need one timer, every 30 s.
 */
import { type Clock, type KubernetesObject, sleep } from "@treadle/apimachinery";
import { type Discovery, discovery } from "@treadle/client";
import type { RunnableEnv } from "@treadle/controller";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import type { Origin, PluginSource } from "../connection.ts";
import { InfoWriter } from "./info-writer.ts";
import { NO_METRICS, pluginMetrics } from "./metrics.ts";
import { Registry } from "./registry.ts";
import { Supervisor, type SupervisorEnv } from "./supervisor.ts";

/** How often the health of plugins is asked for, in milliseconds. */
const HEALTH_MS = 30_000;
/** Maximum time for which the first passes wait, in milliseconds. */
const FIRST_LOOK_MS = 10_000;

/** The state of a host between its start and its stop. */
interface Started {
  readonly kinds: Discovery;
  readonly end: AbortController;
  readonly infos: InfoWriter;
}

/** The plugins of an operator. */
export class Host {
  readonly registry: Registry = new Registry();
  readonly #name: string;
  readonly #sources: readonly PluginSource[];
  readonly #plugins = new Map<string, Supervisor>();
  #look = Promise.withResolvers<void>();
  #started: Started | undefined;

  constructor(name: string, sources: readonly PluginSource[]) {
    this.#name = name;
    this.#sources = sources;
  }

  /** Returns whether the server serves a kind as cluster-scoped. @throws the error of the request */
  async isClusterScoped(name: Pick<KubernetesObject, "apiVersion" | "kind">, signal: AbortSignal): Promise<boolean> {
    return (await this.#started?.kinds.find(name, { signal }))?.scope === "Cluster";
  }

  async start(signal: AbortSignal, env: RunnableEnv): Promise<void> {
    const metricsRegistry = await env.metrics();
    const metrics = metricsRegistry === undefined ? NO_METRICS : await pluginMetrics(metricsRegistry);
    signal.throwIfAborted();
    const { clock, random, log, client } = env;
    const end = new AbortController();
    const infos = new InfoWriter(env, { host: this.#name, registry: this.registry }, end.signal);
    this.#started = { end, infos, kinds: discovery(client, { clock }) };
    const changed = (): void => {
      if (end.signal.aborted) return;
      const plugins = [...this.#plugins.values()].map(({ facts }) => facts);
      for (const { name, state } of plugins) metrics.state(name, state);
      this.registry.update(plugins);
      infos.changed();
    };
    changed();
    // That of this start: after a stop, the next start has another one.
    const look = this.#look;
    void this.#lookAt({ clock, random, log, metrics, changed }, end.signal).then(() => {
      look.resolve();
      infos.looked();
    });
    this.#checkHealth(clock, end.signal).catch(() => undefined); // It ends by the signal.
  }

  /** Ends all plugins. A later start begins again. */
  async stop(): Promise<void> {
    const started = this.#started;
    if (started === undefined) return;
    this.#started = undefined;
    started.end.abort();
    const ending = [...this.#plugins.values()].map((plugin) => plugin.stop());
    this.#plugins.clear();
    this.registry.stop();
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
    const looks = this.#sources.map(async (source, i) => {
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
