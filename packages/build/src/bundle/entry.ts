/**
 * The entry as a function that returns a promise, where it has a top-level await. Scripts, for which V8's code can be kept, have none.
 * Imports stay outside, in one line before the others, so each line of the program keeps its number.
 */
import { child, children, type Edit, edited, lineOf, type SyntaxNode, walk } from "./syntax.ts";

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression", "PropertyDefinition", "StaticBlock"]);

/** Whether the module awaits outside of functions. */
export function awaitsAtTop(program: SyntaxNode): boolean {
  let found = false;
  walk(program, (node, above) => {
    const isAwait =
      node.type === "AwaitExpression" ||
      (node.type === "ForOfStatement" && node["await"] === true) ||
      (node.type === "VariableDeclaration" && node["kind"] === "await using");
    if (isAwait && !above.some(({ type }) => FUNCTIONS.has(type))) found = true;
  });
  return found;
}

/** Whether the program is CommonJS: `require` or `module.exports`, and neither import nor export. @returns the line of the first such word */
export function commonJsLine(code: string, program: SyntaxNode): number | undefined {
  if (children(program, "body").some(({ type }) => /^(Import|Export)/.test(type)) || awaitsAtTop(program)) return undefined;
  let at: number | undefined;
  walk(program, (node) => {
    const callee = child(node, "callee");
    const object = child(node, "object");
    const isRequire = node.type === "CallExpression" && callee?.["name"] === "require";
    const isExports = node.type === "MemberExpression" && (object?.["name"] === "exports" || object?.["name"] === "module");
    if (isRequire || isExports) at ??= node.start;
  });
  return at === undefined ? undefined : lineOf(code, at);
}

/** The module with its statements in an async function, whose promise is its default export. A program has no other exports. */
export function asFunction(code: string, program: SyntaxNode): string {
  const imports: string[] = [];
  const edits: Edit[] = [];
  for (const node of children(program, "body")) {
    const edit = outside(code, node, imports);
    if (edit !== undefined) edits.push(edit);
  }
  const hashbang = child(program, "hashbang");
  const body = edited(code, hashbang === undefined ? edits : [...edits, { start: hashbang.start, end: hashbang.end, text: "" }]);
  return `${imports.join("")}export default (async () => {${body}\n})();\n`;
}

/** The edit for a statement that may not be in a function; adds to `imports` what comes before it. */
function outside(code: string, node: SyntaxNode, imports: string[]): Edit | undefined {
  const { start, end } = node;
  const source = child(node, "source");
  const from = source === undefined ? "" : JSON.stringify(source["value"]);
  const isType = node["importKind"] === "type" || node["exportKind"] === "type";
  const declaration = child(node, "declaration");
  switch (node.type) {
    case "ImportDeclaration":
      if (!isType) imports.push(`${importText(code, node, from)} `);
      return { start, end, text: "" };
    case "ExportAllDeclaration":
      if (!isType) imports.push(`import ${from}; `);
      return { start, end, text: "" };
    case "ExportNamedDeclaration":
      if (declaration !== undefined) return { start, end: declaration.start, text: "" };
      if (source !== undefined && !isType) imports.push(`import ${from}; `);
      return { start, end, text: "" };
    case "ExportDefaultDeclaration": {
      if (declaration === undefined) return undefined;
      const isNamed = /^(Function|Class)/.test(declaration.type) && declaration["id"] !== null;
      // Whatever it is, it is an expression now.
      return { start, end: declaration.start, text: isNamed ? "" : "void " };
    }
    default:
      return undefined;
  }
}

function importText(code: string, node: SyntaxNode, from: string): string {
  const text = ({ start, end }: SyntaxNode): string => code.slice(start, end);
  const attributes = children(node, "attributes").map(text).join(", ");
  const after = attributes === "" ? from : `${from} with { ${attributes} }`;
  const all = children(node, "specifiers");
  if (all.length === 0) return `import ${after};`;
  const named = all.filter(({ type }) => type === "ImportSpecifier");
  const others = all.filter(({ type }) => type !== "ImportSpecifier").map(text);
  const braces = named.length === 0 ? [] : [`{ ${named.map(text).join(", ")} }`];
  return `import ${[...others, ...braces].join(", ")} from ${after};`;
}
