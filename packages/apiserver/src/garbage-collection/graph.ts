/** The graph of all objects and their owner references, by uid. It knows no kinds and decides nothing. */
import type { OwnerReference } from "@treadle/apimachinery";
import type { Entry } from "../storage/store.ts";
import type { StoredMeta } from "../storage/stored-object.ts";

/** One object of the graph. */
export interface Node {
  readonly uid: string;
  /** Id of its kind, `plural.group`. */
  readonly id: string;
  readonly key: string;
  owners: readonly OwnerReference[];
}

/** Changes of the references of an object. */
export interface ReferenceChange {
  readonly node: Node;
  readonly hasAdded: boolean;
  /** Uids of the owners whose deletion this object no longer blocks. */
  readonly released: readonly string[];
}

export class OwnerGraph {
  readonly #nodes = new Map<string, Node>();
  /** Dependents by the uid of the owner. The owner need not exist. */
  readonly #dependents = new Map<string, Set<Node>>();

  get(uid: string): Node | undefined {
    return this.#nodes.get(uid);
  }

  /** Returns all objects that refer to the uid, in the order in which they began to. */
  dependentsOf(uid: string): readonly Node[] {
    return [...(this.#dependents.get(uid) ?? [])];
  }

  /** Returns the dependents that block the deletion of their owner. */
  blockersOf(uid: string): readonly Node[] {
    return this.dependentsOf(uid).filter((node) => node.owners.some((owner) => owner.uid === uid && blocks(owner)));
  }

  /** Adds a new object, or a new state of a known one. */
  put(id: string, entry: Entry): ReferenceChange {
    const { metadata } = entry.object;
    const known = this.#nodes.get(metadata.uid);
    const node: Node = known ?? { uid: metadata.uid, id, key: entry.key, owners: [] };
    if (known === undefined) this.#nodes.set(node.uid, node);
    const before = node.owners;
    const after = ownersOf(metadata);
    if (before === after) return { node, hasAdded: false, released: [] };
    node.owners = after;
    const now = new Map(after.map((owner) => [owner.uid, owner]));
    const had = new Set(before.map(({ uid }) => uid));
    for (const uid of had) if (!now.has(uid)) this.#detach(node, uid);
    for (const uid of now.keys()) if (!had.has(uid)) this.#attach(node, uid);
    const released = before.filter((owner) => {
      const left = now.get(owner.uid);
      return blocks(owner) && (left === undefined || !blocks(left));
    });
    return { node, hasAdded: after.some(({ uid }) => !had.has(uid)), released: released.map(({ uid }) => uid) };
  }

  remove(node: Node): void {
    this.#nodes.delete(node.uid);
    for (const { uid } of node.owners) this.#detach(node, uid);
  }

  #attach(node: Node, owner: string): void {
    const dependents = this.#dependents.get(owner);
    if (dependents === undefined) this.#dependents.set(owner, new Set([node]));
    else dependents.add(node);
  }

  #detach(node: Node, owner: string): void {
    const dependents = this.#dependents.get(owner);
    dependents?.delete(node);
    if (dependents?.size === 0) this.#dependents.delete(owner);
  }
}

const NONE: readonly OwnerReference[] = [];

export function ownersOf(metadata: StoredMeta): readonly OwnerReference[] {
  const references = metadata["ownerReferences"];
  // Read by readMeta. An object without references does not have the field.
  return Array.isArray(references) ? (references as readonly OwnerReference[]) : NONE;
}

function blocks(owner: OwnerReference): boolean {
  return owner.blockOwnerDeletion === true;
}
