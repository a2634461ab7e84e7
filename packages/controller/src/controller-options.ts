/** Options of `manager.add(handler, options)`. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { SchedulingOptions } from "./driver/scheduling-options.ts";
import type { Source } from "./sources/source.ts";

/** Options of one controller: which passes run, when, and how many at once. */
export interface ControllerOptions<in T extends KubernetesObject = KubernetesObject> extends SchedulingOptions<T> {
  /** Number of concurrent passes. @defaultValue `concurrency` of the manager, 5 */
  readonly concurrency?: number;
  /**
   * Time after which every object gets a pass at low priority, in milliseconds; each period is up to a tenth longer or
   * shorter. It sends no request, because passes read from the cache. @defaultValue `resyncMs` of the manager, 36_000_000 (10 h)
   */
  readonly resyncMs?: number | false;
  /** What starts passes besides events: `channel()`, `poll()`, `dynamicWatches()`. */
  readonly sources?: readonly Source[];
}
