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
  isInvalid,
  type Kind,
  type KubernetesObject,
  kind as untypedKind,
  type Transport,
} from "@treadle/apimachinery";
import { ConfigMap, CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import { type Client, type ClusterConfig, createClient, httpTransport, loadConfig } from "@treadle/client";
import { eventually } from "./eventually.ts";
import { isBuiltIn, NAMESPACED_BUILT_IN } from "./known-kinds.ts";
import { RealRights, RIGHTS_LEFT } from "./real-rights.ts";

/** In the namespace kube-system of a server that tests may empty. */
export const MARK = "treadle-test-cluster";

/** On a CRD that later tests find as it is: a hash of what it was made of. */
const KEPT = "testing.treadle.dev/made-of";

export class RealServer {
  /** The administrator's. */
  readonly client: Client;
  readonly rights: RealRights;
  readonly #config: ClusterConfig;
  /** Objects without a namespace that were there before: they stay. By kind. */
  readonly #before = new Map<Kind, ReadonlySet<string | undefined>>();

  private constructor(config: ClusterConfig) {
    this.#config = config;
    this.client = createClient({ transport: httpTransport(config), fieldManager: "kubectl", retry: false });
    this.rights = new RealRights(this.client, config.server, (user) => this.transport(user));
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
    await eventually(this.#config.server, `CRD ${name} to be served`, async () => {
      const { status } = (await this.client.get(CustomResourceDefinition, { name })) as { status?: { conditions?: readonly Condition[] } };
      return isTrue(status?.conditions, "Established") && isTrue(status?.conditions, "NamesAccepted") && (await this.#isListed(definition));
    });
  }

  /** Removes a CRD with its objects, and waits until it is gone. */
  async remove(name: string): Promise<void> {
    await this.client.delete(CustomResourceDefinition, { name });
    await eventually(
      this.#config.server,
      `CRD ${name} to be gone`,
      async () => (await this.client.get(CustomResourceDefinition, { name })) === undefined,
    );
  }

  /** Remembers what of a kind without a namespace was there before the test. */
  async remember(kind: Kind): Promise<void> {
    if (kind.scope !== "Cluster" || !isBuiltIn(kind) || this.#before.has(kind)) return;
    const { items } = await this.client.list(kind);
    this.#before.set(kind, new Set((items as readonly KubernetesObject[]).map(({ metadata }) => metadata.uid)));
  }

  /** Deletes everything that a test may have made and waits until it is gone. */
  async empty(): Promise<void> {
    const { items: definitions } = await this.client.list(CustomResourceDefinition);
    const kinds = (definitions as readonly CustomResourceDefinition[]).map(kindOfDefinition);
    await Promise.all([...kinds, ...NAMESPACED_BUILT_IN].map((kind) => this.#emptyOf(kind)));
    for (const kind of this.#before.keys()) await this.#emptyOf(kind);
    for (const kind of RIGHTS_LEFT.kinds) await this.#emptyOf(kind, RIGHTS_LEFT.labels);
    const going = (definitions as readonly CustomResourceDefinition[]).filter(({ metadata }) => metadata.annotations?.[KEPT] === undefined);
    await Promise.all(going.map(({ metadata }) => this.client.delete(CustomResourceDefinition, metadata)));
    const namespaces = (await this.client.list(Namespace)).items.filter(({ metadata }) => !isSystemNamespace(metadata.name));
    await Promise.all(namespaces.map(({ metadata }) => this.client.delete(Namespace, metadata)));
    await eventually(this.#config.server, "what the last test made to be gone", async () => {
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
}

/** What the handler of custom resources needs to see a change of a CRD, ten times over. */
const SCHEMA_DELAY_MS = 300;

interface Condition {
  readonly type: string;
  readonly status: string;
}

function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === "True") === true;
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

/** The error for a member that a real server does not have. */
export function onlyInMemory(what: string): Error {
  return new Error(
    `${what} does not exist on a real server (TREADLE_TEST_KUBECONFIG): give the test the tag "memory", so that it runs in memory only`,
  );
}
