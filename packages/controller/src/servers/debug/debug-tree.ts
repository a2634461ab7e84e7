/** Trees that extensions show on the debug server: checked, without secrets, and as text. */
import { type DebugNode, isPromiseLike, withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** Limits of one tree: a tree that contains itself ends there. */
const MAX_NODES = 10_000;
const MAX_DEPTH = 100;

/** Copies what an extension returned. @throws TypeError if it is not a tree of debug nodes, RangeError if it is too large */
export function treeOf(given: unknown): DebugNode {
  return copied(given, { nodes: 0 }, 1);
}

function copied(given: unknown, count: { nodes: number }, depth: number): DebugNode {
  if (++count.nodes > MAX_NODES) throw new RangeError(`the tree has more than ${MAX_NODES} nodes`);
  if (depth > MAX_DEPTH) throw new RangeError(`the tree has more than ${MAX_DEPTH} levels: a node may contain itself`);
  if (isPromiseLike(given)) {
    void Promise.resolve(given).catch(() => undefined); // It must not end the process when it rejects.
    throw new TypeError("debug() must return its tree at once, not a promise");
  }
  if (typeof given !== "object" || given === null)
    throw new TypeError(`debug() must return a tree of { name, state }, not ${typeof given}`);
  const { name, state, since, note, children = [] }: { readonly [Member in keyof DebugNode]?: unknown } = given;
  if (!Array.isArray(children)) throw new TypeError(`the children of a debug node must be a list, not ${typeof children}`);
  return {
    name: shown("name", name),
    state: shown("state", state),
    ...(since !== undefined && { since: shown("since", since) }),
    ...(note !== undefined && { note: shown("note", note) }),
    ...(children.length > 0 && { children: children.map((child) => copied(child, count, depth + 1)) }),
  };
}

function shown(member: keyof DebugNode, value: unknown): string {
  if (typeof value !== "string") throw new TypeError(`the ${member} of a debug node must be a text, not ${typeof value}`);
  return withoutSecrets(value);
}

/** The lines of a tree: each node in one line, its children indented below it. */
export function linesOf({ name, state, since, note, children = [] }: DebugNode, indent: string = ""): readonly string[] {
  const line = `${name}: ${state}${since === undefined ? "" : ` since ${since}`}${note === undefined ? "" : ` (${note})`}`;
  return [`${indent}${line.replaceAll(/\s+/g, " ")}`, ...children.flatMap((child) => linesOf(child, `${indent}  `))];
}
