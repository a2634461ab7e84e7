/** The syntax tree of a module, and edits of its text that keep every line where it is. */
import { parseAst } from "rolldown/parseAst";

/** A node of the tree. */
export interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [property: string]: unknown;
}

/** A change of the text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Parses a module by the extension of its file. @returns `undefined` if it does not parse: the bundler reports why */
export function parse(code: string, file: string): SyntaxNode | undefined {
  const lang = /\.[cm]?tsx?$/.test(file) ? "ts" : "js";
  try {
    // The types of the parser have one interface for each node; here a node is what its `type` says.
    return parseAst(code, { lang: file.endsWith("x") ? `${lang}x` : lang }, file) as unknown as SyntaxNode;
  } catch {
    return undefined;
  }
}

/** Calls `visit` for every node below `node`, parents first. `above` has the parents, the nearest last. */
export function walk(
  node: SyntaxNode,
  visit: (node: SyntaxNode, above: readonly SyntaxNode[]) => void,
  above: readonly SyntaxNode[] = [],
): void {
  visit(node, above);
  const inside = [...above, node];
  for (const value of Object.values(node))
    for (const each of Array.isArray(value) ? value : [value]) if (isNode(each)) walk(each, visit, inside);
}

/** Whether a value of a node is a node. */
function isNode(value: unknown): value is SyntaxNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string" && "start" in value;
}

/** A property of a node that is a node. */
export function child(node: SyntaxNode | undefined, property: string): SyntaxNode | undefined {
  const value = node?.[property];
  return isNode(value) ? value : undefined;
}

/** A property of a node that is a list of nodes. */
export function children(node: SyntaxNode | undefined, property: string): readonly SyntaxNode[] {
  const value = node?.[property];
  return Array.isArray(value) ? value.filter(isNode) : [];
}

/** The text of a literal, or of a template without expressions. */
export function textOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node?.type !== "TemplateLiteral" || children(node, "expressions").length > 0) return undefined;
  return cookedOf(children(node, "quasis")[0]);
}

/** The text of a part of a template. */
export function cookedOf(quasi: SyntaxNode | undefined): string | undefined {
  const value = quasi?.["value"];
  return typeof value === "object" && value !== null && "cooked" in value && typeof value.cooked === "string" ? value.cooked : undefined;
}

/** Whether the node is `name`. */
export function isIdentifier(node: SyntaxNode | undefined, name?: string): boolean {
  return node?.type === "Identifier" && (name === undefined || node["name"] === name);
}

/** The property of `import.meta` that the node reads. */
export function importMetaOf(node: SyntaxNode | undefined): string | undefined {
  if (node?.type !== "MemberExpression" || child(node, "object")?.type !== "MetaProperty") return undefined;
  const property = child(node, "property");
  const name = node["computed"] === true ? textOf(property) : property?.["name"];
  return typeof name === "string" ? name : undefined;
}

/** The line of a position, from 1. */
export function lineOf(code: string, position: number): number {
  return code.slice(0, position).split("\n").length;
}

/** Applies edits that do not overlap. A replaced text with line breaks gets as many again, so no line moves. */
export function edited(code: string, edits: readonly Edit[]): string {
  let result = "";
  let at = 0;
  for (const { start, end, text } of edits.toSorted((a, b) => a.start - b.start)) {
    const breaks = code.slice(start, end).match(/\n/g)?.length ?? 0;
    result += code.slice(at, start) + text + "\n".repeat(breaks);
    at = end;
  }
  return result + code.slice(at);
}
