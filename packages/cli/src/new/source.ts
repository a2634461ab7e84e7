/** Reads modules of a user as syntax trees, to find a place with certainty. */
import { parseAst } from "rolldown/parseAst";
import { isRecord } from "../json.ts";

/** A node of a syntax tree. `start` and `end` are offsets in the text. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

/** Returns the tree of a module in TypeScript; `undefined` if it does not parse. */
export function treeOf(text: string): Node | undefined {
  try {
    const tree: unknown = parseAst(text, { lang: "ts" }, "module.ts");
    return isNode(tree) ? tree : undefined;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is a node. */
function isNode(value: unknown): value is Node {
  return isRecord(value) && typeof value["type"] === "string" && typeof value["start"] === "number";
}

/** Yields a node and all nodes below it, in the order of the text. */
export function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) for (const each of [value].flat()) if (isNode(each)) yield* nodesIn(each);
}

/** Returns the node in a field; `undefined` if there is none, or one of another type. */
export function nodeAt(node: Node | undefined, field: string, type?: string): Node | undefined {
  const found = node?.[field];
  return isNode(found) && (type === undefined || found.type === type) ? found : undefined;
}

/** Returns the nodes of a list in a field. */
export function listIn(node: Node | undefined, field: string): readonly Node[] {
  const found = node?.[field];
  return Array.isArray(found) ? found.filter(isNode) : [];
}

/** Returns the name of an identifier; `undefined` for any other node. */
export function nameOf(node: Node | undefined): string | undefined {
  const name = node?.["name"];
  return node?.type === "Identifier" && typeof name === "string" ? name : undefined;
}

/** A call of a method, as in `handler(Website).step(a).build()`. */
export interface MethodCall {
  readonly call: Node;
  /** What is before the dot. */
  readonly receiver: Node;
  readonly method: string;
}

/** Returns the parts of a call of a method; `undefined` for any other node. */
export function methodCall(node: Node | undefined): MethodCall | undefined {
  if (node?.type !== "CallExpression") return undefined;
  const callee = nodeAt(node, "callee", "MemberExpression");
  const receiver = nodeAt(callee, "object");
  const method = nameOf(nodeAt(callee, "property"));
  return receiver === undefined || method === undefined ? undefined : { call: node, receiver, method };
}

/** Returns the first call of a chain, such as `handler(Website)` of `handler(Website).step(a).build()`. */
export function rootOf(node: Node): Node {
  const method = methodCall(node);
  return method === undefined ? node : rootOf(method.receiver);
}

/** Returns whether a node is a call of a function with this name. */
export function isCallOf(node: Node | undefined, name: string): boolean {
  return node?.type === "CallExpression" && nameOf(nodeAt(node, "callee")) === name;
}

/** Returns the identifiers of a module, of any use. Keys of objects and texts are not among them. */
export function identifiersIn(text: string): ReadonlySet<string> {
  const tree = treeOf(text);
  if (tree === undefined) return new Set();
  const nodes = [...nodesIn(tree)];
  const keys = new Set(
    nodes.flatMap((node) => {
      const key = node.type === "Property" && node["shorthand"] !== true ? nodeAt(node, "key") : undefined;
      const property = node.type === "MemberExpression" && node["computed"] !== true ? nodeAt(node, "property") : undefined;
      return [key, property].filter((each) => each !== undefined);
    }),
  );
  return new Set(nodes.filter((node) => !keys.has(node)).flatMap((node) => nameOf(node) ?? []));
}
