/**
 * A real API server behind a test cluster, chosen by `TREADLE_TEST_KUBECONFIG`: CRDs are installed and awaited, operators
 * come with the rights that their declarations give them, and between two clusters everything that a test made is deleted.
 *
 * It deletes without asking, so it touches only a server that says it may be emptied: one with the ConfigMap {@link MARK}.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CustomResourceDefinitionInput,
  apiVersionOf,
  groupKindOf,
  isForbidden,
  isInvalid,
  type Kind,
  type KubernetesObject,
  kind as untypedKind,
  type Transport,
} from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import { type Client, type ClusterConfig, createClient, httpTransport, loadConfig } from "@treadle/client";
import type { RbacManifest } from "@treadle/controller";
import { isBuiltIn, NAMESPACED_BUILT_IN } from "./known-kinds.ts";

/** In the namespace kube-system of a server that tests may empty. */
export const MARK = "treadle-test-cluster";

/** Removed with what a test made. */
const LABEL = "testing.treadle.dev/operator";
/** On a CRD that later tests find as it is: a hash of what it was made of. */
const KEPT = "testing.treadle.dev/made-of";

export class RealServer {
  /** The administrator's. */
  readonly client: Client;
  readonly #config: ClusterConfig;
  /** Objects without a namespace that were there before: they stay. By kind. */
  readonly #before = new Map<Kind, ReadonlySet<string | undefined>>();

  private constructor(config: ClusterConfig) {
    this.#config = config;
    this.client = createClient({ transport: httpTransport(config), fieldManager: "kubectl", retry: false });
  }

  /** Connects and empties the server. @throws Error when it is not one for tests */
  static async open(file: string): Promise<RealServer> {
    await readFile(file).catch((cause: unknown) => {
      throw new Error(`TREADLE_TEST_KUBECONFIG=${file} cannot be read: name the kubeconfig of a test control plane, or unset it`, {
        cause,
      });
    });
    const config = await loadConfig({ kubeconfig: file });
    const server = new RealServer(config);
    if ((await server.client.get(ConfigMap, { namespace: "kube-system", name: MARK })) === undefined) {
      await server.close();
      throw new Error(
        `${config.server} is not marked as a server that tests may empty. If everything in it may be deleted: kubectl --kubeconfig ${file} -n kube-system create configmap ${MARK}`,
      );
    }
    await server.empty();
    return server;
  }

  /** A connection as the administrator, or as somebody whom they impersonate. */
  transport(user?: string): Transport {
    const transport = httpTransport(this.#config);
    if (user === undefined) return transport;
    // The group by which everybody may ask which kinds are served.
    const headers = { "impersonate-user": user, "impersonate-group": "system:authenticated" };
    return {
      request: (request) => transport.request({ ...request, headers: { ...request.headers, ...headers } }),
      close: () => transport.close(),
    };
  }

  /**
   * Serves a kind that is not built in, as its CRD says or with any fields. The CRD stays for the tests after this one: a
   * server lets nobody create an object in the first two seconds of a kind, and its garbage collector learns of it in 30.
   */
  async install(kind: Kind): Promise<void> {
    const definition = kind.resource?.crd() ?? openDefinition(kind);
    const name = definition.metadata.name ?? "";
    const live = await this.client.get(CustomResourceDefinition, { name });
    const hash = createHash("sha256").update(JSON.stringify(definition.spec)).digest("hex");
    if (live !== undefined && live.metadata.annotations?.[KEPT] === `${hash}@${live.metadata.generation}`) return;
    // A kind of which only the names are known takes what is there, and is not kept.
    if (kind.resource === undefined && live?.spec.scope === kind.scope) return;
    await this.define(definition);
    if (kind.resource === undefined) return;
    const { metadata } = (await this.client.get(CustomResourceDefinition, { name })) as KubernetesObject;
    const body = { metadata: { annotations: { [KEPT]: `${hash}@${metadata.generation}` } } };
    await this.client.patch(CustomResourceDefinition, { name }, { type: "merge", body });
  }

  /** Serves what a CRD says; goes with the test. One that is there is replaced, and keeps its objects where it can. */
  async define(definition: CustomResourceDefinitionInput): Promise<void> {
    const name = definition.metadata.name ?? "";
    const live = await this.client.get(CustomResourceDefinition, { name });
    if (live !== undefined) {
      const { resourceVersion } = live.metadata;
      const replaced = { ...definition, metadata: { ...definition.metadata, resourceVersion } };
      try {
        await this.client.update(CustomResourceDefinition, replaced as never); // as it was given
        // Nothing says when the server begins to use it.
        await delay(SCHEMA_DELAY_MS);
        return;
      } catch (error) {
        if (!isInvalid(error)) throw error;
      }
      await this.remove(name);
    }
    await this.client.create(CustomResourceDefinition, definition as never); // as it was given
    await this.#until(`CRD ${name} to be served`, async () => {
      const { status } = (await this.client.get(CustomResourceDefinition, { name })) as { status?: { conditions?: readonly Condition[] } };
      return isTrue(status?.conditions, "Established") && isTrue(status?.conditions, "NamesAccepted") && (await this.#isListed(definition));
    });
  }

  /** Removes a CRD with its objects, and waits until it is gone. */
  async remove(name: string): Promise<void> {
    await this.client.delete(CustomResourceDefinition, { name });
    await this.#until(`CRD ${name} to be gone`, async () => (await this.client.get(CustomResourceDefinition, { name })) === undefined);
  }

  /** Remembers what of a kind without a namespace was there before the test. */
  async remember(kind: Kind): Promise<void> {
    if (kind.scope !== "Cluster" || !isBuiltIn(kind) || this.#before.has(kind)) return;
    const { items } = await this.client.list(kind);
    this.#before.set(kind, new Set((items as readonly KubernetesObject[]).map(({ metadata }) => metadata.uid)));
  }

  /** Gives an operator its rights; resolves to its user when the server has heard of them. */
  async grant(manifests: readonly RbacManifest[]): Promise<string> {
    for (const { apiVersion, kind, metadata, ...rest } of manifests) {
      const labels = { ...metadata.labels, [LABEL]: "yes" };
      await this.client.create(rbacKind(apiVersion, kind), { ...rest, metadata: { ...metadata, labels } });
    }
    const account = manifests.find(({ kind }) => kind === "ServiceAccount");
    if (account === undefined) throw new TypeError("cluster.start rbac: there is no ServiceAccount among the manifests");
    const user = `system:serviceaccount:${account.metadata.namespace ?? ""}:${account.metadata.name}`;
    for (const manifest of manifests) await this.#until(`the rights of ${user}`, () => this.#knows(user, manifest));
    return user;
  }

  /**
   * Waits until objects of the kind may block their deletion by owner references: where OwnerReferencesPermissionEnforcement
   * is on, the server refuses that for up to 30 s after a CRD is new, because the plugin looks for kinds in its own time.
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
    const client = createClient({ transport: this.transport(await this.grant(manifests)), retry: false });
    const owner = { apiVersion: apiVersionOf(kind), kind: kind.kind, name, uid: "probe", blockOwnerDeletion: true };
    const probe = { metadata: { name, namespace: "default", ownerReferences: [owner] } };
    try {
      await this.#until(`${groupKindOf(kind)} to be known to the admission of owner references`, async () => {
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
    for (const { apiVersion, kind, metadata } of manifests.toReversed()) await this.client.delete(rbacKind(apiVersion, kind), metadata);
  }

  /** Deletes everything that a test may have made and waits until it is gone. */
  async empty(): Promise<void> {
    const { items: definitions } = await this.client.list(CustomResourceDefinition);
    const kinds = (definitions as readonly CustomResourceDefinition[]).map(kindOfDefinition);
    await Promise.all([...kinds, ...NAMESPACED_BUILT_IN].map((kind) => this.#emptyOf(kind)));
    for (const kind of this.#before.keys()) await this.#emptyOf(kind);
    for (const kind of [CLUSTER_ROLE, CLUSTER_ROLE_BINDING]) await this.#emptyOf(kind, { [LABEL]: "yes" });
    const going = (definitions as readonly CustomResourceDefinition[]).filter(({ metadata }) => metadata.annotations?.[KEPT] === undefined);
    await Promise.all(going.map(({ metadata }) => this.client.delete(CustomResourceDefinition, metadata)));
    const namespaces = (await this.client.list(Namespace)).items.filter(({ metadata }) => !isSystemNamespace(metadata.name));
    await Promise.all(namespaces.map(({ metadata }) => this.client.delete(Namespace, metadata)));
    await this.#until("what the last test made to be gone", async () => {
      const [left, present] = await Promise.all([this.client.list(CustomResourceDefinition), this.client.list(Namespace)]);
      const isStill = left.items.some(({ metadata }) => going.some((each) => each.metadata.uid === metadata.uid));
      return !isStill && present.items.every(({ metadata }) => isSystemNamespace(metadata.name));
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  async #emptyOf(kind: Kind, labelSelector: Readonly<Record<string, string>> = {}): Promise<void> {
    // One that is not served any more has nothing left.
    const { items } = await this.client.list(kind, { labelSelector }).catch(() => ({ items: [] }));
    const before = this.#before.get(kind);
    const made = (items as readonly KubernetesObject[]).filter(({ metadata }) => !before?.has(metadata.uid) && !isSystem(kind, metadata));
    await Promise.all(
      made.map(async ({ metadata }) => {
        if ((metadata.finalizers ?? []).length > 0)
          await this.client.patch(kind, metadata, { type: "merge", body: { metadata: { finalizers: null } } }).catch(ignoreGone);
        await this.client.delete(kind, metadata, { propagationPolicy: "Background", gracePeriodSeconds: 0 });
      }),
    );
  }

  async #isListed({ spec }: CustomResourceDefinitionInput): Promise<boolean> {
    const path = `/apis/${spec.group}/${spec.versions.find(({ served }) => served)?.name}/${spec.names.plural}?limit=1`;
    const { status } = await this.client.raw({ method: "GET", path, headers: { accept: "application/json" } }).catch(() => ({ status: 0 }));
    return status === 200;
  }

  /** Whether the authorizer, which learns of roles by watches of its own, allows what the manifest's first rule says. */
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
    // It is no object: with a name it would be refused.
    const body = JSON.stringify({ ...REVIEW, spec: { user, groups: ["system:authenticated"], resourceAttributes: attributes } });
    const headers = { accept: "application/json", "content-type": "application/json" };
    const answer = await this.client.raw({ method: "POST", path: REVIEWS, headers, body });
    const { status } = JSON.parse(answer.body ?? "{}") as { readonly status?: { readonly allowed?: boolean } };
    return status?.allowed === true;
  }

  /** Polls: what a server does besides answering cannot be awaited otherwise. */
  async #until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    const endMs = performance.now() + PATIENCE_MS;
    while (!(await isSo())) {
      if (performance.now() > endMs) throw new Error(`${this.#config.server}: waited ${PATIENCE_MS / 1000} s for ${what}`);
      await delay(POLL_MS);
    }
  }
}

const POLL_MS = 25;
/** What the handler of custom resources needs to see a change of a CRD, ten times over. */
const SCHEMA_DELAY_MS = 300;
/** A namespace takes several seconds to go, and more on a busy machine. */
const PATIENCE_MS = 120_000;

interface Condition {
  readonly type: string;
  readonly status: string;
}

function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

const RBAC = "rbac.authorization.k8s.io/v1";
const CLUSTER_ROLE: Kind = rbacKind(RBAC, "ClusterRole");
const CLUSTER_ROLE_BINDING: Kind = rbacKind(RBAC, "ClusterRoleBinding");
const REVIEW = { apiVersion: "authorization.k8s.io/v1", kind: "SubjectAccessReview" } as const;
const REVIEWS = "/apis/authorization.k8s.io/v1/subjectaccessreviews";

function rbacKind(apiVersion: RbacManifest["apiVersion"], kind: RbacManifest["kind"]): Kind {
  const group = apiVersion === "v1" ? "" : "rbac.authorization.k8s.io";
  return untypedKind({ group, version: "v1", kind, scope: kind.startsWith("Cluster") ? "Cluster" : "Namespaced" });
}

/** Of the version that is stored. */
function kindOfDefinition({ spec }: CustomResourceDefinition): Kind {
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ storage }) => storage)?.name ?? "";
  return untypedKind({ group, version, kind: names.kind, plural: names.plural, scope });
}

function isSystemNamespace(name: string): boolean {
  return name === "default" || name.startsWith("kube-");
}

/** What a control plane makes for itself, or makes again. */
function isSystem(kind: Kind, { name, namespace = "" }: KubernetesObject["metadata"]): boolean {
  if (namespace.startsWith("kube-")) return true;
  return ["ConfigMap kube-root-ca.crt", "ServiceAccount default", "Service kubernetes", "Endpoints kubernetes"].includes(
    `${kind.kind} ${name}`,
  );
}

function ignoreGone(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== "ERR_NOT_FOUND") throw error;
}

/** A CRD without rules, for a kind of which only the names are known. */
function openDefinition({ group, version, kind, plural, scope }: Kind): CustomResourceDefinitionInput {
  const open = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: version, served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: open } }],
    },
  } as CustomResourceDefinitionInput;
}
