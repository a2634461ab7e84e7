/**
 * Which objects wait for which others, to find circles of references. It only makes messages better: without an entry, the objects
 * wait all the same.
 */

/** An object in the graph. */
export interface WaitingNode {
  /** Identifies the object: its group, kind, namespace and name. */
  readonly id: string;
  /** The object for messages, such as `Bucket default/a`. */
  readonly title: string;
}

/** The number of objects that the graph remembers. The oldest entries are dropped: they may be of deleted objects. */
export const MAX_WAITING = 10_000;

/** Keeps what each object of an operator waits for. One operator has one graph. */
export class WaitingGraph {
  readonly #waitsFor = new Map<string, readonly WaitingNode[]>();

  /** Records that `node` waits for all of `others`; an empty list means that it does not wait any more. */
  record(node: WaitingNode, others: readonly WaitingNode[]): void {
    this.#waitsFor.delete(node.id); // The map is in the order of the last records.
    if (others.length === 0) return;
    this.#waitsFor.set(node.id, others);
    if (this.#waitsFor.size <= MAX_WAITING) return;
    const [oldest] = this.#waitsFor.keys();
    if (oldest !== undefined) this.#waitsFor.delete(oldest);
  }

  /** Returns a circle through `node`, which is its first and its last element; `undefined` if the node is in no circle. */
  circleOf(node: WaitingNode): readonly WaitingNode[] | undefined {
    const seen = new Set<string>();
    const paths: (readonly WaitingNode[])[] = [[node]];
    for (let path = paths.shift(); path !== undefined; path = paths.shift()) {
      for (const next of this.#waitsFor.get((path.at(-1) as WaitingNode).id) ?? []) {
        if (next.id === node.id) return [...path, node];
        if (seen.has(next.id)) continue;
        seen.add(next.id);
        paths.push([...path, next]);
      }
    }
    return undefined;
  }

  /** The number of objects that wait. */
  get size(): number {
    return this.#waitsFor.size;
  }
}
