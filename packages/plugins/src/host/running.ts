/** One plugin that runs, from its description until its end. */
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { ConnectEnv, Connection, Origin } from "../connection.ts";
import { isPluginError, PluginError } from "../plugin-error.ts";
import type { PlanAnswer, PlanRequest } from "../wire/messages.ts";
import type { PluginMetrics } from "./metrics.ts";
import { type Offer, offerOf } from "./offer.ts";
import type { PluginSecrets } from "./plugin-secrets.ts";

/** What a plugin needs of its host. */
export interface RunningEnv extends ConnectEnv {
  readonly metrics: PluginMetrics;
  /** What the plugin knows of Secrets. */
  readonly secrets: PluginSecrets;
}

/** When a call is tried again after which the plugin still runs, in milliseconds. */
const AGAIN_MS = 1_000;

/** A plugin that runs. */
export class Running {
  readonly offer: Offer;
  /** How it is connected. */
  readonly protocol: string;
  /** Resolves with the reason. */
  readonly ended: Promise<string>;
  readonly #name: string;
  readonly #connection: Connection;
  readonly #env: RunningEnv;
  readonly #end: (reason: string) => void;
  #calls = 0;
  #isRetired = false;

  private constructor(name: string, connection: Connection, offer: Offer, env: RunningEnv) {
    this.offer = offer;
    this.protocol = connection.protocol;
    this.#name = name;
    this.#connection = connection;
    this.#env = env;
    const { promise, resolve } = Promise.withResolvers<string>();
    this.ended = promise;
    this.#end = resolve;
    void connection.ended.then(resolve);
  }

  /** Starts a plugin, or connects to it. @throws Refusal; what the connection throws; the signal's reason */
  static async start(origin: Origin, env: RunningEnv, signal: AbortSignal): Promise<Running> {
    const { name } = origin;
    const connection = await origin.connect(env, signal);
    try {
      const gone = connection.ended.then((reason) => {
        throw new PluginError("NotStarted", `it ended before it described itself: ${reason}`);
      });
      const offer = measured({ name, method: "Describe", env }, async () => offerOf(await connection.describe(signal), name));
      return new Running(name, connection, await Promise.race([offer, gone]), env);
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** Asks for a plan. @throws PluginError; the signal's reason */
  async plan(request: PlanRequest, signal: AbortSignal): Promise<PlanAnswer> {
    this.#calls += 1;
    const { secrets } = this.#env;
    secrets.note(request.live.map(({ object }) => object));
    try {
      const answer = await measured({ name: this.#name, method: "Plan", env: this.#env }, () => this.#connection.plan(request, signal));
      if (answer.type === "dependents") secrets.note(answer.dependents.map(({ object }) => object));
      return answer;
    } catch (error) {
      signal.throwIfAborted();
      if (!isPluginError(error) || error.code !== "Away") throw error;
      // If it is away indeed, its end triggers a pass, and so does its return. Otherwise time does.
      void this.check();
      throw new PluginError("Away", error.message, { cause: error.cause, retryAfterMs: AGAIN_MS });
    } finally {
      this.#calls -= 1;
      this.#closeIfRetired();
    }
  }

  /** Asks for the health. A plugin that does not answer has ended. It never rejects. */
  async check(): Promise<void> {
    try {
      await measured({ name: this.#name, method: "Check", env: this.#env }, () => this.#connection.check(NEVER));
    } catch (error) {
      this.#end(`its health check failed: ${statusMessage(error)}`);
      await this.close();
    }
  }

  /** Closes the connection after the last call. */
  retire(): void {
    this.#isRetired = true;
    this.#closeIfRetired();
  }

  /** Closes the connection. It never rejects. */
  close(): Promise<void> {
    return this.#connection.close();
  }

  #closeIfRetired(): void {
    if (this.#isRetired && this.#calls === 0) void this.close();
  }
}

const NEVER = new AbortController().signal;

interface Call {
  readonly name: string;
  readonly method: string;
  readonly env: RunningEnv;
}

/** Runs a call, and counts it. @throws what it throws */
async function measured<T>({ name, method, env: { clock, metrics } }: Call, call: () => Promise<T>): Promise<T> {
  const startedMs = clock.elapsed();
  let code = "OK";
  try {
    return await call();
  } catch (error) {
    code = isPluginError(error) ? error.code : "InvalidAnswer";
    throw error;
  } finally {
    metrics.called({ plugin: name, method, code }, (clock.elapsed() - startedMs) / 1_000);
  }
}
