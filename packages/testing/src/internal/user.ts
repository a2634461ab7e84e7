/** What a user of the cluster does, as a test wants to write it. */
import {
  isConflict,
  jsonEqual,
  type Kind,
  type KubernetesObject,
  type Mutable,
  type ObjectMeta,
  type ObjectOf,
  type Ref,
  refOf,
  type WriteOf,
} from "@treadle/apimachinery";
import type { WriteOptions } from "@treadle/client";
import type { Backend } from "./backend.ts";
import { fullKey } from "./handler-kinds.ts";
import { DEFAULT_NAMESPACE, manifestOf, manifestsOf } from "./manifests.ts";

/** An object to create; the name defaults to the kind in lower case, the namespace to `default`. */
export type NewObject<K extends Kind> = Omit<WriteOf<K>, "metadata"> & { readonly metadata?: Partial<ObjectMeta> };

/** Acts on objects as a user with kubectl would. Keys are `namespace/name`; `name` alone means the namespace `default`. */
export interface UserActions {
  /** Creates the object, and its namespace where that is missing. A given status is stored too. */
  create<K extends Kind>(kind: K, object: NewObject<K>): Promise<ObjectOf<K>>;
  /** Creates a manifest, or merges it into the object that is there. @throws TypeError when it has no apiVersion and kind */
  apply(manifest: object): Promise<KubernetesObject>;
  /**
   * Changes metadata and spec in place, anew when the object has changed meanwhile; a change of `status` is not stored, as with
   * `kubectl edit`: {@link updateStatus} does that.
   * @throws TypeError when nothing but the status was changed
   */
  update<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>>;
  /** Changes the status in place, as another controller would; anew when the object has changed meanwhile. */
  updateStatus<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>>;
  /** Deletes; finalizers hold the object. Nothing happens when it does not exist. */
  delete(kind: Kind, key: string): Promise<void>;
}

const UPDATE_ATTEMPTS = 5;

export class User implements UserActions {
  readonly #backend: Backend;
  readonly #where: string;

  /** @param where names the world in errors */
  constructor(backend: Backend, where: string) {
    this.#backend = backend;
    this.#where = where;
  }

  async create<K extends Kind>(kind: K, object: NewObject<K>): Promise<ObjectOf<K>> {
    const manifest = manifestOf(kind, object, { where: `${this.#where}.create`, namespace: DEFAULT_NAMESPACE });
    await this.#backend.put([manifest]);
    return await this.#live(kind, manifest.object.metadata);
  }

  async apply(manifest: object): Promise<KubernetesObject> {
    const [one] = manifestsOf([manifest], this.#backend.kinds, { where: `${this.#where}.apply`, namespace: DEFAULT_NAMESPACE });
    if (one === undefined) throw new Error("unreachable: one manifest in, one out");
    const { kind, object } = one;
    await this.#backend.use(kind);
    const ref = object.metadata;
    if ((await this.#backend.user.get(kind, ref)) === undefined) await this.#backend.put([one]);
    else await this.#backend.user.patch(kind, ref, { type: "merge", body: object });
    return await this.#live(kind, ref);
  }

  async update<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>> {
    const { before, wanted, stored } = await this.#change(kind, key, change);
    // Kinds without the subresource store it; so the answer tells.
    if (isOnlyStatus(before, wanted) && !jsonEqual(statusOf(stored), statusOf(wanted)))
      throw new TypeError(
        `${this.#where}.update: of ${kind.kind} ${key} only the status was changed, and an update does not store that: use ${this.#where}.updateStatus`,
      );
    return stored;
  }

  async updateStatus<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>> {
    return (await this.#change(kind, key, change, { subresource: "status" })).stored;
  }

  async delete(kind: Kind, key: string): Promise<void> {
    await this.#backend.user.delete(kind, this.#refOf(kind, key));
  }

  /** The operators write the same objects: what was read may be old when it is written. */
  async #change<K extends Kind>(
    kind: K,
    key: string,
    change: (object: Mutable<ObjectOf<K>>) => void,
    options: WriteOptions = {},
  ): Promise<{ readonly before: ObjectOf<K>; readonly wanted: ObjectOf<K>; readonly stored: ObjectOf<K> }> {
    for (let attempt = 1; ; attempt++) {
      const before = await this.#live(kind, this.#refOf(kind, key));
      const wanted = changed(before, change);
      try {
        return { before, wanted, stored: await this.#backend.user.update(kind, wanted, options) };
      } catch (error) {
        if (!isConflict(error) || attempt === UPDATE_ATTEMPTS) throw error;
      }
    }
  }

  async #live<K extends Kind>(kind: K, ref: Ref): Promise<ObjectOf<K>> {
    const object = await this.#backend.user.get(kind, ref);
    if (object !== undefined) return object;
    throw new Error(`${this.#where}: there is no ${kind.kind} ${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}`);
  }

  #refOf(kind: Kind, key: string): Ref {
    return refOf(fullKey(kind, key, DEFAULT_NAMESPACE));
  }
}

function changed<T>(before: T, change: (object: Mutable<T>) => void): T {
  const object = structuredClone(before);
  change(object as Mutable<T>); // a copy of our own may be changed
  return object;
}

function isOnlyStatus(before: object, after: object): boolean {
  return !jsonEqual(statusOf(before), statusOf(after)) && jsonEqual({ ...before, status: null }, { ...after, status: null });
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}
