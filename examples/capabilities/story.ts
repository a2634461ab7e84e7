/** A plugin without a process, for tests that have no time for processes. Its plans are those of the plugin in TypeScript. */
import type { KubernetesObject } from "treadle";
import { type ConnectEnv, type Connection, PluginError, type PluginSource, type PluginSourceEnv } from "treadle/plugins";
import { planOf } from "treadle/plugins/author";
import { postgres } from "./typescript/kube-postgres.ts";

type PlanCall = Connection["plan"];

/** Time for which the plugin is away, in milliseconds. */
export const AWAY_MS = 5_000;

/** A source with one plugin. The parameter `without` lists the objects that its plan leaves out. */
export class TestPlugin implements PluginSource {
  /** The place, for messages. */
  readonly title = "a test";
  /** Called before and after each plan. */
  onPlan: () => void = () => {};
  /** The names of the objects in the last answer. */
  planned: ReadonlySet<string> = new Set();
  isAway = false;
  #env: PluginSourceEnv | undefined;
  readonly #connections = new Set<(reason: string) => void>();

  async start(env: PluginSourceEnv): Promise<void> {
    this.#env = env;
    const { name } = postgres;
    env.offer({ name, title: `plugin ${name}`, revision: "1", priority: 0, connect: () => this.#connect() });
  }

  /** Removes the plugin for good. */
  withdraw(): void {
    this.#env?.withdraw(postgres.name);
  }

  /** Ends the plugin. It can be started again after {@link AWAY_MS}. */
  kill(clock: ConnectEnv["clock"]): void {
    this.isAway = true;
    clock.after(AWAY_MS, () => (this.isAway = false));
    for (const end of this.#connections) end("it was killed");
  }

  async #connect(): Promise<Connection> {
    if (this.isAway) throw new PluginError("NotStarted", "it cannot be started");
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    this.#connections.add(resolve);
    const { name, category, types } = postgres;
    return {
      protocol: "a test",
      ended,
      describe: async () => ({
        name,
        version: "",
        apiVersions: { oldest: "1.0", newest: "1.0" },
        category,
        types: types.map((type) => ({ name: type.name, versions: type.versions, parameterSchema: undefined })),
        kinds: [],
      }),
      plan: (request, signal) => this.#plan(request, signal),
      check: async () => undefined,
      close: async () => resolve("it was closed"),
    };
  }

  readonly #plan: PlanCall = async ({ owner, version, parameters, live }) => {
    this.#call();
    const { without = [] } = parameters as { readonly without?: readonly string[] };
    const objects = planOf(postgres, { metadata: owner.metadata }, { version, live: Object.fromEntries(live.map(byId)) });
    const dependents = Object.entries(objects)
      .filter(([id]) => !without.includes(id))
      .map(([id, object]) => ({ id, object, config: { updated: id !== "credentials" }, state: undefined }));
    this.planned = new Set(dependents.map(({ id }) => `${owner.metadata.name}-${id}`));
    this.#call();
    return { type: "dependents", dependents };
  };

  /** @throws PluginError if the plugin ends in the call */
  #call(): void {
    this.onPlan();
    if (this.isAway) throw new PluginError("Away", "the connection was lost");
  }
}

function byId({ id, object }: { readonly id: string; readonly object: KubernetesObject }): readonly [string, object] {
  return [id, object];
}
