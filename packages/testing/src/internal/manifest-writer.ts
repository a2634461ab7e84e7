/** Creates the objects of a test as a user would, with their namespaces and CRDs. */
import { isAlreadyExists, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { CustomResourceDefinition, Namespace } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";
import type { Manifest } from "./manifests.ts";
import { onlyInMemory } from "./real-server.ts";
import type { TestUids } from "./test-uids.ts";

/** The server that gets the objects. */
export interface ManifestTarget {
  readonly isReal: boolean;
  /** The user's client. */
  readonly user: Client;
  /** Serves a kind. */
  use(kind: Kind): Promise<void>;
  /** Serves the kinds of a CRD. */
  define(definition: CustomResourceDefinition): Promise<void>;
}

export class ManifestWriter {
  readonly #target: ManifestTarget;
  readonly #uids: TestUids;

  constructor(target: ManifestTarget, uids: TestUids) {
    this.#target = target;
    this.#uids = uids;
  }

  /** Creates CRDs first, then namespaces, then the other objects. @throws ApiError that names the object that the server refuses */
  async write(manifests: readonly Manifest[]): Promise<void> {
    for (const { object } of manifests.filter(isDefinition)) await this.#target.define(object as CustomResourceDefinition);
    const others = manifests.filter((manifest) => !isDefinition(manifest));
    for (const { kind } of others) await this.#target.use(kind);
    const isNamespace = ({ kind }: Manifest): boolean => kind.kind === Namespace.kind;
    for (const { object } of others.filter(isNamespace)) await this.#writeNamespace(object);
    for (const manifest of others.filter((other) => !isNamespace(other))) await this.#write(manifest);
  }

  /** Creates a namespace if it does not exist. */
  async ensureNamespace(name: string | undefined): Promise<void> {
    const { user } = this.#target;
    if (name === undefined || (await user.get(Namespace, { name })) !== undefined) return;
    try {
      await user.create(Namespace, { metadata: { name } });
    } catch (error) {
      // Two actions of a test may create it at once.
      if (!isAlreadyExists(error)) throw error;
    }
  }

  async #write({ kind, object, status, uid, isDeleting }: Manifest): Promise<void> {
    const { user, isReal } = this.#target;
    const ref = object.metadata;
    await this.ensureNamespace(ref.namespace);
    if (uid !== undefined && isReal) throw onlyInMemory(`the uid ${uid} of ${kind.kind} ${ref.name}`);
    await this.#uids.using(uid, () => user.create(kind, object));
    if (status !== undefined) await user.patch(kind, ref, { type: "merge", body: { status } }, { subresource: "status" });
    if (isDeleting) await user.delete(kind, ref);
  }

  async #writeNamespace(namespace: Pick<KubernetesObject, "metadata">): Promise<void> {
    const { user } = this.#target;
    const exists = (await user.get(Namespace, namespace.metadata)) !== undefined;
    if (exists) await user.patch(Namespace, namespace.metadata, { type: "merge", body: namespace });
    else await user.create(Namespace, namespace);
  }
}

/** Whether a manifest is a CRD. */
export function isDefinition({ kind }: Manifest): boolean {
  return kind.kind === CustomResourceDefinition.kind && kind.group === CustomResourceDefinition.group;
}
