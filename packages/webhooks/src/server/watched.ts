/** Watches the functions of authors: the monitor of the event loop can name the one that blocked it, and mistakes are counted. */
import { groupKindOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { RunnableEnv } from "@treadle/controller";
import { isPanic } from "@treadle/controller/unstable/runnable";
import type { AnyConversion, AnyWebhooks } from "../definition.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** What watches. */
export interface Watcher {
  readonly env: Pick<RunnableEnv, "named">;
  readonly metrics: Pick<WebhookMetrics, "panicked">;
}

/** Returns webhooks that do the same. Each of their functions runs under its name. */
export function watched(webhooks: AnyWebhooks, watcher: Watcher): AnyWebhooks {
  const { kind, fill, problems, convert } = webhooks;
  const runner = (type: "admission" | "conversion", name: string): Run => runnerOf(watcher, type, `${name} of ${groupKindOf(kind)}`);
  const [filling, checking] = [runner("admission", "fill"), runner("admission", "problems")];
  const conversion = ([version, functions]: [string, AnyConversion]): [string, AnyConversion] => {
    const [rising, falling] = [runner("conversion", `up from ${version}`), runner("conversion", `down to ${version}`)];
    const up: AnyConversion["up"] = (object) => rising(object, () => functions.up(object));
    return [version, { up, down: (object) => falling(object, () => functions.down(object)) }];
  };
  return {
    ...webhooks,
    fill: fill && ((draft, object, review) => filling(object, () => fill(draft, object, review), signalOf(review))),
    problems: problems && ((object, review) => checking(object, () => problems(object, review), signalOf(review))),
    convert: Object.fromEntries(Object.entries(convert).map(conversion)),
  };
}

/** Calls a function for an object. */
type Run = <T>(object: KubernetesObject, call: () => T, signal?: () => AbortSignal) => T;

function runnerOf({ env, metrics }: Watcher, type: "admission" | "conversion", name: string): Run {
  const failed = (error: unknown): void => {
    if (isPanic(error)) metrics.panicked(type);
  };
  return (object, call, signal) => {
    try {
      const result = env.named({ name, ref: refOf(object) }, call, signal);
      // The caller gets the same promise, and its error. A lazy thenable would start its work at each then().
      if (result instanceof Promise) void result.then(undefined, failed);
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  };
}

/** A review makes its signal when it is read. */
function signalOf(review: { readonly signal: AbortSignal }): () => AbortSignal {
  return () => review.signal;
}

/** An object with generateName has no name yet, whatever its type says. */
function refOf({ metadata }: { readonly metadata: Partial<KubernetesObject["metadata"]> }): Ref {
  const { name = "", namespace } = metadata;
  return namespace === undefined ? { name } : { name, namespace };
}
