/** Generic step: a cleanup before the object is deleted. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { domainOf } from "../build/names.ts";
import type { CleanupReq } from "../req.ts";
import type { Wait } from "../result.ts";
import { anyKind, type Step, step } from "../step.ts";

/** These are the options of {@link finalizer}. */
export interface FinalizerOptions<T extends KubernetesObject> {
  /** The name of the step. @defaultValue "finalizer" */
  readonly name?: string;
  /** Cleans up. It runs in every deletion pass until it neither waits nor throws, so it must be idempotent. It also runs if no `do` ever ran. */
  cleanup(req: CleanupReq<T, {}, never>): Wait | void | Promise<Wait | void>;
  /**
   * Maximum time to wait until finalizers of other domains are removed, in milliseconds from the deletion. Then the cleanup runs
   * anyway. The condition `ForeignFinalizers` is True while they are there, and names them. @defaultValue no wait
   */
  readonly waitForForeignMs?: number;
  /** Maximum time of one run of the cleanup, in milliseconds. @defaultValue 30_000 */
  readonly timeoutMs?: number;
}

/**
 * Makes a step that has only a cleanup. It uses the one finalizer of the handler.
 *
 * @throws TypeError when `waitForForeignMs` is not a number of milliseconds from 0: a foreign finalizer may stay forever.
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
        // Reported in a separate pass: the pass that removes the finalizer stores nothing else.
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

/** The finalizers outside of the domain of the object's API group. Two handlers of one operator would wait for each other forever. */
function foreignFinalizers(object: KubernetesObject): readonly string[] {
  const slash = object.apiVersion.indexOf("/");
  const own = domainOf({ group: slash < 0 ? "" : object.apiVersion.slice(0, slash) });
  return (object.metadata.finalizers ?? []).filter((name) => {
    const domain = name.split("/")[0] ?? "";
    return domain !== own && !domain.endsWith(`.${own}`);
  });
}
