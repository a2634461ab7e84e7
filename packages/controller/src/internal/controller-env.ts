/** What a controller gets from the manager that runs it. */
import type { Random } from "@treadle/apimachinery";
import type { Informer } from "@treadle/informer";
import type { DriverEnv } from "../driver/handler-driver.ts";
import type { ControllerMetrics } from "../metrics/controller-metrics.ts";
import type { PassReport } from "../pass-report.ts";
import type { PassTracing } from "../tracing/pass-tracing.ts";

/** `later`: the key is queued again when the watched namespaces have changed. `never`: the object is not reconciled any more. */
export type MayPass = "now" | "later" | "never";

/** The services of a controller. */
export interface ControllerEnv extends Omit<DriverEnv, "queueObserver" | "onCause" | "around" | "onContained"> {
  readonly random: Random;
  readonly metrics: ControllerMetrics;
  readonly tracing?: PassTracing | undefined;
  /** Whether a pass for a primary in `namespace` may begin: the watched namespaces may change. */
  readonly mayPass: (primary: Informer, namespace: string | undefined) => MayPass;
  /** Whether this process leads the operator now. */
  readonly mayWork: () => boolean;
  /** Makes the id of a pass for logs and reports. */
  readonly newID: () => string;
  /** Called after every pass; what it throws is logged. */
  readonly onPass?: ((report: PassReport) => void) | undefined;
  /** Called each time that a key was queued, or a pass began or ended. */
  readonly onChange: () => void;
}
