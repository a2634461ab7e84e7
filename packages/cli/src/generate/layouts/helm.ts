/** A Helm chart. Its templates are the manifests of the plain form, with values in some places. Pure. */
import { rightsManifests } from "../objects/rights.ts";
import { partsOf } from "../parts.ts";
import type { Operator } from "../operator.ts";
import type { Commented } from "../manifest.ts";
import { dataOf } from "../yaml.ts";
import { chartDeployment } from "./helm-deployment.ts";
import { valuesSchema, valuesText } from "./helm-values.ts";
import { headed, type Layout, type LayoutInput } from "./layout.ts";
import { releaseNamespace } from "./helm-namespace.ts";
import { templatedDocuments } from "./template.ts";

/** Returns the files of the chart. */
export function helmLayout({ operator, source, version }: LayoutInput): Layout {
  // The namespaces are values, so the manifests are those of an operator for all of them.
  const parts = partsOf({ ...operator, namespaces: undefined, isNamespaced: false });
  const written = (manifests: readonly Commented[]): string =>
    templatedDocuments(manifests.map((each) => releaseNamespace(each, operator.namespace)));
  const running = parts.operator.map((each) => chartDeployment(each));
  const of = (...kinds: readonly string[]): readonly Commented[] => running.filter(({ manifest }) => kinds.includes(manifest.kind));
  const files = {
    "Chart.yaml": dataOf(chartOf(operator, version)),
    "values.yaml": valuesText(operator),
    "values.schema.json": valuesSchema(operator),
    "templates/_helpers.tpl": helpers(operator),
    "templates/crds.yaml": when(".Values.crds.install", written(parts.crds.map(keptCrd))),
    "templates/rbac.yaml": rightsTemplate(operator, written),
    "templates/rbac-webhooks.yaml": written(parts.rbac.slice(rightsManifests({ ...operator, namespaces: undefined }).length)),
    "templates/operator.yaml": written(of("Service", "Deployment")),
    "templates/disruption-budget.yaml": when("gt (int .Values.replicas) 1", written(of("PodDisruptionBudget"))),
    "templates/webhooks.yaml": written(parts.webhooks),
    "templates/network-policy.yaml": when(".Values.networkPolicy.enabled", written(parts.networkPolicy)),
    ...Object.fromEntries(
      MONITORING.map(([kind, file, value]) => [
        `templates/${file}.yaml`,
        when(`.Values.monitoring.${value}`, written(parts.monitoring.filter(({ manifest }) => manifest.kind === kind))),
      ]),
    ),
    "templates/NOTES.txt": notes(operator),
  };
  return { generated: headed(files, source), once: new Map() };
}

const MONITORING = [
  ["ServiceMonitor", "service-monitor", "serviceMonitor"],
  ["PrometheusRule", "alerts", "alerts"],
  ["ConfigMap", "dashboard", "dashboard"],
] as const;

function when(condition: string, text: string): string {
  return text === "" ? "" : `{{- if ${condition} }}\n${text}{{- end }}\n`;
}

function chartOf({ name, image }: Operator, version: string): object {
  return {
    apiVersion: "v2",
    name,
    description: `The operator ${name}`,
    type: "application",
    version,
    appVersion: tagOf(image) ?? version,
    kubeVersion: ">=1.30.0-0",
  };
}

/** The tag of an image; a port of a registry is none. */
function tagOf(image: string): string | undefined {
  return /:([^/:@]+)(?:@.*)?$/.exec(image)?.[1];
}

/** `helm uninstall` keeps CRDs with this annotation, and so the objects of users. */
function keptCrd({ manifest }: Commented): Commented {
  const { metadata, ...rest } = manifest;
  const annotations = { ...(metadata["annotations"] as object | undefined), [KEEP]: "keep" };
  const { apiVersion, kind, ...others } = rest;
  return { manifest: { apiVersion, kind, metadata: { ...metadata, annotations }, ...others } };
}

/** The annotation that only CRDs of the chart have. */
export const KEEP = "helm.sh/resource-policy";

/** Rights in the whole cluster, or in each namespace of the values. */
function rightsTemplate(operator: Operator, written: (manifests: readonly Commented[]) => string): string {
  const wide = rightsManifests({ ...operator, namespaces: undefined });
  const narrow = rightsManifests({ ...operator, namespaces: [EACH] });
  const inEach = ({ manifest }: Commented): boolean => manifest.metadata.namespace === EACH;
  const isCluster = ({ manifest }: Commented): boolean => manifest.kind.startsWith("Cluster");
  const always = wide.filter((each) => !isCluster(each));
  const part = (manifests: readonly Commented[]): string => (manifests.length === 0 ? "" : `---\n${written(manifests)}`);
  const each = part(narrow.filter(inEach)).replaceAll(EACH, "{{ . }}");
  return [
    written(always),
    `{{- $namespaces := include "operator.namespaces" . }}\n`,
    `{{- if not $namespaces }}\n${part(wide.filter(isCluster))}{{- else }}\n`,
    part(narrow.filter(isCluster)),
    `{{- range splitList "," $namespaces }}\n${each}{{- end }}\n{{- end }}\n`,
  ].join("");
}

/** The namespace in whose place each namespace of the values is written. */
const EACH = "treadle-each-namespace";

function helpers({ webhooks }: Operator): string {
  const isFixed = webhooks?.service !== undefined;
  return `{{/* The namespaces that the operator watches, separated by commas; empty: all. */}}
{{- define "operator.namespaces" -}}
{{- if .Values.watch.ownNamespace }}{{ .Release.Namespace }}{{ else }}{{ join "," .Values.watch.namespaces }}{{ end }}
{{- end }}

{{/* The image with its tag or digest. */}}
{{- define "operator.image" -}}
{{- if .Values.image.digest }}{{ .Values.image.repository }}@{{ .Values.image.digest }}
{{- else }}{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}{{ end }}
{{- end }}
${isFixed ? CHECKED : FREE}`;
}

const FREE = `
{{/* The namespace of the operator. */}}
{{- define "operator.namespace" -}}
{{ .Release.Namespace }}
{{- end }}
`;

/** The certificates of a webhook server are for the namespace that the program names. */
const CHECKED = `
{{/* The namespace of the operator. The webhooks of the program are for one namespace only. */}}
{{- define "operator.namespace" -}}
{{- $expected := .Values.webhooks.namespace }}
{{- if and $expected (ne .Release.Namespace $expected) }}
{{- fail (printf "install the chart with --namespace %s: webhookServer names this namespace. If the program follows POD_NAMESPACE, use --set webhooks.namespace=" $expected) }}
{{- end }}
{{- .Release.Namespace }}
{{- end }}
`;

function notes({ name }: Operator): string {
  return `The operator ${name} runs in the namespace {{ .Release.Namespace }}:

  kubectl --namespace {{ .Release.Namespace }} rollout status deployment/${name}
`;
}
