/** Generic step: something to do before the object goes. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { domainOf } from "../build/names.ts";
import type { CleanupReq } from "../req.ts";
import type { Wait } from "../result.ts";
import { anyKind, type Step, step } from "../step.ts";

/** Options of {@link finalizer}. */
export interface FinalizerOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "finalizer" */
  readonly name?: string;
  /** Idempotent; runs in every deletion pass until it neither waits nor throws. Also for an object whose `do`s never ran. */
  cleanup(req: CleanupReq<T, {}, never>): Wait | void | Promise<Wait | void>;
  /**
   * Waits, before the cleanup, until finalizers of other domains are gone, for at most so many milliseconds after the
   * deletion; then goes on. A condition `ForeignFinalizers` names them: True while they are there. @defaultValue not waiting
   */
  readonly waitForForeignMs?: number;
  /** Deadline of the cleanup in milliseconds. @defaultValue 30_000 */
  readonly timeoutMs?: number;
}

/**
 * A step with only a cleanup, on the handler's one finalizer.
 *
 * @throws TypeError when `waitForForeignMs` is not a number of milliseconds from 0: a foreign finalizer may stay for ever.
 */
export function finalizer<T extends KubernetesObject = KubernetesObject>(options: FinalizerOptions<T>): Step<T> {
  const { name = "finalizer", waitForForeignMs, timeoutMs, cleanup } = options;
  const common = { name, ...(timeoutMs === undefined ? {} : { timeoutMs }) };
  if (waitForForeignMs === undefined)
    return step(anyKind<T>(), { ...common, cleanup: (req) => cleanup(req as CleanupReq<T, {}, never>) }) as Step<T>;
  if (!Number.isFinite(waitForForeignMs) || waitForForeignMs < 0) {
    throw new TypeError(`finalizer: waitForForeignMs must be a number of milliseconds from 0, not ${String(waitForForeignMs)}`);
  }
  return step(anyKind<T>(), {
    ...common,
    conditions: [{ type: "ForeignFinalizers", ready: "ignored" }],
    do(req) {
      req.conditions.false("ForeignFinalizers", "NotDeleting", "");
    },
    async cleanup(req) {
      const foreign = foreignFinalizers(req.object);
      if (foreign.length > 0) {
        const names = foreign.join(", ");
        const restMs = Date.parse(req.object.metadata.deletionTimestamp ?? "") + waitForForeignMs - req.now().getTime();
        if (restMs > 0) {
          req.conditions.true("ForeignFinalizers", "Waiting", `waiting for ${names}`);
          return req.wait(`waiting for ${names}`, restMs);
        }
        // Said in a pass of its own: the one that removes the finalizer stores nothing else.
        if (req.conditions.previous("ForeignFinalizers")?.reason !== "WaitedLongEnough") {
          req.conditions.true("ForeignFinalizers", "WaitedLongEnough", `cleaning up although these are still there: ${names}`);
          return req.wait(`waited long enough for ${names}`, 0);
        }
        req.conditions.keep("ForeignFinalizers");
      } else {
        req.conditions.false("ForeignFinalizers", "Gone", "");
      }
      return await cleanup(req as CleanupReq<T, {}, never>);
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
