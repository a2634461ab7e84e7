/** What the templates of a folder get as values. */
import type { KubernetesObject } from "@treadle/apimachinery";
import type { RenderContext } from "@treadle/dependents";
import { apiVersionFlags, requireNamespace } from "../helm/command.ts";

/** The values that the framework gives. */
export const OWN_VALUES: readonly string[] = ["component", "namespace", "name", "kubernetesVersion", "apiResources"];

/** Facts about the cluster that templates may use. A fact that no template mentions is no input. */
export interface Mentioned {
  readonly version: boolean;
  readonly served: boolean;
}

/** Decides which facts about the cluster the texts mention. */
export function mentionedIn(texts: readonly string[]): Mentioned {
  const mentions = (pattern: RegExp): boolean => texts.some((text) => pattern.test(text));
  return { version: mentions(/\bkubernetesVersion\b|\bKubeVersion\b/), served: mentions(/\bapiResources\b|\bAPIVersions\b/) };
}

/** Returns the values of the framework. */
export function ownValues(
  owner: KubernetesObject,
  context: RenderContext<unknown, unknown>,
  { version, served }: Mentioned,
): Record<string, unknown> {
  return {
    component: componentOf(owner),
    namespace: context.namespace ?? "",
    name: context.name,
    ...(version ? { kubernetesVersion: context.cluster.version } : {}),
    ...(served ? { apiResources: context.cluster.kinds.all() } : {}),
  };
}

/** The owner as far as it is an input: without its status, and without what changes while its spec stays. */
function componentOf(owner: KubernetesObject): Record<string, unknown> {
  const { metadata, status: _status, ...fields } = owner as KubernetesObject & { readonly status?: unknown };
  const { name, namespace, uid, labels = {}, annotations = {} } = metadata;
  const { "kubectl.kubernetes.io/last-applied-configuration": _applied, ...counted } = annotations;
  return {
    ...fields,
    metadata: {
      name,
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      labels,
      annotations: counted,
    },
  };
}

/** The flags of `helm template` that follow from the context. */
export function helmFlags(
  { namespace, release, cluster }: RenderContext<unknown, unknown>,
  { version, served }: Mentioned,
): readonly string[] {
  if (namespace !== undefined) requireNamespace("kustomize", namespace);
  return [
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
    ...(release.isInstall ? [] : ["--is-upgrade"]),
    ...(version ? [`--kube-version=${cluster.version}`] : []),
    ...(served ? apiVersionFlags(cluster.kinds.all()) : []),
  ];
}
