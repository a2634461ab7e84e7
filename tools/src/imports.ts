/** Finds what a TypeScript file imports, types included: static, dynamic, re-exported, `import("x").T`, `import x = require("x")`. */
import { parseSync, Visitor } from "vite";

export interface Import {
  readonly specifier: string;
  /** Counted from 1. */
  readonly line: number;
}

/**
 * The imports of a file in the order of the text. Computed specifiers (`import(name)`) cannot be known and are left out.
 * @throws when the text does not parse, with the path and the parser's message
 */
export function importsOf(path: string, text: string): Import[] {
  const { program, errors } = parseSync(path, text);
  const error = errors.find(({ severity }) => severity === "Error");
  if (error !== undefined) throw new Error(`cannot parse ${path}: ${error.message}`);
  const found: { readonly specifier: string; readonly start: number }[] = [];
  const add = (node: { readonly type: string; readonly value?: unknown; readonly start: number } | null): void => {
    if (node?.type === "Literal" && typeof node.value === "string") found.push({ specifier: node.value, start: node.start });
  };
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source),
    TSExternalModuleReference: (node) => add(node.expression),
  }).visit(program);
  return found
    .toSorted((a, b) => a.start - b.start)
    .map(({ specifier, start }) => ({ specifier, line: text.slice(0, start).split("\n").length }));
}
