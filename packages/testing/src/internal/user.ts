/** The actions of a user of the cluster. */
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
import { health } from "@treadle/apimachinery/health";
import type { WriteOptions } from "@treadle/client";
import { readyStatus } from "../ready-status.ts";
import type { Backend } from "./backend.ts";
import { fullKey } from "./handler-kinds.ts";
import { DEFAULT_NAMESPACE, manifestOf, manifestsOf } from "./manifests.ts";

/** An object to create. The name defaults to the kind in lower case, the namespace to `default`. */
export type NewObject<K extends Kind> = Omit<WriteOf<K>, "metadata"> & { readonly metadata?: Partial<ObjectMeta> };

/** The actions of a user with kubectl. Keys are `namespace/name`; `name` alone means the namespace `default`. */
export interface UserActions {
  /** Creates an object, and its namespace if that does not exist. A given status is stored as well. */
  create<K extends Kind>(kind: K, object: NewObject<K>): Promise<ObjectOf<K>>;
  /** Creates the object of a manifest, or merges the manifest into the existing object. @throws TypeError without apiVersion and kind */
  apply(manifest: object): Promise<KubernetesObject>;
  /**
   * Changes metadata and spec; calls `change` again after a conflict. As with `kubectl edit`, a change of `status` is not stored:
   * use {@link updateStatus} for it.
   * @throws TypeError when only the status was changed
   */
  update<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>>;
  /** Changes the status, as another controller would; calls `change` again after a conflict. */
  updateStatus<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>>;
  /**
   * Gives an object the status of one that is ready, as the controllers of a cluster would: {@link readyStatus}. For tests
   * without `workloads`, in which no controller runs a Deployment or a Job.
   * @throws Error when the object is not ready with that status, e.g. because it is being deleted
   */
  makeReady<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K>>;
  /** Deletes an object; finalizers delay the deletion. Does nothing if the object does not exist. */
  delete(kind: Kind, key: string): Promise<void>;
}

const UPDATE_ATTEMPTS = 5;

export class User implements UserActions {
  readonly #backend: Backend;
  readonly #where: string;

  /** @param where name of the test environment in errors */
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
    if (one === undefined) throw new Error("unreachable: one manifest gives one object");
    const { kind, object } = one;
    await this.#backend.use(kind);
    const ref = object.metadata;
    if ((await this.#backend.user.get(kind, ref)) === undefined) await this.#backend.put([one]);
    else await this.#backend.user.patch(kind, ref, { type: "merge", body: object });
    return await this.#live(kind, ref);
  }

  async update<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>> {
    const { before, wanted, stored } = await this.#change(kind, key, change);
    // A kind without the subresource stores the status, so only the answer shows it.
    if (isOnlyStatus(before, wanted) && !jsonEqual(statusOf(stored), statusOf(wanted)))
      throw new TypeError(
        `${this.#where}.update: of ${kind.kind} ${key} only the status was changed, which an update does not store: use ${this.#where}.updateStatus`,
      );
    return stored;
  }

  async updateStatus<K extends Kind>(kind: K, key: string, change: (object: Mutable<ObjectOf<K>>) => void): Promise<ObjectOf<K>> {
    return (await this.#change(kind, key, change, { subresource: "status" })).stored;
  }

  async makeReady<K extends Kind>(kind: K, key: string): Promise<ObjectOf<K>> {
    const nowMs = this.#backend.clock.now();
    const stored = await this.updateStatus(kind, key, (object) => {
      // Every kind of `readyStatus` stores a status, or ignores it.
      (object as { status?: unknown }).status = readyStatus(object as KubernetesObject, { nowMs });
    });
    const { type, reason, message } = health(stored);
    if (type === "Ready") return stored;
    throw new Error(`${this.#where}.makeReady: cannot make ${kind.kind} ${key} ready: it is ${type} (${reason}): ${message}`);
  }

  async delete(kind: Kind, key: string): Promise<void> {
    await this.#backend.user.delete(kind, this.#refOf(kind, key));
  }

  /** Repeats the change after a conflict, because operators write the same objects. */
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
  change(object as Mutable<T>); // The copy is mutable.
  return object;
}

function isOnlyStatus(before: object, after: object): boolean {
  return !jsonEqual(statusOf(before), statusOf(after)) && jsonEqual({ ...before, status: null }, { ...after, status: null });
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}
