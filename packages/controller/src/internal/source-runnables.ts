/** The sources of a controller as what the manager starts and stops where its passes run. */
import { keyOf, type Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import type { Controller } from "../controller.ts";
import type { Runnable } from "../runnable.ts";
import type { Source } from "../sources/source.ts";

/** In the order in which they were given. */
export function sourceRunnables(controller: Controller, sources: readonly Source[], cache: Cache): readonly Runnable[] {
  return sources.map((source) => ({
    name: `${source.name} of ${controller.name}`,
    start: (signal, env) =>
      source.start(signal, {
        ...env,
        cache,
        watch: (watch, id) => controller.watch(watch, id),
        enqueue(ref, afterMs) {
          const problem = controller.whyNever(ref);
          if (problem === undefined) controller.enqueue(ref, afterMs);
          else
            env.log.warn(
              { controller: controller.name, source: source.name, object: textOf(ref) },
              `no pass can be about ${textOf(ref)}: ${problem}`,
            );
        },
      }),
    stop: () => source.stop?.(),
  }));
}

function textOf(ref: Ref): string {
  return typeof (ref as Ref | null | undefined)?.name === "string" ? keyOf(ref) : String(JSON.stringify(ref));
}
