/**
 * Metrics by prom-client, with controller-runtime's names, so that its dashboards and alerts work unchanged, in a registry of
 * the manager. Every series of a controller exists from the start, so that `absent()` means that the controller is down.
 */
import type { Kind } from "@treadle/apimachinery";
import type { Exchange } from "@treadle/client";
import type { Informer } from "@treadle/informer";
import { Registry } from "./prom-client-parts.ts";
import type { EventResult } from "../events/recorder.ts";
import type { ElectionMetrics } from "../leader-election/election.ts";
import { certificateFamilies } from "./certificate-families.ts";
import type { CertificateMetrics } from "./certificate-metrics.ts";
import type { ControllerMetrics } from "./controller-metrics.ts";
import { eventFamilies } from "./event-families.ts";
import { extensionFamilies } from "./extension-families.ts";
import { informerFamilies } from "./informer-families.ts";
import { controllerMetrics, passFamilies } from "./pass-families.ts";
import { electionMetrics, type LoopMetrics, loopMetrics, processFamilies, rejectionFamily } from "./process-families.ts";
import { objectFamilies } from "./object-families.ts";
import { queueFamilies } from "./queue-families.ts";
import { requestFamilies } from "./request-families.ts";

export interface ManagerMetrics {
  readonly registry: Registry;
  controller(name: string, kind: Kind): ControllerMetrics;
  exchanged(exchange: Exchange): void;
  rejectionUnhandled(): void;
  recorded(result: EventResult): void;
  /** Sets the source of the gauges of informers. */
  watchInformers(informers: () => readonly Informer[]): void;
  readonly certificates: CertificateMetrics;
  readonly election: ElectionMetrics;
  readonly loop: LoopMetrics;
}

export function createPrometheus(): ManagerMetrics {
  const registry = new Registry();
  const passes = passFamilies(registry);
  const queues = queueFamilies(registry);
  const objects = objectFamilies(registry);
  const extensions = extensionFamilies(registry);
  processFamilies(registry);
  return {
    registry,
    controller: (name, kind) => controllerMetrics({ passes, queues, objects, extensions }, name, kind),
    exchanged: requestFamilies(registry),
    rejectionUnhandled: rejectionFamily(registry),
    recorded: eventFamilies(registry),
    watchInformers: informerFamilies(registry),
    certificates: certificateFamilies(registry),
    election: electionMetrics(registry),
    loop: loopMetrics(registry),
  };
}
