/** The manifests of the webhooks, sorted into the parts of an operator. Pure. */
import type { Operator } from "../operator.ts";
import { type Commented, type Manifest, plain } from "../manifest.ts";
import { certificateOf, certManagerName } from "./certificates.ts";

/** What the webhooks of an operator need. */
export interface WebhookParts {
  /** The CRDs with conversion, by name. */
  readonly crds: ReadonlyMap<string, Manifest>;
  readonly rbac: readonly Commented[];
  readonly services: readonly Commented[];
  /** The source of the certificate, then the configurations. */
  readonly webhooks: readonly Commented[];
}

/** Returns the manifests of the webhook server of an operator; all are empty without one. */
export function webhookPartsOf(operator: Operator): WebhookParts {
  const { name, labels, webhooks } = operator;
  if (webhooks?.service === undefined) return { crds: new Map(), rbac: [], services: [], webhooks: [] };
  const certManager = certManagerName(operator);
  const given = { selector: labels, labels, serviceAccount: name, ...(certManager === undefined ? {} : { certManager }) };
  const manifests = plain(webhooks.manifests(given));
  const of = (...kinds: readonly string[]): readonly Commented[] => manifests.filter(({ manifest }) => kinds.includes(manifest.kind));
  return {
    crds: new Map(of("CustomResourceDefinition").map(({ manifest }) => [manifest.metadata.name, manifest])),
    rbac: of("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    services: of("Service"),
    webhooks: [...of("Secret"), ...certificateOf(operator), ...of("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")],
  };
}
