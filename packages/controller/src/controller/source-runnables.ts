/** Makes runnables of the sources of a controller, so that the manager starts and stops them where its passes run. */
import { keyOf, type Ref } from "@treadle/apimachinery";
import type { Cache } from "@treadle/reconcile";
import type { HandlerController } from "./handler-controller.ts";
import type { Runnable } from "../runnable.ts";
import type { Source, SourceEnv, WatchingSourceEnv } from "../sources/source.ts";

/** Makes one runnable for each source, in the order in which they were given. */
export function sourceRunnables(controller: HandlerController, sources: readonly Source[], cache: Cache): readonly Runnable[] {
  return sources.map((source) => ({
    name: `${source.name} of ${controller.name}`,
    start: (signal, { clock, random, log }) => source.start(signal, sourceEnv(controller, source, { clock, random, log, cache })),
    stop: () => source.stop?.(),
  }));
}

function sourceEnv(controller: HandlerController, source: Source, env: Omit<SourceEnv, "enqueue">): WatchingSourceEnv {
  return {
    ...env,
    watch: (watch, id) => controller.watch(watch, id),
    enqueue(ref, afterMs) {
      const problem = controller.whyNever(ref);
      if (problem === undefined) return controller.enqueue(ref, afterMs);
      const object = textOf(ref);
      env.log.warn({ controller: controller.name, source: source.name, object }, `no pass can run for ${object}: ${problem}`);
    },
  };
}

function textOf(ref: Ref): string {
  return typeof (ref as Ref | null | undefined)?.name === "string" ? keyOf(ref) : String(JSON.stringify(ref));
}
