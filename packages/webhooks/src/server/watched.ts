/** Watches the functions of authors: the monitor of the event loop can name the one that blocked it, and mistakes are counted. */
import { groupKindOf, type KubernetesObject, type Ref } from "@treadle/apimachinery";
import type { NamedWork, RunnableEnv } from "@treadle/controller";
import { isPanic } from "@treadle/controller/unstable/runnable";
import type { AnyConversion, AnyWebhooks } from "../definition.ts";
import type { WebhookMetrics } from "./webhook-metrics.ts";

/** What watches. */
export interface Watcher {
  readonly env: Pick<RunnableEnv, "named">;
  readonly metrics: Pick<WebhookMetrics, "panicked">;
}

/** Returns webhooks that do the same. Each of their functions runs under its name. */
export function watched(webhooks: AnyWebhooks, { env, metrics }: Watcher): AnyWebhooks {
  const { kind, fill, problems, convert } = webhooks;
  const work = (name: string, object: KubernetesObject): NamedWork => ({ name: `${name} of ${groupKindOf(kind)}`, ref: refOf(object) });
  return {
    ...webhooks,
    fill:
      fill &&
      ((draft, object, review) =>
        run(
          "admission",
          work("fill", object),
          () => fill(draft, object, review),
          () => review.signal,
        )),
    problems:
      problems &&
      ((object, review) =>
        run(
          "admission",
          work("problems", object),
          () => problems(object, review),
          () => review.signal,
        )),
    convert: Object.fromEntries(
      Object.entries(convert).map(([version, functions]): [string, AnyConversion] => [
        version,
        {
          up: (object) => run("conversion", work(`up from ${version}`, object), () => functions.up(object)),
          down: (object) => run("conversion", work(`down to ${version}`, object), () => functions.down(object)),
        },
      ]),
    ),
  };

  // oxlint-disable-next-line max-params -- as env.named(), whose order reads best
  function run<T>(type: "admission" | "conversion", named: NamedWork, call: () => T, signal?: () => AbortSignal): T {
    const failed = (error: unknown): void => {
      if (isPanic(error)) metrics.panicked(type);
    };
    try {
      const result = env.named(named, call, signal);
      // The caller gets the same promise, and its error. A lazy thenable would start its work at each then().
      if (result instanceof Promise) void result.then(undefined, failed);
      return result;
    } catch (error) {
      failed(error);
      throw error;
    }
  }
}

/** An object with generateName has no name yet, whatever its type says. */
function refOf({ metadata }: { readonly metadata: Partial<KubernetesObject["metadata"]> }): Ref {
  const { name = "", namespace } = metadata;
  return namespace === undefined ? { name } : { name, namespace };
}
