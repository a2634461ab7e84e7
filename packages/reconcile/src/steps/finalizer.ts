/** Generic step: something to do before the object goes. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { domainOf } from "../internal/names.ts";
import type { CleanupReq } from "../req.ts";
import type { Wait } from "../result.ts";
import { anyKind, type Step, step } from "../step.ts";

export interface FinalizerOptions<T extends KubernetesObject> {
  /** @defaultValue "finalizer" */
  readonly name?: string;
  /** Idempotent; runs in every deletion pass until it neither waits nor throws. Also for an object whose `do`s never ran. */
  cleanup(req: CleanupReq<T, {}, "ForeignFinalizers">): Wait | void | Promise<Wait | void>;
  /**
   * Waits, before the cleanup, until finalizers of other domains are gone, for at most so many milliseconds after the
   * deletion; then goes on, with a condition `ForeignFinalizers` that names them. @defaultValue not waiting
   */
  readonly waitForForeignMs?: number;
  /** Deadline of the cleanup in milliseconds. @defaultValue 30_000 */
  readonly timeoutMs?: number;
}

/** A step with only a cleanup, on the handler's one finalizer. */
export function finalizer<T extends KubernetesObject = KubernetesObject>(options: FinalizerOptions<T>): Step<T> {
  const { name = "finalizer", waitForForeignMs, timeoutMs } = options;
  // The condition exists only where there is something to say in it: no step may declare what it never reports.
  const declared = waitForForeignMs === undefined ? [] : [{ type: "ForeignFinalizers", ready: "ignored" } as const];
  return step(anyKind<T>(), {
    name,
    conditions: declared,
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    async cleanup(req) {
      if (waitForForeignMs !== undefined) {
        const foreign = foreignFinalizers(req.object);
        if (foreign.length === 0) {
          req.conditions.true("ForeignFinalizers", "Gone");
        } else {
          const text = `waiting for ${foreign.join(", ")}`;
          const restMs = Date.parse(req.object.metadata.deletionTimestamp ?? "") + waitForForeignMs - req.now().getTime();
          if (restMs > 0) return req.conditions.false("ForeignFinalizers", "Waiting", text).wait(restMs);
          req.conditions.false("ForeignFinalizers", "WaitedLongEnough", `cleaned up although these are still there: ${foreign.join(", ")}`);
        }
      }
      return await options.cleanup(req as CleanupReq<T, {}, "ForeignFinalizers">);
    },
  }) as Step<T>;
}

/** Those outside the domain of the object's own API group: waiting for each other, two handlers of one operator would never end. */
function foreignFinalizers(object: KubernetesObject): readonly string[] {
  const slash = object.apiVersion.indexOf("/");
  const own = domainOf({ group: slash < 0 ? "" : object.apiVersion.slice(0, slash) });
  return (object.metadata.finalizers ?? []).filter((name) => {
    const domain = name.split("/")[0] ?? "";
    return domain !== own && !domain.endsWith(`.${own}`);
  });
}
