/** A handler that was added to a manager. */
import type { AnyHandler } from "@treadle/reconcile";
import type { ControllerOptions } from "../controller-options.ts";

/** A handler, and the options of its controller. */
export interface Assignment {
  readonly handler: AnyHandler;
  readonly options: ControllerOptions;
}
