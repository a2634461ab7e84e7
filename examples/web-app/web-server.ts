/** The web server in its newest shape, without options: the baseline of `web.ts`. */
import type { ConfigMap } from "treadle/kinds";
import type { WebApp } from "./web-app.ts";

interface Inputs {
  readonly dependents: { readonly settings: ConfigMap | undefined };
}

/** Returns the Deployment of the web servers. */
export const webServer = ({ metadata: { name }, spec }: WebApp, { dependents }: Inputs) => {
  const labels = { web: name };
  // New settings change this annotation, so the Deployment rolls out new pods.
  const annotations = { "examples.treadle.dev/settings": JSON.stringify(dependents.settings?.data ?? {}) };
  const nginx = {
    name: "nginx",
    image: `nginx:${spec.version}`,
    ports: [{ containerPort: 80 }],
    envFrom: [{ configMapRef: { name: `${name}-settings` } }],
    resources: { requests: { cpu: "250m" } }, // an autoscaler compares the load with it
  };
  const template = { metadata: { labels, annotations }, spec: { containers: [nginx] } };
  return { spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template } };
};
