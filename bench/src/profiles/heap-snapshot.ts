/** Reads snapshots of the heap, as V8 writes them: which kinds of values take the memory. */

/** A `.heapsnapshot` file, as far as it is read here. */
export interface HeapSnapshot {
  readonly snapshot: { readonly meta: { readonly node_fields: readonly string[]; readonly node_types: readonly unknown[] } };
  /** The fields of all nodes, one node after the other. */
  readonly nodes: readonly number[];
  readonly strings: readonly string[];
}

/** The memory of all values of one kind: objects of a class, or a group such as "(string)". */
export interface HeapShare {
  readonly name: string;
  readonly count: number;
  readonly bytes: number;
}

/** @throws when the text is not a snapshot */
export function parseHeapSnapshot(text: string): HeapSnapshot {
  const read = JSON.parse(text) as Partial<HeapSnapshot> | null;
  if (!Array.isArray(read?.nodes) || !Array.isArray(read.strings) || !Array.isArray(read.snapshot?.meta.node_fields))
    throw new Error("it is no snapshot of the heap: it lacks nodes, strings or the names of their fields");
  return read as HeapSnapshot;
}

/** Sums the size of values by class, the largest sum first. Values that are not objects are summed by their type. */
export function sharesOf({ snapshot: { meta }, nodes, strings }: HeapSnapshot): HeapShare[] {
  const [type, name, size] = ["type", "name", "self_size"].map((field) => meta.node_fields.indexOf(field));
  if (type === undefined || name === undefined || size === undefined || Math.min(type, name, size) < 0)
    throw new Error("the snapshot of the heap has no type, name or self_size");
  const types = meta.node_types[type] as readonly string[];
  const shares = new Map<string, { readonly name: string; count: number; bytes: number }>();
  for (let at = 0; at < nodes.length; at += meta.node_fields.length) {
    const typeName = types[nodes[at + type] ?? -1] ?? "unknown";
    const key = typeName === "object" ? (strings[nodes[at + name] ?? -1] ?? "unknown") : `(${typeName})`;
    const share = shares.get(key) ?? { name: key, count: 0, bytes: 0 };
    shares.set(key, share);
    share.count++;
    share.bytes += nodes[at + size] ?? 0;
  }
  return [...shares.values()].toSorted((a, b) => b.bytes - a.bytes);
}
