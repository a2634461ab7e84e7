/** The manifests of an operator, as parts. Pure: the same program and options give the same manifests in the same order. */
import { crdsOf } from "./crds.ts";
import { type Commented, type Parts, plain } from "./manifest.ts";
import { monitoringOf } from "./monitoring/monitoring.ts";
import { budgetOf, deploymentOf } from "./objects/deployment.ts";
import { metricsServiceOf, networkPolicyOf } from "./objects/network.ts";
import { rightsManifests } from "./objects/rights.ts";
import { webhookPartsOf } from "./objects/webhooks.ts";
import type { Operator } from "./operator.ts";

/** Returns the manifests of an operator. */
export function partsOf(operator: Operator): Parts {
  const webhooks = webhookPartsOf(operator);
  const crds = crdsOf(operator.rights).map((crd) => webhooks.crds.get(crd.metadata.name) ?? crd);
  return {
    namespace: namespaceOf(operator),
    crds: plain(crds),
    rbac: [...rightsManifests(operator), ...webhooks.rbac],
    operator: [...webhooks.services, ...metricsServiceOf(operator), ...deploymentOf(operator), ...budgetOf(operator)],
    webhooks: webhooks.webhooks,
    networkPolicy: networkPolicyOf(operator),
    monitoring: monitoringOf(operator),
  };
}

/** Returns all manifests of parts, in the order in which they can be applied. */
export function inOrder(parts: Parts, { withMonitoring }: { readonly withMonitoring: boolean }): readonly Commented[] {
  const { namespace, crds, rbac, operator, webhooks, networkPolicy, monitoring } = parts;
  return [...namespace, ...crds, ...rbac, ...networkPolicy, ...operator, ...webhooks, ...(withMonitoring ? monitoring : [])];
}

/** These exist in every cluster. */
const PRESENT = new Set(["default", "kube-system", "kube-public"]);

function namespaceOf({ namespace, labels }: Operator): readonly Commented[] {
  if (PRESENT.has(namespace)) return [];
  const metadata = { name: namespace, labels: { ...labels, "pod-security.kubernetes.io/enforce": "restricted" } };
  return plain([{ apiVersion: "v1", kind: "Namespace", metadata }]);
}
