/** Options of `manager.add(handler, options)`. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { DriverOptions } from "./driver/driver-options.ts";
import type { Source } from "./sources/source.ts";

/** Options of one controller: which passes run, when, and how many at once. */
export interface ControllerOptions<in T extends KubernetesObject = KubernetesObject> extends DriverOptions<T> {
  /** How many passes at once. @defaultValue `concurrency` of the manager, 5 */
  readonly concurrency?: number;
  /**
   * Every object gets a pass at low priority so often, in milliseconds, up to a tenth more or less at random. It costs no
   * request: passes read from the cache. @defaultValue `resyncMs` of the manager, 36_000_000 (10 h)
   */
  readonly resyncMs?: number | false;
  /** What starts passes besides events: `channel()`, `poll()`. */
  readonly sources?: readonly Source[];
}
