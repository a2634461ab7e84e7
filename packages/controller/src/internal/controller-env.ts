/** What a controller is given by the manager that runs it. */
import type { Clock, KubernetesObject, Random } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { AnyHandler, Cache, Logger, ReconcilerEnv } from "@treadle/reconcile";
import type { DeclaredWatch, Fetches } from "@treadle/reconcile/unstable/engine";
import type { PassReport } from "../controller-options.ts";
import type { Feed } from "../feed.ts";
import type { ControllerMetrics } from "../metrics/controller-metrics.ts";
import type { PassTracing } from "../tracing/pass-tracing.ts";
import type { OpenFeed } from "./feeds.ts";
import type { MayPass } from "./watched-namespaces.ts";

export interface ControllerEnv extends Pick<ReconcilerEnv, "recordEvent" | "phaseBegan"> {
  readonly tracing?: PassTracing | undefined;
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** The feed of a watched kind, in whatever form it is watched; before the informers start. */
  readonly feedOf: (kind: AnyHandler["kind"]) => Feed;
  /** The feed of a kind that is watched from now on, until it is closed. */
  readonly openFeed: (watch: DeclaredWatch) => OpenFeed;
  /** The same of a kind that may not be watched. */
  readonly watchedFeedOf: (kind: AnyHandler["kind"]) => Feed | undefined;
  readonly fetches: Fetches;
  /** Nothing that is written is sent. */
  readonly isDryRun: boolean;
  readonly isServed: (kind: AnyHandler["kind"]) => boolean;
  /** Whether the cache of a kind would show `object`. */
  readonly isSelected: (kind: AnyHandler["kind"], object: KubernetesObject) => boolean;
  /** Whether a pass for a primary in `namespace` may begin: the namespaces that are watched may change. */
  readonly mayPass: (primary: Feed["informer"], namespace: string | undefined) => MayPass;
  /** Whether this process leads the operator, as of now. */
  readonly mayWork: () => boolean;
  readonly refusalOf: (kind: AnyHandler["kind"]) => string | undefined;
  readonly undeclared?: ReconcilerEnv["undeclared"];
  /** Names a pass in logs and reports. */
  readonly newID: () => string;
  /** Told of every pass when it is over; what it throws is logged. */
  readonly onPass?: ((report: PassReport) => void) | undefined;
  /** Told each time that something was queued, began or ended. */
  readonly onChange: () => void;
}
