/** Objects that TemplateKind keeps, as one step. Those without `dependsOn` are written at once. */
import { dependentApply, dependentApplyAll } from "treadle";
import { ConfigMap, Service } from "treadle/kinds";
import { TemplateKind } from "./template-kind.ts";

const config = dependentApply(TemplateKind, {
  name: "template-dependents-config",
  kind: ConfigMap,
  objectName: ({ metadata }) => `${metadata.name}-template-dependents`,
  desired: ({ metadata }) => ({ data: { owner: metadata.name } }),
});

const service = dependentApply(TemplateKind, {
  name: "template-dependents-service",
  kind: Service,
  dependsOn: [config],
  objectName: ({ metadata }) => `${metadata.name}-template-dependents`,
  desired: ({ metadata }) => ({
    spec: { selector: { "app.kubernetes.io/instance": metadata.name }, ports: [{ name: "http", port: 80, targetPort: 8080 }] },
  }),
});

export const templateDependents = dependentApplyAll("template-dependents", [config, service]);
