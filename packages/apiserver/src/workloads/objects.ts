/** The stored objects as controllers read them: by kind and namespace, in the order of creation, and by groups. */
import type { Kind, KubernetesObject, ObjectOf, OwnerReference } from "@treadle/apimachinery";
import type { Change } from "../storage/store.ts";
import { Grouping } from "./grouping.ts";

export class Objects {
  /** Objects by the id of the kind. */
  readonly #kinds = new Map<string, Shelf>();

  /** Keeps the objects of a kind from now on. Other kinds are not kept. */
  include(kind: Kind): void {
    this.#shelf(kind);
  }

  /** Groups the objects of a kind by words. Call it before anything is stored. An object without a word is in no group. */
  grouped<K extends Kind>(kind: K, wordsOf: (object: ObjectOf<K>) => readonly string[]): (word: string) => readonly ObjectOf<K>[] {
    const grouping = new Grouping(wordsOf as unknown as (object: KubernetesObject) => readonly string[]); // filed under its kind
    this.#shelf(kind).groupings.push(grouping);
    return (word) => grouping.of(word) as unknown as readonly ObjectOf<K>[]; // as above
  }

  /** Records a change of the store. */
  observe(id: string, { type, entry, previous }: Change): void {
    const shelf = this.#kinds.get(id);
    if (shelf === undefined) return;
    // A stored object was read as its kind.
    const object = type === "DELETED" ? undefined : (entry.object as unknown as KubernetesObject);
    const before = previous?.object as unknown as KubernetesObject | undefined;
    for (const grouping of shelf.groupings) grouping.replace(entry.key, before, object);
    const found = shelf.namespaces.get(entry.namespace);
    if (object === undefined) found?.delete(entry.key);
    else if (found === undefined) shelf.namespaces.set(entry.namespace, new Map([[entry.key, object]]));
    else found.set(entry.key, object);
  }

  get<K extends Kind>(kind: K, key: string): ObjectOf<K> | undefined {
    const namespace = key.includes("/") ? key.slice(0, key.indexOf("/")) : "";
    return this.#included(kind).namespaces.get(namespace)?.get(key) as ObjectOf<K> | undefined; // filed under its kind
  }

  /** @param namespace Namespace of the objects; all namespaces by default. */
  list<K extends Kind>(kind: K, namespace?: string): readonly ObjectOf<K>[] {
    const { namespaces } = this.#included(kind);
    const found = namespace === undefined ? [...namespaces.values()] : [namespaces.get(namespace) ?? new Map<string, never>()];
    return found.flatMap((objects) => [...objects.values()]) as unknown as readonly ObjectOf<K>[]; // filed under their kind
  }

  /** Returns the objects whose controller is `owner`. */
  controlled<K extends Kind>(kind: K, owner: KubernetesObject): readonly ObjectOf<K>[] {
    return this.#included(kind).byController.of(owner.metadata.uid ?? "") as unknown as readonly ObjectOf<K>[]; // filed under their kind
  }

  /** Returns the objects without a controller. */
  orphans<K extends Kind>(kind: K, namespace: string): readonly ObjectOf<K>[] {
    return this.#included(kind).orphans.of(namespace) as unknown as readonly ObjectOf<K>[]; // filed under their kind
  }

  #included(kind: Kind): Shelf {
    const found = this.#kinds.get(idOf(kind));
    if (found === undefined) throw new TypeError(`no controller watches ${kind.kind}, so it cannot be read`);
    return found;
  }

  #shelf(kind: Kind): Shelf {
    const id = idOf(kind);
    const found = this.#kinds.get(id);
    if (found !== undefined) return found;
    const byController = new Grouping((object) => [controllerOf(object)?.uid ?? []].flat());
    const orphans = new Grouping((object) => (controllerOf(object) === undefined ? [object.metadata.namespace ?? ""] : []));
    const shelf: Shelf = { namespaces: new Map(), byController, orphans, groupings: [byController, orphans] };
    this.#kinds.set(id, shelf);
    return shelf;
  }
}

/** Objects of one kind. */
interface Shelf {
  /** Objects by namespace and key. */
  readonly namespaces: Map<string, Map<string, KubernetesObject>>;
  readonly byController: Grouping;
  readonly orphans: Grouping;
  /** All groupings of the kind. */
  readonly groupings: Grouping[];
}

/** Returns the id of a kind's collection. */
export function idOf({ plural, group }: Kind): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** Returns the keys of the objects of `kind` that control the object, or did before, for a watch. */
export function controllersIn(kind: Kind): (object: KubernetesObject, previous: KubernetesObject | undefined) => readonly string[] {
  return (object, previous) => {
    const names = [object, previous].flatMap((state) => {
      const owner = state === undefined ? undefined : controllerOf(state);
      return owner?.kind === kind.kind ? [owner.name] : [];
    });
    return [...new Set(names)].map((name) => `${object.metadata.namespace ?? ""}/${name}`);
  };
}
