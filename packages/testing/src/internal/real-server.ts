/**
 * The real API server of `TREADLE_TEST_KUBECONFIG`. It installs CRDs and waits for them, and deletes all objects of a test
 * between two clusters.
 *
 * It deletes without asking, so it uses only a server that is marked with the ConfigMap {@link MARK}.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import {
  type CustomResourceDefinitionInput,
  isInvalid,
  type Kind,
  type KubernetesObject,
  kind as untypedKind,
  type Transport,
} from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import { type Client, type ClusterConfig, createClient, type Credentials, httpTransport, loadConfig } from "@treadle/client";
import { eventually } from "./eventually.ts";
import { isBuiltIn, NAMESPACED_BUILT_IN } from "./known-kinds.ts";
import { RealRights, RIGHTS_LEFT } from "./real-rights.ts";
import { WEBHOOKS_LEFT } from "../webhooks/test-webhooks.ts";

/** ConfigMap in the namespace kube-system of a server that tests may empty. */
const MARK = "treadle-test-cluster";

/** Annotation of a CRD that stays for later tests: a hash of its definition. */
const KEPT = "testing.treadle.dev/made-of";

/** The environment variable that names a server, and the path of its kubeconfig. */
export interface RealKubeconfig {
  readonly variable: string;
  readonly file: string;
}

export class RealServer {
  /** A client of the administrator. */
  readonly client: Client;
  readonly rights: RealRights;
  /** The text of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly #config: ClusterConfig;
  /** Cluster-scoped objects that existed before the test and stay, by kind. */
  readonly #before = new Map<Kind, ReadonlySet<string | undefined>>();

  private constructor(config: ClusterConfig, kubeconfig: string) {
    this.#config = config;
    this.kubeconfig = kubeconfig;
    this.client = createClient({ transport: httpTransport(config), fieldManager: "kubectl", retry: false });
    this.rights = new RealRights(this.client, config.server, (user) => this.transport(user));
  }

  /** Connects and empties the server. @throws Error when the server is not marked for tests */
  static async open({ variable, file }: RealKubeconfig): Promise<RealServer> {
    const text = await readFile(file, "utf8").catch((cause: unknown) => {
      throw new Error(`${variable}=${file} cannot be read: name the kubeconfig of a test control plane, or unset it`, { cause });
    });
    const config = await loadConfig({ kubeconfig: file });
    const server = new RealServer(config, text);
    if ((await server.client.get(ConfigMap, { namespace: "kube-system", name: MARK })) === undefined) {
      await server.close();
      throw new Error(
        `${config.server} is not marked as a server that tests may empty. If everything in it may be deleted: kubectl --kubeconfig ${file} -n kube-system create configmap ${MARK}`,
      );
    }
    await server.empty();
    return server;
  }

  /** A connection as the administrator, or as an impersonated user. */
  transport(user?: string): Transport {
    const transport = httpTransport(this.#config);
    if (user === undefined) return transport;
    // Members of this group may discover the kinds of the server.
    const headers = { "impersonate-user": user, "impersonate-group": "system:authenticated" };
    // A request can name one user only. One that names another user is sent with the token of `user`, as an operator in a pod sends it.
    let token: Promise<Credentials> | undefined;
    const own = httpTransport({ ...this.#config, credentials: () => (token ??= this.#tokenOf(user)) });
    return {
      request: (request) =>
        request.headers["impersonate-user"] === undefined
          ? transport.request({ ...request, headers: { ...request.headers, ...headers } })
          : own.request(request),
      close: async () => void (await Promise.all([transport.close(), own.close()])),
    };
  }

  /** Requests a token of a ServiceAccount, which the server accepts for an hour. */
  async #tokenOf(user: string): Promise<Credentials> {
    const [, , namespace, name] = user.split(":");
    const { body = "" } = await this.client.raw({
      method: "POST",
      path: `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} }),
    });
    const { status } = JSON.parse(body) as { readonly status: { readonly token: string } }; // The server grants every request.
    const { ca } = await this.#config.credentials({ renew: false });
    return { ...(ca === undefined ? {} : { ca }), headers: { authorization: `Bearer ${status.token}` } };
  }

  /**
   * Serves a kind with its CRD, or with any fields if the kind has no schema. The CRD stays for later tests: a server refuses
   * objects in the first 2 s of a kind, and its garbage collector discovers the kind within 30 s.
   */
  async install(kind: Kind): Promise<void> {
    const definition = kind.resource?.crd() ?? openDefinition(kind);
    const name = definition.metadata.name ?? "";
    const live = await this.client.get(CustomResourceDefinition, { name });
    const hash = createHash("sha256").update(JSON.stringify(definition.spec)).digest("hex");
    if (live !== undefined && live.metadata.annotations?.[KEPT] === `${hash}@${live.metadata.generation}`) return;
    // A kind without a schema uses the existing CRD and leaves none for later tests.
    if (kind.resource === undefined && live?.spec.scope === kind.scope) return;
    await this.define(definition);
    if (kind.resource === undefined) return;
    const { metadata } = (await this.client.get(CustomResourceDefinition, { name })) as KubernetesObject;
    const body = { metadata: { annotations: { [KEPT]: `${hash}@${metadata.generation}` } } };
    await this.client.patch(CustomResourceDefinition, { name }, { type: "merge", body });
  }

  /** Serves the kinds of a CRD until the end of the test. Replaces an existing CRD, and keeps its objects if possible. */
  async define(definition: CustomResourceDefinitionInput): Promise<void> {
    const name = definition.metadata.name ?? "";
    const live = await this.client.get(CustomResourceDefinition, { name });
    if (live !== undefined) {
      const { resourceVersion } = live.metadata;
      const replaced = { ...definition, metadata: { ...definition.metadata, resourceVersion } };
      try {
        await this.client.update(CustomResourceDefinition, replaced as never); // The test gave it as a CRD.
        // The server does not report when it begins to use the new version.
        await delay(SCHEMA_DELAY_MS);
        return;
      } catch (error) {
        if (!isInvalid(error)) throw error;
      }
      await this.remove(name);
    }
    await this.client.create(CustomResourceDefinition, definition as never); // The test gave it as a CRD.
    await eventually(this.#config.server, `CRD ${name} to be served`, async () => {
      const { status } = (await this.client.get(CustomResourceDefinition, { name })) as { status?: { conditions?: readonly Condition[] } };
      return isTrue(status?.conditions, "Established") && isTrue(status?.conditions, "NamesAccepted") && (await this.#isListed(definition));
    });
  }

  /** Removes a CRD with its objects, and waits for the end of the deletion. */
  async remove(name: string): Promise<void> {
    await this.client.delete(CustomResourceDefinition, { name });
    await eventually(
      this.#config.server,
      `the deletion of CRD ${name}`,
      async () => (await this.client.get(CustomResourceDefinition, { name })) === undefined,
    );
  }

  /** Remembers the objects of a cluster-scoped kind that exist before the test. */
  async remember(kind: Kind): Promise<void> {
    if (kind.scope !== "Cluster" || !isBuiltIn(kind) || this.#before.has(kind)) return;
    const { items } = await this.client.list(kind);
    this.#before.set(kind, new Set((items as readonly KubernetesObject[]).map(({ metadata }) => metadata.uid)));
  }

  /** Deletes everything that a test may have created, and waits for the end of the deletion. */
  async empty(): Promise<void> {
    await this.#removeWebhooks();
    const { items: definitions } = await this.client.list(CustomResourceDefinition);
    const kinds = (definitions as readonly CustomResourceDefinition[]).map(kindOfDefinition);
    await Promise.all([...kinds, ...NAMESPACED_BUILT_IN].map((kind) => this.#emptyOf(kind)));
    for (const kind of this.#before.keys()) await this.#emptyOf(kind);
    for (const kind of RIGHTS_LEFT.kinds) await this.#emptyOf(kind, RIGHTS_LEFT.labels);
    const going = (definitions as readonly CustomResourceDefinition[]).filter(({ metadata }) => metadata.annotations?.[KEPT] === undefined);
    for (const { metadata } of going) {
      // The operator of the last test may have left one. Without the finalizer of the server, objects would stay without a kind.
      const finalizers = metadata.finalizers?.filter((name) => name === CRD_CLEANUP) ?? [];
      if (finalizers.length < (metadata.finalizers?.length ?? 0))
        await this.client
          .patch(CustomResourceDefinition, metadata, { type: "merge", body: { metadata: { finalizers } } })
          .catch(ignoreGone);
    }
    await Promise.all(going.map(({ metadata }) => this.client.delete(CustomResourceDefinition, metadata)));
    const namespaces = (await this.client.list(Namespace)).items.filter(({ metadata }) => !isSystemNamespace(metadata.name));
    await Promise.all(namespaces.map(({ metadata }) => this.client.delete(Namespace, metadata)));
    await eventually(this.#config.server, "the deletion of the objects of the last test", async () => {
      const [left, present] = await Promise.all([this.client.list(CustomResourceDefinition), this.client.list(Namespace)]);
      const isStill = left.items.some(({ metadata }) => going.some((each) => each.metadata.uid === metadata.uid));
      return !isStill && present.items.every(({ metadata }) => isSystemNamespace(metadata.name));
    });
  }

  async close(): Promise<void> {
    await this.client.close();
  }

  /** Webhooks could refuse the deletions, and their server may no longer exist. */
  async #removeWebhooks(): Promise<void> {
    const { kinds, labels: labelSelector } = WEBHOOKS_LEFT;
    const lists = await Promise.all(kinds.map((kind) => this.client.list(kind, { labelSelector })));
    if (lists.every(({ items }) => items.length === 0)) return;
    for (const kind of kinds) await this.#emptyOf(kind, labelSelector);
    // The server does not report when it ceases to call them.
    await delay(SCHEMA_DELAY_MS);
  }

  async #emptyOf(kind: Kind, labelSelector: Readonly<Record<string, string>> = {}): Promise<void> {
    // A kind that is no longer served has no objects.
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
}

/** The finalizer by which the server deletes the objects of a CRD. */
const CRD_CLEANUP = "customresourcecleanup.apiextensions.k8s.io";

/** Ten times the delay after which the server uses a changed CRD. */
const SCHEMA_DELAY_MS = 300;

interface Condition {
  readonly type: string;
  readonly status: string;
}

function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
}

/** The schema of the storage version. */
function kindOfDefinition({ spec }: CustomResourceDefinition): Kind {
  const { group, names, scope, versions } = spec;
  const version = versions.find(({ storage }) => storage)?.name ?? "";
  return untypedKind({ group, version, kind: names.kind, plural: names.plural, scope });
}

function isSystemNamespace(name: string): boolean {
  return name === "default" || name.startsWith("kube-");
}

/** Whether the control plane itself creates the object. */
function isSystem(kind: Kind, { name, namespace = "" }: KubernetesObject["metadata"]): boolean {
  if (namespace.startsWith("kube-")) return true;
  return ["ConfigMap kube-root-ca.crt", "ServiceAccount default", "Service kubernetes", "EndpointSlice kubernetes"].includes(
    `${kind.kind} ${name}`,
  );
}

function ignoreGone(error: unknown): void {
  if ((error as { readonly code?: unknown }).code !== "ERR_NOT_FOUND") throw error;
}

/** A CRD that accepts any fields, for a kind without a schema. */
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

/** The error for a member that a real server does not have. */
export function onlyInMemory(what: string): Error {
  return new Error(
    `${what} does not exist on a real server (TREADLE_TEST_KUBECONFIG): give the test the tag "memory", so that it runs in memory only`,
  );
}
