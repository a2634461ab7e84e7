/** One plugin that runs, from its description until its end. */
import { statusMessage } from "@treadle/reconcile/unstable/engine";
import type { ConnectEnv, Connection, Origin } from "../connection.ts";
import { isPluginError, PluginError } from "../plugin-error.ts";
import type { PluginMetrics } from "./metrics.ts";
import { type Offer, offerOf } from "./offer.ts";
import type { PluginSecrets } from "./plugin-secrets.ts";

/** What a plugin needs of its host. */
export interface RunningEnv extends ConnectEnv {
  readonly metrics: PluginMetrics;
  /** What the plugin knows of Secrets. */
  readonly secrets: PluginSecrets;
}

/** A plugin that runs. `plan` counts its calls, and an end within one leads to another attempt; `ended` is also that of the health. */
export interface Running extends Pick<Connection, "protocol" | "ended" | "plan" | "close"> {
  readonly offer: Offer;
  /** Asks for the health. A plugin that does not answer has ended. It never rejects. */
  check(): Promise<void>;
  /** Closes the connection after the last call. */
  retire(): void;
}

/** When a call is tried again after which the plugin still runs, in milliseconds. */
const AGAIN_MS = 1_000;

const NEVER = new AbortController().signal;

/** Starts a plugin, or connects to it. @throws PluginError, and what the connection throws; the signal's reason */
export async function startPlugin(origin: Origin, env: RunningEnv, signal: AbortSignal): Promise<Running> {
  const { name } = origin;
  const { clock, metrics, secrets } = env;
  /** Runs a call, and counts it. @throws what it throws */
  const measured = async <T>(method: string, call: () => Promise<T>): Promise<T> => {
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
  };
  const connection = await origin.connect(env, signal);
  const close = (): Promise<void> => connection.close();
  const endedEarly = connection.ended.then((reason) => {
    throw new PluginError("NotStarted", `it ended before it described itself: ${reason}`);
  });
  const described = measured("Describe", async () => offerOf(await connection.describe(signal), name));
  const offer = await Promise.race([described, endedEarly]).catch((error: unknown) => {
    void close();
    throw error;
  });
  const { promise: failed, resolve: onFailure } = Promise.withResolvers<string>();
  let calls = 0;
  let isRetired = false;
  const closeIfRetired = (): void => void (isRetired && calls === 0 && close());
  const check = (): Promise<void> =>
    measured("Check", () => connection.check(NEVER)).catch((error: unknown) => {
      onFailure(`its health check failed: ${statusMessage(error)}`);
      return close();
    });
  return {
    offer,
    protocol: connection.protocol,
    ended: Promise.race([failed, connection.ended]),
    check,
    close,
    async plan(request, limit) {
      calls += 1;
      secrets.note(request.live.map(({ object }) => object));
      try {
        const answer = await measured("Plan", () => connection.plan(request, limit));
        if (answer.type === "dependents") secrets.note(answer.dependents.map(({ object }) => object));
        return answer;
      } catch (error) {
        limit.throwIfAborted();
        if (!isPluginError(error) || error.code !== "Away") throw error;
        // If it is away indeed, its end triggers a pass, and so does its return. Otherwise time does.
        void check();
        throw new PluginError("Away", error.message, { cause: error.cause, retryAfterMs: AGAIN_MS });
      } finally {
        calls -= 1;
        closeIfRetired();
      }
    },
    retire() {
      isRetired = true;
      closeIfRetired();
    },
  };
}
