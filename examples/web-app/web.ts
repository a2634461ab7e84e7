/** The web servers of a WebApp: a baseline, and layers for options and old versions. */
import { containers, dependentApply, layered, not, onPods, version } from "treadle";
import { Deployment } from "treadle/kinds";
import { settings } from "./settings.ts";
import { WebApp } from "./web-app.ts";
import { webServer } from "./web-server.ts";

/** Whether a WebApp exports metrics. */
export const hasMetrics = (app: WebApp): boolean => app.spec.metrics;
const isOld = version((app: WebApp) => app.spec.version, "<1.20");

const metrics = { name: "metrics", image: "nginx/nginx-prometheus-exporter:1.4", ports: [{ name: "metrics", containerPort: 9113 }] };
const quit = { preStop: { exec: { command: ["nginx", "-s", "quit"] } } };

/** The Deployment of the web servers. */
export const web = dependentApply(WebApp, {
  name: "web-server",
  kind: Deployment,
  dependsOn: [settings],
  desired: layered(webServer, [
    { name: "metrics", when: [hasMetrics, not(isOld)], merge: onPods({ containers: [metrics] }) },
    { name: "old-stop", layer: "compat", when: isOld, merge: containers("nginx", { lifecycle: quit }) },
    { name: "secured", layer: "final", merge: containers(() => true, { securityContext: { allowPrivilegeEscalation: false } }) },
  ]),
});
