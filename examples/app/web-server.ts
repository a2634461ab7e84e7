/** The web server in its newest shape, without options: the baseline of `web.ts`. */
import type { ConfigMap } from "treadle/kinds";
import type { App } from "./app.ts";

interface Inputs {
  readonly vars: { readonly pageFile: Readonly<Record<string, string>> };
  readonly dependents: { readonly config: ConfigMap | undefined };
}

/** Returns the Deployment of an App. Its files are the greeting and the pages, each from a ConfigMap. */
export const webServer = ({ metadata, spec }: App, { vars, dependents }: Inputs) => {
  const labels = { app: metadata.name };
  // A new greeting changes this annotation, so the Deployment rolls out new pods.
  const annotations = { "examples.treadle.dev/greeting": dependents.config?.data?.["index.html"] ?? "" };
  const files = Object.entries(vars.pageFile).map(([page, name]) => ({
    configMap: { name, items: [{ key: `${page}.html`, path: `pages/${page}.html` }] },
  }));
  const nginx = {
    name: "nginx",
    image: `nginx:${spec.version}`,
    ports: [{ containerPort: 80 }],
    volumeMounts: [{ name: "html", mountPath: "/usr/share/nginx/html" }],
  };
  const volumes = [{ name: "html", projected: { sources: [{ configMap: { name: metadata.name } }, ...files] } }];
  const template = { metadata: { labels, annotations }, spec: { containers: [nginx], volumes } };
  return { spec: { replicas: spec.replicas, selector: { matchLabels: labels }, template } };
};
