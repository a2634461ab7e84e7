/** The values of the chart, and their schema. Pure. */
import { RESOURCES } from "../objects/deployment.ts";
import type { Operator } from "../operator.ts";
import { dataOf } from "../yaml.ts";
import { mark } from "./layout.ts";

/** Returns the values with their comments. */
export function valuesText(operator: Operator): string {
  const { image, replicas, isElected, isNamespaced, namespaces, webhooks, metrics } = operator;
  const { repository, tag, digest } = imageParts(image);
  return [
    `image:
  repository: ${JSON.stringify(repository)}
  # Empty: appVersion of the chart.
  tag: ${JSON.stringify(tag)}
  # As in sha256:...; it wins over the tag.
  digest: ${JSON.stringify(digest)}
  # Empty: the default of Kubernetes.
  pullPolicy: ""
  pullSecrets: []
`,
    isElected
      ? "# One replica works. The others wait, and take over.\n"
      : "# The program has no leader election, so no more than one may run.\n",
    `replicas: ${replicas}

watch:
  # The namespaces that the operator watches, and in which it has rights; empty: all. They must exist.
  namespaces: ${JSON.stringify(isNamespaced ? [] : (namespaces ?? []))}
  # Watches the namespace of the release only.
  ownNamespace: ${isNamespaced}

`,
    dataOf({ resources: RESOURCES }),
    `
crds:
  # Installs and upgrades the CRDs with the release.
  install: true

networkPolicy:
  enabled: true
${metrics === undefined ? "" : MONITORING}${webhooks?.service === undefined ? "" : webhookValues(operator)}
# Further variables of the container: settings are in docs/operations.md.
env: []
podAnnotations: {}
nodeSelector: {}
tolerations: []
affinity: {}
priorityClassName: ""
extraVolumes: []
extraVolumeMounts: []
`,
  ].join("");
}

const MONITORING = `
monitoring:
  # Both need the CRDs of the Prometheus Operator.
  serviceMonitor: false
  alerts: false
  # A ConfigMap for the sidecar of Grafana.
  dashboard: false
`;

function webhookValues({ namespace }: Operator): string {
  return `
webhooks:
  # The namespace that the program names in webhookServer. Empty: the program follows POD_NAMESPACE.
  namespace: ${JSON.stringify(namespace)}
`;
}

/** Returns the repository, the tag and the digest of an image. */
function imageParts(image: string): { readonly repository: string; readonly tag: string; readonly digest: string } {
  const [name = "", digest = ""] = image.split("@");
  const tag = /:([^/:]+)$/.exec(name)?.[1] ?? "";
  return { repository: tag === "" ? name : name.slice(0, -tag.length - 1), tag, digest };
}

/** Returns the JSON Schema of the values: a misspelt value is refused. */
export function valuesSchema({ isElected, metrics, webhooks }: Operator): string {
  const text = { type: "string" };
  const flag = { type: "boolean" };
  const list = (items: object): object => ({ type: "array", items });
  const map = { type: "object" };
  const record = (properties: object): object => ({ type: "object", properties, additionalProperties: false });
  const schema = {
    $schema: "https://json-schema.org/draft-07/schema#",
    $comment: mark("values.schema.json"),
    ...record({
      image: record({ repository: { ...text, minLength: 1 }, tag: text, digest: text, pullPolicy: text, pullSecrets: list(map) }),
      replicas: { type: "integer", minimum: 0, ...(isElected ? {} : { maximum: 1 }) },
      watch: record({ namespaces: list(text), ownNamespace: flag }),
      resources: map,
      crds: record({ install: flag }),
      networkPolicy: record({ enabled: flag }),
      ...(metrics === undefined ? {} : { monitoring: record({ serviceMonitor: flag, alerts: flag, dashboard: flag }) }),
      ...(webhooks?.service === undefined ? {} : { webhooks: record({ namespace: text }) }),
      env: list(map),
      podAnnotations: { type: "object", additionalProperties: text },
      nodeSelector: { type: "object", additionalProperties: text },
      tolerations: list(map),
      affinity: map,
      priorityClassName: text,
      extraVolumes: list(map),
      extraVolumeMounts: list(map),
      // A chart that contains this one sets it.
      global: map,
    }),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}
