/** A base of Kustomize, a component for monitoring, and two overlays, which belong to the user. Pure. */
import { CONTAINER } from "../objects/deployment.ts";
import type { Operator } from "../operator.ts";
import { dataOf, documentsOf } from "../yaml.ts";
import { headed, type Layout, type LayoutInput } from "./layout.ts";

/** Returns the files. */
export function kustomizeLayout({ operator, parts, source }: LayoutInput): Layout {
  const { namespace, crds, rbac, networkPolicy, operator: running, webhooks, monitoring } = parts;
  const given = { namespace, crds, rbac, "network-policy": networkPolicy, operator: running, webhooks };
  const base = Object.entries(given).flatMap(([name, manifests]) =>
    manifests.length === 0 ? [] : [[`${name}.yaml`, documentsOf(manifests)] as const],
  );
  const hasMonitoring = monitoring.length > 0;
  const files = {
    "base/kustomization.yaml": dataOf({ ...KUSTOMIZATION, resources: base.map(([name]) => name) }),
    ...Object.fromEntries(base.map(([name, text]) => [`base/${name}`, text])),
    "components/monitoring/kustomization.yaml": hasMonitoring ? dataOf({ ...COMPONENT, resources: ["monitoring.yaml"] }) : "",
    "components/monitoring/monitoring.yaml": documentsOf(monitoring),
  };
  const once = [
    ["overlays/development/kustomization.yaml", development(operator)],
    ["overlays/production/kustomization.yaml", production(operator, hasMonitoring)],
  ] as const;
  return { generated: headed(files, source), once: new Map(once) };
}

const KUSTOMIZATION = { apiVersion: "kustomize.config.k8s.io/v1beta1", kind: "Kustomization" } as const;
const COMPONENT = { apiVersion: "kustomize.config.k8s.io/v1alpha1", kind: "Component" } as const;

/** The image without its tag or digest, as Kustomize names it. A port of a registry is no tag. */
function imageName({ image }: Operator): string {
  return image.replace(/@.*$/, "").replace(/:[^/:]*$/, "");
}

function development({ name }: Operator): string {
  return `# This overlay is yours: treadle generate does not write it again.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
patches:
  - target: { kind: Deployment, name: ${name} }
    patch: |
      - op: add
        path: /spec/template/spec/containers/0/env/-
        value: { name: TREADLE_LOG_LEVEL, value: debug }
`;
}

function production(operator: Operator, hasMonitoring: boolean): string {
  const monitoring = `
# Needs the CRDs of the Prometheus Operator:
# components:
#   - ../../components/monitoring
`;
  return `# This overlay is yours: treadle generate does not write it again.
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../../base
${hasMonitoring ? monitoring.trimStart() : ""}
# The image of a release:
# images:
#   - name: ${imageName(operator)}
#     newName: registry.example.com/${imageName(operator)}
#     newTag: 1.2.3

# More memory for the container "${CONTAINER}":
# patches:
#   - target: { kind: Deployment, name: ${operator.name} }
#     patch: |
#       - op: replace
#         path: /spec/template/spec/containers/0/resources/limits/memory
#         value: 512Mi
`;
}
