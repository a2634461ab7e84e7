/** The PodMonitor of an App: tells Prometheus which pods have metrics. Not every cluster has the kind. */
import { dependentApply, kind } from "treadle";
import { App } from "./app.ts";

interface PodMonitorFields {
  readonly spec: {
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly podMetricsEndpoints: readonly { readonly port: string }[];
  };
}

/** The kind of the Prometheus operator. */
export const PodMonitor = kind<PodMonitorFields>({ group: "monitoring.coreos.com", version: "v1", kind: "PodMonitor" });

/** Whether an App exports metrics. */
export const hasMetrics = (app: App): boolean => app.spec.metrics;

/** Keeps a PodMonitor if the App exports metrics. In a cluster without the kind the step is left out. */
export const monitor = dependentApply(App, {
  name: "monitor",
  kind: PodMonitor,
  includeWhen: (_app, { isServed }) => isServed(PodMonitor),
  when: hasMetrics,
  desired: (app) => ({
    spec: { selector: { matchLabels: { app: app.metadata.name } }, podMetricsEndpoints: [{ port: "metrics" }] },
  }),
});
