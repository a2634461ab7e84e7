/** A plugin without a process, for tests that have no time for processes. Its plans are those of the plugin in TypeScript. */
import type { ExternalContext } from "@treadle/testing/explore";
import type { KubernetesObject } from "treadle";
import { type ConnectEnv, type Connection, PluginError, type PluginSource, type PluginSourceEnv } from "treadle/plugins";
import { planOf } from "treadle/plugins/author";
import { postgres } from "./typescript/kube-postgres.ts";

type PlanCall = Connection["plan"];

/** Time for which the plugin is away, in milliseconds. */
const AWAY_MS = 5_000;

/** What ends the plugin: the request of a plan on its way to it, at which `explore()` lets faults happen. */
export interface Wire {
  readonly clock: ConnectEnv["clock"];
  /** Sends the request. It rejects, or has another status than 201, if the connection is lost. */
  readonly transport: ReturnType<ExternalContext["through"]>;
}

/** A source with one plugin. The parameter `without` lists the objects that its plan leaves out. */
export class TestPlugin implements PluginSource {
  /** The place, for messages. */
  readonly title = "a test";
  /** The uid that each planned object had first. */
  readonly uids: Map<string, string> = new Map();
  /** What was wrong. */
  readonly problems: string[] = [];
  isAway = false;
  starts = 0;
  readonly #wire: Wire | undefined;
  #env: PluginSourceEnv | undefined;
  readonly #connections = new Set<(reason: string) => void>();

  constructor(wire?: Wire) {
    this.#wire = wire;
  }

  async start(env: PluginSourceEnv): Promise<void> {
    this.#env = env;
    this.starts += 1;
    // The operator was killed: the next one finds no plugin at first.
    if (this.starts > 1 && this.#wire !== undefined) this.kill();
    const { name } = postgres;
    env.offer({ name, title: `plugin ${name}`, revision: "1", priority: 0, connect: () => this.#connect() });
  }

  /** Removes the plugin. */
  withdraw(): void {
    this.#env?.withdraw(postgres.name);
  }

  /** Ends the plugin. It can be started again after {@link AWAY_MS}. */
  kill(): void {
    this.isAway = true;
    this.#wire?.clock.after(AWAY_MS, () => (this.isAway = false));
    for (const end of this.#connections) end("it was killed");
    this.#connections.clear();
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
    await this.#send(owner.metadata.name);
    for (const { id, object } of live) this.#see(`${owner.metadata.name} ${id}`, object.metadata.uid ?? "");
    const { without = [] } = parameters as { readonly without?: readonly string[] };
    const objects = planOf(postgres, { metadata: owner.metadata }, { version, live: Object.fromEntries(live.map(byId)) });
    const dependents = Object.entries(objects)
      .filter(([id]) => !without.includes(id))
      .map(([id, object]) => ({ id, object, config: { updated: id !== "credentials" }, state: undefined }));
    return { type: "dependents", dependents };
  };

  /** An object that every plan has is created once. */
  #see(key: string, uid: string): void {
    const before = this.uids.get(key) ?? uid;
    this.uids.set(key, before);
    if (before !== uid && !key.endsWith(" address")) this.problems.push(`${key} was removed and created again`);
  }

  /** @throws PluginError if the plugin ends in the call */
  async #send(owner: string): Promise<void> {
    const request = { method: "POST", path: `/apis/plugins.test/v1/plans?of=${owner}`, headers: {}, body: "{}" } as const;
    const answer = await this.#wire?.transport.request(request).catch(() => undefined);
    if (this.#wire !== undefined && answer?.status !== 201) this.kill();
    if (this.isAway) throw new PluginError("Away", "the connection was lost");
  }
}

function byId({ id, object }: { readonly id: string; readonly object: KubernetesObject }): readonly [string, object] {
  return [id, object];
}
