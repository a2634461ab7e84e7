/** `webhookManifests`: what a cluster must have so that its API server calls the webhooks of an operator. */
import { crdOf, type CustomResourceDefinition, DefinitionError } from "@treadle/apimachinery";
import type { RbacManifest } from "@treadle/controller";
import { listProblems } from "../list-problems.ts";
import { type SettledPlacement, settlePlacement, type WebhookPlacement } from "../placement.ts";
import type { WebhookEntry, WebhookRegistration } from "./registration.ts";
import { targetsOf } from "../certificates/target.ts";
import { settledOf, type Webhooks } from "../webhooks.ts";
import { certificateRights } from "./rights.ts";

/** Options of {@link webhookManifests}: those of the server, and what only the manifests have. */
export interface WebhookManifestsOptions extends WebhookPlacement {
  /** The labels of the pods of the operator, to which the Service leads. @defaultValue `app.kubernetes.io/name` with the name */
  readonly selector?: Readonly<Record<string, string>>;
  /** The port on which the pods listen. @defaultValue 9443 */
  readonly targetPort?: number;
  /** The ServiceAccount of the operator, in its namespace, which gets the rights. @defaultValue the name */
  readonly serviceAccount?: string;
  /** The labels of the manifests. CRDs have those of their definition. @defaultValue `app.kubernetes.io/name` with the name */
  readonly labels?: Readonly<Record<string, string>>;
  /**
   * The Certificate of cert-manager, as `namespace/name`, for a server with `tls: { certFile, keyFile }`. The configurations and CRDs get the
   * annotation by which cert-manager writes its CA. Then there is no Secret, and there are no rights. @defaultValue the operator makes its
   * certificates
   */
  readonly certManager?: string;
}

/** A manifest of {@link webhookManifests}: plain data, to be written as YAML or applied by a client. */
export type WebhookManifest = ServiceManifest | SecretManifest | RbacManifest | CustomResourceDefinition | WebhookConfigurationManifest;

/** The metadata of a manifest. */
export interface WebhookManifestMetadata {
  /** The name. */
  readonly name: string;
  /** The namespace; absent for objects of the cluster. */
  readonly namespace?: string;
  /** The labels. */
  readonly labels: Readonly<Record<string, string>>;
  /** The annotations; absent: none. */
  readonly annotations?: Readonly<Record<string, string>>;
}

/** The Service by which the API server reaches the operator. */
export interface ServiceManifest {
  /** The group and version of the kind. */
  readonly apiVersion: "v1";
  /** The kind of the manifest. */
  readonly kind: "Service";
  /** The metadata of the manifest. */
  readonly metadata: WebhookManifestMetadata;
  /** The pods and the port. */
  readonly spec: {
    readonly selector: Readonly<Record<string, string>>;
    readonly ports: readonly [{ readonly name: string; readonly port: number; readonly targetPort: number; readonly protocol: "TCP" }];
  };
}

/** The Secret of the certificates. It has no data: the operator writes it, and an apply of the manifest does not remove it. */
export interface SecretManifest {
  /** The group and version of the kind. */
  readonly apiVersion: "v1";
  /** The kind of the manifest. */
  readonly kind: "Secret";
  /** The metadata of the manifest. */
  readonly metadata: WebhookManifestMetadata;
  /** The type of the Secret, which cannot change. */
  readonly type: "Opaque";
}

/** One of the two webhook configurations. It has no `caBundle`: the operator writes it, and an apply of the manifest does not remove it. */
export interface WebhookConfigurationManifest {
  /** The group and version of the kind. */
  readonly apiVersion: "admissionregistration.k8s.io/v1";
  /** The kind of the manifest. */
  readonly kind: "MutatingWebhookConfiguration" | "ValidatingWebhookConfiguration";
  /** The metadata of the manifest. */
  readonly metadata: WebhookManifestMetadata;
  /** The entries, in the order of the webhooks. The API server calls mutating webhooks in this order. */
  readonly webhooks: readonly WebhookEntry[];
}

/**
 * Returns the manifests of webhooks, in the order in which they can be applied: the Service, the Secret of the certificates, the rights of the
 * operator on them, the CRDs of own kinds, and the webhook configurations. Pure: the same webhooks give the same manifests.
 *
 * From the moment when a configuration with `failurePolicy: "Fail"` is applied, the API server refuses writes of its kinds until the operator
 * is ready.
 *
 * @throws DefinitionError with all problems: a placement without Service and URL, two webhooks of one kind with the same name, two conversions
 * of one kind
 */
export function webhookManifests(webhooks: readonly Webhooks[], options: WebhookManifestsOptions): readonly WebhookManifest[] {
  const placement = settlePlacement(options, "the manifests of webhooks");
  const problems = listProblems(webhooks);
  const { certManager, targetPort = 9443 } = options;
  if (certManager !== undefined && !/^[^/]+\/[^/]+$/.test(certManager))
    problems.push({
      path: "certManager",
      reason: `${JSON.stringify(certManager)} is not namespace/name`,
      fix: "Name a Certificate, as in ops/website",
    });
  if (problems.length > 0) throw new DefinitionError("the manifests of webhooks", problems);
  const { name, namespace } = placement;
  const common = { "app.kubernetes.io/name": name };
  const { labels = common, selector = common, serviceAccount = name } = options;
  const annotations = certManager === undefined ? undefined : { "cert-manager.io/inject-ca-from": certManager };
  const excluded = options.service === undefined && options.namespace === undefined ? [SYSTEM] : [SYSTEM, namespace];
  const registered = webhooks.map((each) => each.registration({ clientConfig: (path) => placement.address(path), excluded }));
  const configurations = configurationsOf(registered, { name, labels, ...(annotations === undefined ? {} : { annotations }) });
  const converted = registered.flatMap(({ definition }) => definition ?? []);
  return [
    ...serviceOf(placement, { selector, targetPort, labels }),
    ...(certManager === undefined && !placement.createSecret ? [secretOf(placement, labels)] : []),
    ...(certManager === undefined
      ? certificateRights(placement, targetsOf(webhooks.map(settledOf), placement), { serviceAccount, labels })
      : []),
    ...definitionsOf(webhooks, converted, annotations),
    ...configurations,
  ];
}

/** The namespace whose objects webhooks of kinds of others never review by default: a cluster could not start without them. */
const SYSTEM = "kube-system";

function configurationsOf(
  registered: readonly WebhookRegistration[],
  metadata: WebhookManifestMetadata,
): readonly WebhookConfigurationManifest[] {
  const of = (kind: WebhookConfigurationManifest["kind"], entries: readonly WebhookEntry[]): readonly WebhookConfigurationManifest[] =>
    entries.length === 0 ? [] : [{ apiVersion: "admissionregistration.k8s.io/v1", kind, metadata, webhooks: entries }];
  const [mutating, validating] = [registered.flatMap((each) => each.mutating ?? []), registered.flatMap((each) => each.validating ?? [])];
  return [...of("MutatingWebhookConfiguration", mutating), ...of("ValidatingWebhookConfiguration", validating)];
}

/** The CRD of each own kind once, with its conversion where it has one. Only those with conversion need a CA. */
function definitionsOf(
  webhooks: readonly Webhooks[],
  converted: readonly CustomResourceDefinition[],
  annotations: Readonly<Record<string, string>> | undefined,
): readonly CustomResourceDefinition[] {
  const own = new Map<string, CustomResourceDefinition>();
  for (const { kind } of webhooks) {
    if (kind.resource === undefined) continue;
    const plain = crdOf(kind);
    own.set(plain.metadata.name, converted.find(({ metadata }) => metadata.name === plain.metadata.name) ?? plain);
  }
  return [...own.values()].map((crd) => {
    if (annotations === undefined || !converted.includes(crd)) return crd;
    return { ...crd, metadata: { ...crd.metadata, annotations: { ...crd.metadata.annotations, ...annotations } } };
  });
}

function serviceOf(
  { service }: SettledPlacement,
  { selector, targetPort, labels }: Required<Pick<WebhookManifestsOptions, "selector" | "targetPort" | "labels">>,
): readonly ServiceManifest[] {
  if (service === undefined) return [];
  const { name, namespace, port } = service;
  const ports = [{ name: "webhooks", port, targetPort, protocol: "TCP" }] as const;
  return [{ apiVersion: "v1", kind: "Service", metadata: { name, namespace, labels }, spec: { selector, ports } }];
}

function secretOf({ secretName, namespace }: SettledPlacement, labels: Readonly<Record<string, string>>): SecretManifest {
  return { apiVersion: "v1", kind: "Secret", metadata: { name: secretName, namespace, labels }, type: "Opaque" };
}
