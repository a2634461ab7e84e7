/** A copy of all objects of the kinds in use, taken at one moment, that can be read without waiting. */
import { isKindNotServed, type Kind, keyOf, type KubernetesObject, type ObjectOf, type Ref } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { SeenKind } from "./cluster-activity.ts";
import { idOf, type UsedKinds } from "./used-kinds.ts";

/** A selection of objects. */
export interface Selection {
  readonly namespace?: string;
  readonly matchLabels?: Readonly<Record<string, string>>;
}

export class ObjectPicture {
  readonly #client: Client;
  readonly #kinds: UsedKinds;
  readonly #version: () => string | undefined;
  #objects: ReadonlyMap<string, ReadonlyMap<string, KubernetesObject>> = new Map();
  /** Kinds in use that the server did not serve. */
  #unserved: ReadonlySet<string> = new Set();
  #takenAt: string | undefined;

  /** @param version changes with each write; undefined where that is not known */
  constructor(client: Client, kinds: UsedKinds, version: () => string | undefined) {
    this.#client = client;
    this.#kinds = kinds;
    this.#version = version;
  }

  /** Takes a new picture; costs nothing if the version is still the same. */
  async refresh(): Promise<void> {
    const version = this.#version();
    const takenAt = version === undefined ? undefined : `${version} ${this.#kinds.revision}`;
    if (takenAt !== undefined && this.#takenAt === takenAt) return;
    const objects = new Map<string, ReadonlyMap<string, KubernetesObject>>();
    const unserved = new Set<string>();
    for (const kind of this.#kinds.seen()) {
      const items = await this.#listed(kind);
      if (items === undefined) unserved.add(idOf(kind));
      objects.set(idOf(kind), new Map((items ?? []).map((object) => [keyOf(object.metadata), freeze(object)])));
    }
    this.#unserved = unserved;
    this.#objects = objects;
    this.#takenAt = takenAt;
  }

  /** Whether the server served the kind. */
  serves(kind: Kind): boolean {
    return this.#objects.has(idOf(kind)) && !this.#unserved.has(idOf(kind));
  }

  /** An object, frozen. */
  get<K extends Kind>(kind: K, ref: Ref): ObjectOf<K> | undefined {
    // The objects under a kind were listed as that kind.
    return this.#objects.get(idOf(kind))?.get(keyOf(ref)) as ObjectOf<K> | undefined;
  }

  list<K extends Kind>(kind: K, { namespace, matchLabels = {} }: Selection = {}): readonly ObjectOf<K>[] {
    const objects = this.#of(kind).filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        Object.entries(matchLabels).every(([label, value]) => metadata.labels?.[label] === value),
    );
    return objects as unknown as readonly ObjectOf<K>[]; // As in `get`.
  }

  /** All objects, by kind. */
  all(): readonly SeenKind[] {
    return this.#kinds.seen().map((kind) => ({ kind, objects: this.#of(kind) }));
  }

  #of(kind: Kind): readonly KubernetesObject[] {
    return [...(this.#objects.get(idOf(kind))?.values() ?? [])];
  }

  /** Undefined for a kind that the server does not serve. */
  async #listed(kind: Kind): Promise<readonly KubernetesObject[] | undefined> {
    try {
      return (await this.#client.list(kind)).items;
    } catch (error) {
      if (isKindNotServed(error)) return undefined;
      throw error;
    }
  }
}

function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) freeze(member);
  return Object.freeze(value);
}
