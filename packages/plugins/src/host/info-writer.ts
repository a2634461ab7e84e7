/**
 * Keeps the CapabilityInfos of a host: one for each pair that a plugin offers.
 *
 * Guarantees: a change is written a second later, with those that follow it. In steady state there is no request and no timer. A failure is
 * logged once and tried again; plugins serve without these objects.
 */
import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import {
  apiVersionOf,
  type Condition,
  isKindNotServed,
  isNotFound,
  type ObjectOf,
  orAborted,
  setCondition,
  sleep,
} from "@treadle/apimachinery";
import type { RunnableEnv } from "@treadle/controller";
import { errorFields } from "@treadle/reconcile/unstable/engine";
import { delayAfter, EXTERNAL_BACKOFF } from "@treadle/workqueue";
import { CapabilityInfo } from "./capability-info.ts";
import type { Candidates, Registry } from "./registry.ts";
import type { PluginFacts } from "./supervisor.ts";

/** The label that names the host that keeps an object. */
const HOST_LABEL = "plugins.treadle.dev/host";

/** What is shown. */
export interface InfoSource {
  /** The name of the host. */
  readonly host: string;
  readonly registry: Registry;
}

type Info = ObjectOf<typeof CapabilityInfo>;
type Shown = Omit<NonNullable<Info["status"]>, "conditions" | "observedGeneration">;

const DEBOUNCE_MS = 1_000;

/** Keeps the CapabilityInfos of a host, until `signal` is aborted. The objects stay. */
export class InfoWriter {
  /** Resolves when no more is written. */
  readonly ended: Promise<void>;
  readonly #env: RunnableEnv;
  readonly #source: InfoSource;
  #change: PromiseWithResolvers<void> = Promise.withResolvers();
  /** Whether all sources were looked at. Before that no object is removed. */
  #hasLooked = false;

  constructor(env: RunnableEnv, source: InfoSource, signal: AbortSignal) {
    this.#env = env;
    this.#source = source;
    this.ended = this.#keep(signal).catch(() => undefined); // It ends by the signal.
  }

  /** Notes that plugins have changed. */
  changed(): void {
    this.#change.resolve();
  }

  /** Notes that all sources were looked at. */
  looked(): void {
    this.#hasLooked = true;
    this.changed();
  }

  async #keep(signal: AbortSignal): Promise<never> {
    const { clock, random, log } = this.#env;
    for (let failures = 0, delayMs = DEBOUNCE_MS; ; ) {
      if (failures === 0) await orAborted(this.#change.promise, signal);
      await sleep(clock, delayMs, signal);
      this.#change = Promise.withResolvers();
      try {
        await this.#write();
        [failures, delayMs] = [0, DEBOUNCE_MS];
      } catch (error) {
        const isMissing = isKindNotServed(error) || isNotFound(error);
        const remedy = isMissing ? "install its CRD, crdOf(CapabilityInfo); it is looked for every minute" : "it is tried again";
        if (failures === 0) log.warn(errorFields(error), `cannot write CapabilityInfos, so users do not see the plugins: ${remedy}`);
        delayMs = isMissing ? EXTERNAL_BACKOFF.maxMs : delayAfter(EXTERNAL_BACKOFF, failures, random);
        failures += 1;
      }
    }
  }

  async #write(): Promise<void> {
    const { client } = this.#env;
    const { host, registry } = this.#source;
    const { items } = await client.list(CapabilityInfo, { labelSelector: { [HOST_LABEL]: host } });
    const others = new Map(items.map((info) => [info.metadata.name, info]));
    const names = new Set<string>();
    const writes = registry.offered().map(async ([pair, candidates]) => {
      const name = nameOf(pair, names);
      names.add(name);
      const live = others.get(name);
      others.delete(name);
      const [{ category, type, plugin }] = candidates;
      await this.#apply(name, live, { spec: { category, type: type.name }, shown: shownOf(candidates), plugin });
    });
    const rest = [...others.values()].map(async (live) => {
      const { metadata, spec, status } = live;
      // An earlier process has written the object. It stays as long as its plugin may describe itself.
      const plugin = registry.silent(status?.plugin ?? "");
      if (status !== undefined && plugin !== undefined) {
        const { conditions: _, observedGeneration: __, ...shown } = status;
        return await this.#apply(metadata.name, live, { spec, shown: { ...shown, protocol: "", state: plugin.state }, plugin });
      }
      if (this.#hasLooked) await client.delete(CapabilityInfo, { name: metadata.name }, { preconditions: { uid: metadata.uid } });
    });
    // An object that another host keeps does not stop the writes of the others.
    const failed = (await Promise.allSettled([...writes, ...rest])).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
  }

  async #apply(
    name: string,
    live: Info | undefined,
    { spec, shown, plugin }: { readonly spec: Info["spec"]; readonly shown: Shown; readonly plugin: PluginFacts },
  ): Promise<void> {
    const { client, clock } = this.#env;
    const { host } = this.#source;
    const identity = { apiVersion: apiVersionOf(CapabilityInfo), kind: CapabilityInfo.kind };
    // Another host that has the same pair gets a conflict.
    const options = { fieldManager: `${CapabilityInfo.group}/${host}` };
    const object = { ...identity, metadata: { name, labels: { [HOST_LABEL]: host } }, spec };
    const { metadata } =
      isDeepStrictEqual(live?.spec, spec) && live !== undefined ? live : await client.apply(CapabilityInfo, object, options);
    const condition = { ...conditionOf(plugin), observedGeneration: metadata.generation ?? 1 };
    const status = { ...shown, conditions: setCondition(live?.status?.conditions, condition, clock.now()) };
    if (!isDeepStrictEqual(live?.status, status))
      await client.apply(CapabilityInfo, { ...identity, metadata: { name }, status }, { ...options, subresource: "status" });
  }
}

function shownOf([{ plugin, type }, ...others]: Candidates): Shown {
  return {
    versions: [...type.versions],
    plugin: plugin.name,
    pluginVersion: plugin.offer?.version ?? "",
    protocol: plugin.running?.protocol ?? "",
    state: plugin.state,
    shadowed: others.map(({ plugin: { name, state } }) => `${name} (${state === "Ready" ? "Shadowed" : state})`),
  };
}

function conditionOf({ state, message }: PluginFacts): Omit<Condition, "lastTransitionTime"> {
  const isReady = state === "Ready";
  const text = isReady && message !== "" ? `an earlier revision serves; the new one is not ready: ${message}` : message;
  return { type: "Ready", status: isReady ? "True" : "False", reason: state, message: text };
}

/** The name of the object of a pair: `<category>-<type>`, with a digest if another pair has that name. */
function nameOf(pair: string, taken: ReadonlySet<string>): string {
  const name = pair.replace("/", "-");
  return taken.has(name) ? `${name}-${createHash("sha256").update(pair).digest("hex").slice(0, 10)}` : name;
}
