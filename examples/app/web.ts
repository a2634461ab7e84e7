/** The Deployment of an App: its web server. */
import { containers, dependentApply, layered, not, onPods, version } from "treadle";
import { Deployment } from "treadle/kinds";
import { App } from "./app.ts";
import { config } from "./config.ts";
import { migration } from "./migration.ts";
import { hasMetrics } from "./monitor.ts";
import { pages } from "./pages.ts";
import { webServer } from "./web-server.ts";

const isOld = version((app: App) => app.spec.version, "<1.20");
const exporter = { name: "exporter", image: "nginx/nginx-prometheus-exporter:1.4", ports: [{ name: "metrics", containerPort: 9113 }] };
const quit = { preStop: { exec: { command: ["nginx", "-s", "quit"] } } };

/** The web server. It starts after its pages and the migration, is ready when it is rolled out, and is deleted while the App is paused. */
export const web = dependentApply(App, {
  name: "web",
  kind: Deployment,
  displayName: "web server",
  conditions: ["WebReady"],
  needs: [pages],
  dependsOn: [config, migration],
  when: (app) => !app.spec.paused,
  objectName: (app) => `${app.metadata.name}-web`,
  desired: layered(webServer, [
    { name: "metrics", when: [hasMetrics, not(isOld)], merge: onPods({ containers: [exporter] }) },
    { name: "old-stop", layer: "compat", when: isOld, merge: containers("nginx", { lifecycle: quit }) },
    { name: "secured", layer: "final", merge: containers(() => true, { securityContext: { allowPrivilegeEscalation: false } }) },
  ]),
  status: (entry, live) => ({ ...entry, attributes: [{ name: "availableReplicas", value: String(live?.status?.availableReplicas ?? 0) }] }),
});
