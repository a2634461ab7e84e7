/** The Deployment of an App: its web server. */
import { dependentApply } from "treadle";
import { Deployment } from "treadle/kinds";
import { App } from "./app.ts";
import { config } from "./config.ts";

/** The web server. It starts after the greeting exists, is ready when it is rolled out, and is deleted while the App is paused. */
export const web = dependentApply(App, {
  name: "web",
  kind: Deployment,
  displayName: "web server",
  dependsOn: [config],
  objectName: (app) => `${app.metadata.name}-web`,
  desired: (app, { dependents }) => {
    if (app.spec.paused) return undefined;
    const labels = { app: app.metadata.name };
    return {
      spec: {
        replicas: app.spec.replicas,
        selector: { matchLabels: labels },
        template: {
          // A new greeting changes this annotation, so the Deployment rolls out new pods.
          metadata: { labels, annotations: { "examples.treadle.dev/greeting": dependents.config?.data?.["index.html"] ?? "" } },
          spec: {
            containers: [
              {
                name: "nginx",
                image: app.spec.image,
                ports: [{ containerPort: 80 }],
                volumeMounts: [{ name: "html", mountPath: "/usr/share/nginx/html" }],
              },
            ],
            volumes: [{ name: "html", configMap: { name: app.metadata.name } }],
          },
        },
      },
    };
  },
  status: (entry, live) => ({ ...entry, attributes: [{ name: "availableReplicas", value: String(live?.status?.availableReplicas ?? 0) }] }),
});
