/** The cluster of the stories: a Capability whose objects fake plugins plan. */
import { ConfigMap, Secret } from "@treadle/apimachinery/kinds";
import { defineResource, fakeClock, type FakeClock } from "@treadle/apimachinery";
import { conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster, type TestOperator } from "@treadle/testing";
import { z } from "zod";
import { CapabilityInfo, type PluginHost, pluginHost, type PluginHostOptions, type PluginStepOptions } from "../src/index.ts";
import type { Condition, Kind } from "@treadle/apimachinery";
import type { PluginSource } from "../src/connection.ts";
import type { PlannedDependent } from "../src/wire/messages.ts";

export const Capability = defineResource({
  group: "test.treadle.dev",
  version: "v1",
  kind: "Capability",
  plural: "capabilities",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({
    category: z.string().optional(),
    type: z.string().optional(),
    version: z.string().optional(),
    parameters: z.looseObject({}).meta({ "x-kubernetes-preserve-unknown-fields": true }).optional(),
  }),
});

export function capability(name: string, spec: object = {}): object {
  return {
    apiVersion: "test.treadle.dev/v1",
    kind: "Capability",
    metadata: { name },
    spec: { category: "Database", type: "PostgreSQL", ...spec },
  };
}

/** A planned ConfigMap. */
export function map(id: string, more: object = {}, config: PlannedDependent["config"] = {}): PlannedDependent {
  return { id, object: { apiVersion: "v1", kind: "ConfigMap", data: { by: id }, ...more }, config, state: undefined };
}

export interface Stage extends AsyncDisposable {
  readonly cluster: TestCluster;
  readonly clock: FakeClock;
  operator: TestOperator;
  /** The host of the present process. */
  plugins: PluginHost;
  /** Starts another process of the operator. */
  start(...sources: readonly PluginSource[]): Promise<void>;
  /** Lets time pass, and waits until everything is settled. */
  pass(ms: number): Promise<void>;
  /** The conditions of an owner, as `status reason`, by type. */
  shown(name: string): Promise<Record<string, string>>;
  condition(name: string, type: string): Promise<Condition | undefined>;
  /** The names of the ConfigMaps. */
  maps(): Promise<readonly string[]>;
  /** The CapabilityInfos, as `name: state plugin` with what is shadowed. */
  infos(): Promise<readonly string[]>;
}

export type PluginStep = ReturnType<typeof stepOf>;

type StepOptions = Pick<PluginStepOptions<never, string>, "adopt">;

const stepOf = (plugins: PluginHost, options: StepOptions = {}) => plugins.step(Capability, options);

export interface StageOptions {
  readonly options?: Partial<PluginHostOptions>;
  readonly kinds?: readonly Kind[];
  readonly step?: StepOptions;
  /** Returns the step of each operator, or one in its place. */
  readonly watched?: (step: PluginStep) => PluginStep;
}

export async function setStage(
  sources: readonly PluginSource[],
  objects: readonly object[] = [],
  { options, kinds = [CapabilityInfo], step, watched = (given) => given }: StageOptions = {},
): Promise<Stage> {
  const clock = fakeClock();
  const cluster = await startTestCluster({ clock, objects, kinds: [...kinds, Capability] });
  let plugins = pluginHost({ from: [], kinds: {} });
  const start = async (from: readonly PluginSource[]): Promise<TestOperator> => {
    plugins = pluginHost({ from, kinds: { pg: [ConfigMap, Secret], other: [ConfigMap] }, ...options });
    const capabilities = handler(Capability)
      .step(conditions())
      .step(watched(stepOf(plugins, step)))
      .build();
    return await cluster.start(capabilities, { runnables: [plugins], controller: { sources: [plugins.source] } });
  };
  const condition: Stage["condition"] = async (name, type) => {
    const live = await cluster.client.get(Capability, { name, namespace: "default" });
    return live?.status?.conditions?.find((each) => each.type === type);
  };
  const stage: Stage = {
    cluster,
    clock,
    operator: await start(sources),
    plugins,
    async start(...from) {
      stage.operator = await start(from);
      stage.plugins = plugins;
    },
    async pass(ms) {
      await cluster.settled({ horizonMs: 0 });
      await cluster.advance(ms);
      await cluster.settled({ horizonMs: 0 });
    },
    condition,
    async shown(name) {
      const types = ["PluginReady", "DependentsReady", "Ready"];
      const found = await Promise.all(types.map(async (type) => [type, await condition(name, type)] as const));
      return Object.fromEntries(found.map(([type, each]) => [type, `${each?.status} ${each?.reason}`]));
    },
    async maps() {
      const { items } = await cluster.client.list(ConfigMap, { namespace: "default" });
      return items.map(({ metadata }) => metadata.name).filter((name) => name !== "kube-root-ca.crt");
    },
    async infos() {
      const { items } = await cluster.client.list(CapabilityInfo);
      return items.map(({ metadata, status }) => {
        const ready = status?.conditions?.find(({ type }) => type === "Ready")?.status;
        return [`${metadata.name}: ${status?.state} ${ready} ${status?.plugin}`, ...(status?.shadowed ?? [])].join(", ");
      });
    },
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
  return stage;
}
