/** What the operator keeps for each App, and in which order. */
import { conditions, dependentApply, dependentApplyAll, handler } from "treadle";
import { ConfigMap, Deployment, Service } from "treadle/kinds";
import { App } from "./app.ts";

/** The greeting. It is ready when it is there. */
export const config = dependentApply(App, {
  name: "config",
  kind: ConfigMap,
  desired: (app) => ({ data: { "index.html": `<h1>${app.spec.greeting}</h1>\n` } }),
});

/** The web server: begun when the greeting is there, ready when all of its replicas are, deleted while the App is paused. */
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
          // A new greeting is a new version of the ConfigMap, and so a new set of pods.
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
  readyWhen: (live, app) => {
    const { availableReplicas = 0, observedGeneration = 0 } = live.status ?? {};
    if (observedGeneration < (live.metadata.generation ?? 0)) return "the newest version is not rolled out yet";
    return availableReplicas >= app.spec.replicas || `${availableReplicas} of ${app.spec.replicas} replicas are available`;
  },
  status: (entry, live) => ({ ...entry, attributes: [{ name: "availableReplicas", value: String(live?.status?.availableReplicas ?? 0) }] }),
});

/** How the web server is reached: depends on nothing, so it is made beside the others. */
export const service = dependentApply(App, {
  name: "service",
  kind: Service,
  desired: (app) => ({ spec: { selector: { app: app.metadata.name }, ports: [{ name: "http", port: 80, targetPort: 80 }] } }),
});

export const app = handler(App)
  .step(conditions())
  .step(dependentApplyAll("parts", [config, web, service]))
  .build();
