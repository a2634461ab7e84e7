/** What is stored, as controllers read it: by kind and namespace, in the order in which objects were created, and by what else they ask for. */
import type { Kind, KubernetesObject, ObjectOf, OwnerReference } from "@treadle/apimachinery";
import type { Change } from "../storage/store.ts";
import { Grouping } from "./grouping.ts";

export class Objects {
  /** By the id of the kind. */
  readonly #kinds = new Map<string, Shelf>();

  /** Keeps objects of the kind from now on; those of others are not kept. */
  include(kind: Kind): void {
    this.#shelf(kind);
  }

  /** Objects of the kind by words of theirs, from now on; to be called before anything is stored. An object without a word is in no group. */
  grouped<K extends Kind>(kind: K, wordsOf: (object: ObjectOf<K>) => readonly string[]): (word: string) => readonly ObjectOf<K>[] {
    const grouping = new Grouping(wordsOf as unknown as (object: KubernetesObject) => readonly string[]); // filed under its kind
    this.#shelf(kind).groupings.push(grouping);
    return (word) => grouping.of(word) as unknown as readonly ObjectOf<K>[]; // as above
  }

  /** Takes in a change of the store. */
  observe(id: string, { type, entry, previous }: Change): void {
    const shelf = this.#kinds.get(id);
    if (shelf === undefined) return;
    // What is stored has been read as its kind.
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

  /** @param namespace all by default */
  list<K extends Kind>(kind: K, namespace?: string): readonly ObjectOf<K>[] {
    const { namespaces } = this.#included(kind);
    const found = namespace === undefined ? [...namespaces.values()] : [namespaces.get(namespace) ?? new Map<string, never>()];
    return found.flatMap((objects) => [...objects.values()]) as unknown as readonly ObjectOf<K>[]; // filed under their kind
  }

  /** Those whose controller is `owner`. */
  controlled<K extends Kind>(kind: K, owner: KubernetesObject): readonly ObjectOf<K>[] {
    return this.#included(kind).byController.of(owner.metadata.uid ?? "") as unknown as readonly ObjectOf<K>[]; // filed under their kind
  }

  /** Those without a controller. */
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

/** The objects of one kind. */
interface Shelf {
  /** By namespace and key. */
  readonly namespaces: Map<string, Map<string, KubernetesObject>>;
  readonly byController: Grouping;
  readonly orphans: Grouping;
  /** All of them. */
  readonly groupings: Grouping[];
}

/** The id of the collection of a kind. */
export function idOf({ plural, group }: Kind): string {
  return group === "" ? plural : `${plural}.${group}`;
}

export function controllerOf({ metadata }: KubernetesObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true);
}

/** For a watch: the keys of the objects of `kind` that control the object, or did before. */
export function controllersIn(kind: Kind): (object: KubernetesObject, previous: KubernetesObject | undefined) => readonly string[] {
  return (object, previous) => {
    const names = [object, previous].flatMap((state) => {
      const owner = state === undefined ? undefined : controllerOf(state);
      return owner?.kind === kind.kind ? [owner.name] : [];
    });
    return [...new Set(names)].map((name) => `${object.metadata.namespace ?? ""}/${name}`);
  };
}
