/** Connects the driver of a controller with the services of the manager. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { AnyHandler, EventNote } from "@treadle/reconcile";
import { pipelineOf } from "@treadle/reconcile/unstable/engine";
import type { QueueListeners } from "@treadle/workqueue";
import type { DriverEnv } from "../driver/handler-driver.ts";
import type { KindServices } from "../feeds/kind-services.ts";
import type { Services } from "../manager/services.ts";
import type { ControllerMetrics, MeasuredObjects } from "../metrics/controller-metrics.ts";
import { PassTracing } from "../tracing/pass-tracing.ts";
import { bothObservers } from "./phase-observers.ts";

/** Makes the environment of the driver that runs the passes of `handler`. */
export function driverEnv(
  handler: AnyHandler,
  services: Services,
  { kinds, metrics }: { readonly kinds: KindServices; readonly metrics: ControllerMetrics },
): DriverEnv {
  const { clock, log, writer, fenced, monitor, isDryRun, options, onChange } = services;
  const { informers, feeds, presence, fetches, shared } = kinds;
  const { name } = handler;
  const measure = metrics.measures(pipelineOf(handler).metrics);
  const tracing = services.tracing && new PassTracing(handler, services.tracing);
  return {
    client: writer,
    ...(fenced && { fenced }),
    cache: informers.cache,
    clock,
    log,
    isDryRun,
    feeds,
    fetches,
    shared,
    isServed: (kind) => presence.isServed(kind),
    refusalOf: (kind) => presence.refusalOf(kind),
    recordEvent: (object, event) => recordEvent(name, services, { object, event }),
    ...(measure && { measure }),
    ...(options.onUndeclared && { undeclared: options.onUndeclared }),
    ...((monitor !== undefined || tracing !== undefined) && {
      phaseBegan: (phase) => bothObservers(monitor?.began(name, phase), tracing?.phaseBegan(phase)),
    }),
    queueListeners: queueListeners(services, metrics, tracing),
    onCause: tracing && ((key, { kind, event }) => tracing.caused(key, kind, event)),
    around: tracing && ((ref, reconcileID, run) => tracing.pass(ref, reconcileID, run)),
    onContained: () => metrics.panicked(),
    kindRetryMs: options.kindRetryMs,
    onDefined: (groups, listener) => presence.onDefined(groups, listener),
    onWatchChange: onChange,
  };
}

/** The objects of `handler`, for the metrics. */
export function measuredObjects(handler: AnyHandler, { clock, options }: Services): MeasuredObjects {
  const { conditions } = pipelineOf(handler);
  const types = [...(conditions?.declared.keys() ?? []), ...(conditions?.computesReady === true ? ["Ready"] : [])];
  const { metrics = {} } = options;
  return { kind: handler.kind, types, clock, isEach: metrics !== false && metrics.conditions === "each" };
}

function recordEvent(
  controller: string,
  { log, recorder }: Services,
  { object, event }: { readonly object: KubernetesObject; readonly event: EventNote },
): void {
  const { name, namespace } = object.metadata;
  const { note, isLogged, ...rest } = event;
  if (isLogged !== true) log.info({ controller, kind: object.kind, name, namespace, event: rest }, note);
  recorder?.record(controller, object, event);
}

function queueListeners({ onChange }: Services, { queue }: ControllerMetrics, tracing: PassTracing | undefined): QueueListeners {
  return {
    ...queue,
    onAdded(key, priority) {
      queue.onAdded?.(key, priority);
      onChange();
    },
    onStarted(key, waitedMs) {
      queue.onStarted?.(key, waitedMs);
      tracing?.started(key, waitedMs);
    },
    onFinished(key, workedMs) {
      queue.onFinished?.(key, workedMs);
      onChange();
    },
  };
}
