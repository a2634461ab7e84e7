/** Plugins without processes: a source that a test controls, and connections that answer as it says. */
import type { Connection, Origin, PluginSource, PluginSourceEnv } from "../src/connection.ts";
import { PluginError } from "../src/plugin-error.ts";
import type { Description, PlanAnswer, PlanRequest } from "../src/wire/messages.ts";

/** A plugin of a test. Its fields may be changed at any time. */
export class FakePlugin {
  readonly name: string;
  description: Description;
  plan: (request: PlanRequest, signal: AbortSignal) => PlanAnswer | Promise<PlanAnswer> = () => ({ type: "dependents", dependents: [] });
  /** Thrown by `connect`. */
  refuses: Error | undefined;
  check: () => Promise<void> = () => Promise.resolve();
  /** What was asked, oldest first. */
  readonly plans: PlanRequest[] = [];
  starts = 0;
  closed = 0;
  readonly open = new Set<(reason: string) => void>();

  constructor(name: string, given: Partial<Description> = {}) {
    this.name = name;
    this.description = {
      name,
      version: "1.2.3",
      apiVersions: { oldest: "1.0", newest: "1.0" },
      category: "database",
      types: [{ name: "postgresql", versions: ["16", "17"], parameterSchema: undefined }],
      kinds: [],
      ...given,
    };
  }

  origin(given: Partial<Origin> = {}): Origin {
    return { name: this.name, title: `plugin ${this.name}`, revision: "1", priority: 0, connect: () => this.#connect(), ...given };
  }

  /** Ends the process of the plugin. */
  kill(reason = "it was killed"): void {
    for (const end of this.open) end(reason);
  }

  async #connect(): Promise<Connection> {
    this.starts += 1;
    if (this.refuses !== undefined) throw this.refuses;
    const { promise: ended, resolve } = Promise.withResolvers<string>();
    let isOpen = true;
    const end = (reason: string): void => {
      isOpen = false;
      this.open.delete(end);
      resolve(reason);
    };
    this.open.add(end);
    const { description } = this;
    return {
      protocol: "grpc/1 over a fake",
      ended,
      describe: async () => description,
      plan: async (request, signal) => {
        if (!isOpen) throw new PluginError("Away", `plugin "${this.name}" has ended`);
        this.plans.push(request);
        return await this.plan(request, signal);
      },
      check: () => this.check(),
      close: async () => {
        this.closed += 1;
        end("it was closed");
      },
    };
  }
}

/** A source whose plugins a test offers and withdraws. */
export class FakeSource implements PluginSource {
  readonly title = "a test";
  env: PluginSourceEnv | undefined;
  readonly #first: readonly Origin[];

  constructor(...first: readonly Origin[]) {
    this.#first = first;
  }

  async start(env: PluginSourceEnv): Promise<void> {
    this.env = env;
    for (const origin of this.#first) env.offer(origin);
  }

  offer(origin: Origin): void {
    this.env?.offer(origin);
  }

  withdraw(name: string): void {
    this.env?.withdraw(name);
  }
}
