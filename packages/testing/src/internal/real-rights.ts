/** Grants an operator its rights: those of its declarations, and no others. */
import { apiVersionOf, groupKindOf, isForbidden, type Kind, kind as untypedKind, type Transport } from "@treadle/apimachinery";
import { ClusterRole, ClusterRoleBinding, ConfigMap } from "@treadle/apimachinery/kinds";
import { type Client, createClient } from "@treadle/client";
import type { RbacManifest } from "@treadle/controller";
import { eventually } from "./eventually.ts";

/** Label of objects that are deleted with those of the test. */
const LABEL = "testing.treadle.dev/operator";

/** The kinds of the objects that {@link RealRights} creates, and their label. */
export const RIGHTS_LEFT: { readonly kinds: readonly Kind[]; readonly labels: Readonly<Record<string, string>> } = {
  kinds: [ClusterRole, ClusterRoleBinding],
  labels: { [LABEL]: "yes" },
};

export class RealRights {
  readonly #client: Client;
  readonly #server: string;
  readonly #transport: (user: string) => Transport;

  /** @param transport connects as a user */
  constructor(client: Client, server: string, transport: (user: string) => Transport) {
    this.#client = client;
    this.#server = server;
    this.#transport = transport;
  }

  /** Grants an operator its rights, and waits until the server enforces them. Returns the name of its user. */
  async grant(manifests: readonly RbacManifest[]): Promise<string> {
    for (const { apiVersion, kind, metadata, ...rest } of manifests) {
      const labels = { ...metadata.labels, [LABEL]: "yes" };
      await this.#client.create(rbacKind(apiVersion, kind), { ...rest, metadata: { ...metadata, labels } });
    }
    const account = manifests.find(({ kind }) => kind === "ServiceAccount");
    if (account === undefined) throw new TypeError("cluster.start rbac: the manifests contain no ServiceAccount");
    const user = `system:serviceaccount:${account.metadata.namespace ?? ""}:${account.metadata.name}`;
    for (const manifest of manifests) await eventually(this.#server, `the rights of ${user}`, () => this.#knows(user, manifest));
    return user;
  }

  /**
   * Waits until owner references to objects of the kind may block their deletion. With the admission plugin
   * OwnerReferencesPermissionEnforcement the server refuses that for up to 30 s after the creation of a CRD.
   */
  async ownable(kind: Kind): Promise<void> {
    const name = `probe-${kind.plural}`;
    const rules: RbacManifest["rules"] = [
      { apiGroups: [""], resources: ["configmaps"], verbs: ["create"] },
      { apiGroups: [kind.group], resources: [`${kind.plural}/finalizers`], verbs: ["update"] },
    ];
    const account = { kind: "ServiceAccount", name, namespace: "default" } as const;
    const manifests: readonly RbacManifest[] = [
      { apiVersion: "v1", kind: "ServiceAccount", metadata: { name, namespace: "default", labels: {} } },
      { apiVersion: RBAC, kind: "ClusterRole", metadata: { name, labels: {} }, rules },
      {
        apiVersion: RBAC,
        kind: "ClusterRoleBinding",
        metadata: { name, labels: {} },
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name },
        subjects: [account],
      },
    ];
    const client = createClient({ transport: this.#transport(await this.grant(manifests)), retry: false });
    const owner = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid: "probe", blockOwnerDeletion: true };
    const probe = { metadata: { name, namespace: "default", ownerReferences: [owner] } };
    try {
      await eventually(this.#server, `${groupKindOf(kind)} in the admission of owner references`, async () => {
        try {
          await client.create(ConfigMap, probe, { dryRun: true });
          return true;
        } catch (error) {
          if (isForbidden(error)) return false;
          throw error;
        }
      });
    } finally {
      await client.close();
      await this.revoke(manifests);
    }
  }

  async revoke(manifests: readonly RbacManifest[]): Promise<void> {
    for (const { apiVersion, kind, metadata } of manifests.toReversed()) await this.#client.delete(rbacKind(apiVersion, kind), metadata);
  }

  /** Whether the authorizer, which watches roles, allows the first rule of the manifest. */
  async #knows(user: string, { rules, metadata }: RbacManifest): Promise<boolean> {
    const [rule] = rules ?? [];
    if (rule === undefined) return true;
    const [resource = "", subresource = ""] = (rule.resources[0] ?? "").split("/");
    const names = rule.resourceNames === undefined ? {} : { name: rule.resourceNames[0] ?? "" };
    const attributes = {
      group: rule.apiGroups[0],
      resource,
      subresource,
      verb: rule.verbs[0],
      namespace: metadata.namespace ?? "",
      ...names,
    };
    // A review is not an object: the server refuses one with a name.
    const body = JSON.stringify({ ...REVIEW, spec: { user, groups: ["system:authenticated"], resourceAttributes: attributes } });
    const headers = { accept: "application/json", "content-type": "application/json" };
    const answer = await this.#client.raw({ method: "POST", path: REVIEWS, headers, body });
    const { status } = JSON.parse(answer.body ?? "{}") as { readonly status?: { readonly allowed?: boolean } };
    return status?.allowed === true;
  }
}

const RBAC = "rbac.authorization.k8s.io/v1";
const REVIEW = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" } as const;
const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

function rbacKind(apiVersion: RbacManifest["apiVersion"], kind: RbacManifest["kind"]): Kind {
  const group = apiVersion === "v1" ? "" : "rbac.authorization.k8s.io";
  return untypedKind({ group, version: "v1", kind, scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced" });
}
