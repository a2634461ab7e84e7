/** The Deployment of the chart: that of the plain form with values in it. Pure. */
import type { Commented, Manifest } from "../manifest.ts";
import { Template } from "./template.ts";

/** Returns a Deployment with templates; all other manifests as they are. */
export function chartDeployment(given: Commented): Commented {
  if (given.manifest.kind !== "Deployment") return given;
  const { spec, ...rest } = given.manifest as Manifest & { readonly spec: DeploymentSpec }; // made by deploymentOf()
  const { template } = spec;
  const { containers, volumes, ...pod } = template.spec;
  return {
    manifest: {
      ...rest,
      spec: {
        ...spec,
        replicas: Template.value(".Values.replicas"),
        template: {
          metadata: { ...template.metadata, annotations: { ...template.metadata.annotations, more: POD_ANNOTATIONS } },
          spec: {
            ...pod,
            imagePullSecrets: Template.optional(".Values.image.pullSecrets"),
            nodeSelector: Template.optional(".Values.nodeSelector"),
            tolerations: Template.optional(".Values.tolerations"),
            affinity: Template.optional(".Values.affinity"),
            priorityClassName: PRIORITY,
            containers: containers.map(chartContainer),
            volumes: [...volumes, itemsOf(".Values.extraVolumes")],
          },
        },
      },
    },
  };
}

interface DeploymentSpec {
  readonly template: {
    readonly metadata: { readonly annotations: object };
    readonly spec: { readonly containers: readonly Container[]; readonly volumes: readonly object[] };
  };
}

interface Container {
  readonly name: string;
  readonly env: readonly object[];
  readonly volumeMounts: readonly object[];
}

function chartContainer({ name, env, volumeMounts, ...rest }: Container): object {
  return {
    name,
    ...rest,
    image: Template.value('include "operator.image" . | quote'),
    imagePullPolicy: Template.items("{{- with .Values.image.pullPolicy }}\nimagePullPolicy: {{ . }}\n{{- end }}"),
    env: [...env, Template.items(NAMESPACES), itemsOf(".Values.env")],
    resources: Template.block(".Values.resources"),
    volumeMounts: [...volumeMounts, itemsOf(".Values.extraVolumeMounts")],
  };
}

const NAMESPACES = `{{- with include "operator.namespaces" . }}
- name: TREADLE_NAMESPACES
  value: {{ . | quote }}
{{- end }}`;

const POD_ANNOTATIONS = Template.items(`{{- range $key, $value := .Values.podAnnotations }}
{{ $key }}: {{ $value | quote }}
{{- end }}`);

const PRIORITY = Template.items(`{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}`);

/** More items of a list; each is written with the braces of JSON, so that no indentation is needed. */
function itemsOf(value: string): Template {
  return Template.items(`{{- range ${value} }}\n- {{ toJson . }}\n{{- end }}`);
}
