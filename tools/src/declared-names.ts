/** Finds the names that the top level of a TypeScript module declares, imports included. */
import { parseSync } from "vite";

/** A name of a module's top level. */
export interface Declared {
  readonly name: string;
  /** Whether the name has no value: an interface, a type or a type-only import. */
  readonly isType: boolean;
  readonly isExported: boolean;
}

/** What the parser finds in a module. */
export interface Declarations {
  /** In the order of the text, each once. */
  readonly names: readonly Declared[];
  /** The first error of syntax; then there are no names. */
  readonly error?: { readonly message: string; readonly line: number };
}

type Program = ReturnType<typeof parseSync>["program"];
type Statement = Program["body"][number];
type Pattern = Extract<Statement, { type: "VariableDeclaration" }>["declarations"][number]["id"];

/** The names that a module declares; `path` is for the parser's messages. */
export function declarationsOf(path: string, text: string): Declarations {
  const { program, errors } = parseSync(path, text);
  const error = errors.find(({ severity }) => severity === "Error");
  if (error !== undefined) {
    const line = text.slice(0, error.labels[0]?.start ?? 0).split("\n").length;
    return { names: [], error: { message: error.message, line } };
  }
  const found = new Map<string, Declared>();
  for (const each of program.body.flatMap((statement) => namesOf(statement, false))) {
    const before = found.get(each.name);
    const isType = each.isType && (before?.isType ?? true);
    // An overload, or an interface beside a constant of its name: the value stands for both.
    found.set(each.name, { name: each.name, isType, isExported: each.isExported || before?.isExported === true });
  }
  return { names: [...found.values()] };
}

function namesOf(statement: Statement, isExported: boolean): Declared[] {
  const named = (name: string, isType: boolean): Declared => ({ name, isType, isExported });
  switch (statement.type) {
    case "ImportDeclaration":
      return statement.specifiers.map((each) => {
        const isType = statement.importKind === "type" || (each.type === "ImportSpecifier" && each.importKind === "type");
        return named(each.local.name, isType);
      });
    case "ExportNamedDeclaration":
      return statement.declaration === null ? [] : namesOf(statement.declaration, true);
    case "VariableDeclaration":
      return statement.declarations.flatMap(({ id }) => patternNames(id)).map((name) => named(name, false));
    case "FunctionDeclaration":
    case "TSDeclareFunction":
    case "ClassDeclaration":
      return statement.id === null ? [] : [named(statement.id.name, false)];
    case "TSInterfaceDeclaration":
    case "TSTypeAliasDeclaration":
      return [named(statement.id.name, true)];
    default:
      return [];
  }
}

function patternNames(pattern: Pattern): string[] {
  switch (pattern.type) {
    case "Identifier":
      return [pattern.name];
    case "ObjectPattern":
      return pattern.properties.flatMap((each) => patternNames(each.type === "RestElement" ? each.argument : each.value));
    case "ArrayPattern":
      return pattern.elements.flatMap((each) => (each === null ? [] : patternNames(each.type === "RestElement" ? each.argument : each)));
    case "AssignmentPattern":
      return patternNames(pattern.left);
    default:
      return [];
  }
}
