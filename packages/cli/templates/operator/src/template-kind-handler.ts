/** What the operator does for each TemplateKind: the steps, and their order. */
import { conditions, dependentApply, handler, step } from "treadle";
import { Deployment } from "treadle/kinds";
import { TemplateKind } from "./template-kind.ts";

/**
 * Keeps a Deployment with the name of the TemplateKind: it is created, changes by others are reverted, and later steps wait until it is
 * rolled out. The watch, the owner reference and the rights of the operator follow from this declaration.
 */
export const deployment = dependentApply(TemplateKind, {
  name: "deployment",
  kind: Deployment,
  desired: ({ metadata, spec: { image, replicas } }) => {
    const labels = { "app.kubernetes.io/name": "templatekind", "app.kubernetes.io/instance": metadata.name };
    const container = { name: "web", image, ports: [{ name: "http", containerPort: 8080 }] };
    return {
      spec: { replicas, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [container] } } },
    };
  },
  gives: { readyReplicas: (live) => live.status?.readyReplicas ?? 0 },
});

/** Writes the status. A `post` runs at the end of each pass, also while the Deployment is not ready. */
export const report = step(TemplateKind, {
  name: "report",
  needs: [deployment],
  post(req) {
    req.status.readyReplicas = req.vars.readyReplicas ?? 0;
  },
});

export const templateKinds = handler(TemplateKind).step(conditions()).step(deployment).step(report).build();
