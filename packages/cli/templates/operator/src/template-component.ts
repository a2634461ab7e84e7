/** A component of TemplateKind: objects that are one feature, with one lifecycle and one condition. */
import { component, dependentApply } from "treadle";
import { Deployment, Service } from "treadle/kinds";
import { TemplateKind } from "./template-kind.ts";

const nameOf = ({ metadata }: Pick<TemplateKind, "metadata">): string => `${metadata.name}-template-component`;
const labelsOf = (owner: Pick<TemplateKind, "metadata">): Record<string, string> => ({ "app.kubernetes.io/instance": nameOf(owner) });

const server = dependentApply(TemplateKind, {
  name: "template-component-server",
  kind: Deployment,
  objectName: nameOf,
  desired: (owner) => {
    const labels = labelsOf(owner);
    const containers = [{ name: "server", image: "nginxinc/nginx-unprivileged:1.29", ports: [{ name: "http", containerPort: 8080 }] }];
    return { spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } };
  },
});

const service = dependentApply(TemplateKind, {
  name: "template-component-service",
  kind: Service,
  objectName: nameOf,
  desired: (owner) => ({ spec: { selector: labelsOf(owner), ports: [{ name: "http", port: 80, targetPort: 8080 }] } }),
});

/** `enabled: (owner) => ...` switches it off by the spec: its objects are deleted then. */
export const templateComponent = component(TemplateKind, {
  name: "template-component",
  condition: "TemplateComponentReady",
  resources: [server, service],
});
