/**
 * What is changed in the sources: a bundle has another place than its modules. Files that `new URL()` names get their new names,
 * `import.meta.main` its value, and `createRequire(import.meta.url)` becomes a `require` that the bundler sees. What a bundle cannot have is a
 * finding.
 */
import { extname } from "node:path";
import type { NamedFiles } from "./files.ts";
import { type Finding, isInstalled } from "./findings.ts";
import { child, children, cookedOf, type Edit, importMetaOf, isIdentifier, lineOf, type SyntaxNode, textOf, walk } from "./syntax.ts";

/** A module and where the edits and findings go. */
export interface SourceModule {
  readonly id: string;
  readonly code: string;
  readonly isEntry: boolean;
  readonly files: NamedFiles;
  /** From a chunk to the folder of the files, as in `../files/`. */
  readonly toFiles: string;
}

/** The edits and findings of a module. */
export interface Changes {
  readonly edits: readonly Edit[];
  readonly findings: readonly Finding[];
}

const NAME_FILES = 'name files by new URL("./x", import.meta.url), so that they are copied beside the bundle';

/** Texts without which a module needs no look. */
export const WORTH_A_LOOK: RegExp = /import\.meta|import\s*\(|\brequire\b|__dirname|__filename/;

/** What is to be changed in a module, and what cannot be. */
export function changesOf(module: SourceModule, program: SyntaxNode): Changes {
  const look = new Look(module, program);
  walk(program, (node, above) => look.at(node, above));
  return look;
}

class Look implements Changes {
  readonly edits: Edit[] = [];
  readonly findings: Finding[] = [];
  readonly #module: SourceModule;
  readonly #isEsm: boolean;
  /** Names of `const name = createRequire(import.meta.url)`. */
  readonly #requires = new Set<string>();
  /** Nodes that a node above has dealt with. */
  readonly #done = new Set<SyntaxNode>();

  constructor(module: SourceModule, program: SyntaxNode) {
    this.#module = module;
    this.#isEsm = children(program, "body").some(({ type }) => /^(Import|Export)/.test(type));
    walk(program, (node) => {
      if (node.type === "VariableDeclarator" && isCreateRequire(child(node, "init"))) this.#takeRequire(node);
    });
  }

  at(node: SyntaxNode, above: readonly SyntaxNode[]): void {
    if (this.#done.has(node)) return;
    if (node.type === "NewExpression") this.#url(node);
    else if (node.type === "ImportExpression") this.#import(node);
    else if (node.type === "CallExpression") this.#call(node, above);
    else if (node.type === "MemberExpression") this.#member(node, above.at(-1));
    else if (node.type === "MetaProperty") this.#meta(node, above.at(-1));
    else if (node.type === "Identifier") this.#identifier(node, above.at(-1));
  }

  /** `new URL("./x", import.meta.url)`. */
  #url(node: SyntaxNode): void {
    const [name, base] = children(node, "arguments");
    if (!isIdentifier(child(node, "callee"), "URL") || name === undefined || importMetaOf(base) !== "url") return;
    this.#skip(node);
    const text = this.#nameOf(name);
    if (text === undefined) return this.#find(node, "new URL() has a name that is computed", "write each name as a text");
    const file = this.#module.files.add(this.#module.id, text);
    if (file === undefined) return;
    if ("problem" in file) return this.#find(node, file.problem, "correct the name, or create the file", { isFatal: true });
    const slash = text.endsWith("/") ? "/" : "";
    const to = file.place.split("/").map(encodeURIComponent).join("/");
    this.edits.push({ start: name.start, end: name.end, text: JSON.stringify(`${this.#module.toFiles}${to}${slash}`) });
  }

  /** A text, or a template whose expressions are the extension of the module itself. */
  #nameOf(node: SyntaxNode): string | undefined {
    const text = textOf(node);
    if (text !== undefined || node.type !== "TemplateLiteral") return text;
    const isExtension = (each: SyntaxNode): boolean =>
      each.type === "CallExpression" &&
      isIdentifier(child(each, "callee"), "extname") &&
      importMetaOf(children(each, "arguments")[0]) === "url";
    if (!children(node, "expressions").every(isExtension)) return undefined;
    return children(node, "quasis").map(cookedOf).join(extname(this.#module.id));
  }

  #import(node: SyntaxNode): void {
    if (textOf(child(node, "source")) !== undefined) return;
    this.#find(node, "import() has a name that is computed, so its module is not in the bundle", "write each name as a text");
  }

  #call(node: SyntaxNode, above: readonly SyntaxNode[]): void {
    const callee = child(node, "callee");
    const isDirect = isCreateRequire(callee);
    const isNamed = callee?.type === "Identifier" && this.#requires.has(String(callee["name"]));
    const isPlain = isIdentifier(callee, "require") && !isNamed && !this.#isEsm && !hasOwnRequire(above);
    if (callee === undefined || (!isDirect && !isNamed && !isPlain)) return;
    const [name] = children(node, "arguments");
    this.#skip(callee);
    if (textOf(name) === undefined)
      this.#find(node, "require() has a name that is computed, so its module is not in the bundle", "write each name as a text");
    else if (!isPlain) this.edits.push({ start: callee.start, end: callee.end, text: "require" });
  }

  #member(node: SyntaxNode, parent: SyntaxNode | undefined): void {
    const name = importMetaOf(node);
    if (name === "main") this.edits.push({ start: node.start, end: node.end, text: String(this.#module.isEntry) });
    else if (name === "dirname" || name === "filename") this.#find(node, `import.meta.${name} is the place of the bundle`, NAME_FILES);
    else if (name === "resolve") this.#find(node, "import.meta.resolve() looks for packages, and a bundle has none", NAME_FILES);
    else if (name === "url" && !isCreateRequire(parent))
      this.#find(node, "import.meta.url is the place of the bundle", `${NAME_FILES}; for "is this the program", use import.meta.main`);
    const object = child(node, "object");
    if (object?.type !== "Identifier" || !this.#requires.has(String(object["name"]))) return;
    this.#skip(object);
    this.#find(node, "require.resolve() looks for packages, and a bundle has none", NAME_FILES);
  }

  /** `import.meta` itself: its fields are read elsewhere. */
  #meta(node: SyntaxNode, parent: SyntaxNode | undefined): void {
    if (!isIdentifier(child(node, "meta"), "import") || importMetaOf(parent) !== undefined || isInstalled(this.#module.id)) return;
    this.#find(node, "import.meta has the place of the bundle", `write import.meta with the name of its field; ${NAME_FILES}`);
  }

  #identifier(node: SyntaxNode, parent: SyntaxNode | undefined): void {
    const name = String(node["name"]);
    const isKey = (parent?.type === "Property" && child(parent, "key") === node) || parent?.type === "MemberExpression";
    // Packages have it in parts that are never called; a bundle that warned of each of them would not be read.
    if ((name === "__dirname" || name === "__filename") && !isKey && !isInstalled(this.#module.id))
      this.#find(node, `${name} is the place of the bundle`, NAME_FILES);
  }

  /** The name of such a constant must not hide the `require` of the bundler. */
  #takeRequire(node: SyntaxNode): void {
    const id = child(node, "id");
    if (id?.type !== "Identifier") return;
    const name = String(id["name"]);
    this.#requires.add(name);
    this.#skip(id);
    if (name === "require") this.edits.push({ start: id.start, end: id.end, text: "requireOfNode" });
  }

  /** Nothing below the node is looked at again. */
  #skip(node: SyntaxNode): void {
    walk(node, (each) => void this.#done.add(each));
  }

  #find(node: SyntaxNode, what: string, fix: string, { isFatal = false } = {}): void {
    this.findings.push({ module: this.#module.id, line: lineOf(this.#module.code, node.start), what, fix, isFatal });
  }
}

/** `createRequire(import.meta.url)`. */
function isCreateRequire(node: SyntaxNode | undefined): boolean {
  return (
    node?.type === "CallExpression" &&
    isIdentifier(child(node, "callee"), "createRequire") &&
    importMetaOf(children(node, "arguments")[0]) === "url"
  );
}

/** Bundles in packages give their modules a `require` as a parameter. */
function hasOwnRequire(above: readonly SyntaxNode[]): boolean {
  return above.some((node) => children(node, "params").some((each) => isIdentifier(each, "require")));
}
