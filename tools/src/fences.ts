/**
 * Compiles the TypeScript fences of Markdown pages, so that no page shows code that does not compile.
 *
 * Each fence (`ts` or `typescript`) is a module. A name that it neither declares nor imports is taken from the fences before it on the
 * same page, so a page can build up a program. What a reader does not need to see is in HTML comments:
 *
 * - `<!-- fence: prelude`, code, `-->`: a fence that is not shown. For imports and `declare const`.
 * - `<!-- fence: around`, code with a line `...`, `-->`: the code around the next fence. For members of an object or a body.
 * - `<!-- fence: folder examples/simple -->`: relative imports of the fences below are resolved there. For quotes of an example.
 *
 * A fence that is no code, such as a signature, says why in its first line: "```ts fragment: the signature alone". It is not compiled.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { type Declarations, type Declared, declarationsOf } from "./declared-names.ts";
import { capture } from "./run.ts";
import { errorsOf } from "./type-messages.ts";
import { type Manifest, publicPackages, root } from "./workspaces.ts";

/** A fence or a prelude of a page. */
export interface Fence {
  /** The line of the page in which the code begins, counted from 1. */
  readonly line: number;
  readonly code: string;
  /** The code around it, of which the line `...` stands for the fence. */
  readonly around?: string;
  /** Where relative imports are resolved; relative to the root. */
  readonly folder?: string;
}

/** What a page holds. */
export interface Page {
  readonly fences: readonly Fence[];
  /** Breaches of the rules above, each as `line: what`. */
  readonly problems: readonly string[];
}

/** A fence as it is compiled. */
interface Module {
  readonly file: string;
  readonly text: string;
  readonly page: string;
  readonly fence: Fence;
  /** The line of the module in which the fence begins, counted from 1. */
  readonly start: number;
  readonly error?: Declarations["error"];
}

const pages: readonly string[] = ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/*/README.md", "bench/README.md"];

/**
 * Compiles all fences of the pages in one run of the compiler.
 * @returns the problems, each as `page:line: what`, and how many fences were compiled
 */
export async function checkFences(
  base: string = root,
  patterns: readonly string[] = pages,
): Promise<{ problems: string[]; fences: number }> {
  const found = globSync(patterns, { cwd: base }).map((page) => page.replaceAll("\\", "/"));
  // Inside of tools, so that what is imported besides our packages (zod, vitest) is found in its node_modules.
  const dir = mkdtempSync(join(root, "tools", ".fences-"));
  try {
    const read = found.toSorted().map((page) => ({ page, ...fencesOf(readFileSync(join(base, page), "utf8")) }));
    const modules = read.flatMap(({ page, fences }) => modulesOf(page, fences, (folder) => relative(dir, join(base, folder))));
    const rules = read.flatMap(({ page, problems }) => problems.map((problem) => `${page}:${problem}`));
    return { problems: [...rules, ...(await compile(dir, modules))], fences: modules.length };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The fences and preludes of a page, in the order of the text. */
export function fencesOf(text: string): Page {
  const fences: Fence[] = [];
  const problems: string[] = [];
  let folder: string | undefined;
  let around: string | undefined;
  const block = /^(?<indent> *)```(?<language>\w+)(?<info>[^\n]*)\n(?<code>.*?)^ *```|^<!-- fence: *(?<rule>\w+)(?<value>.*?)-->/gms;
  for (const { index, groups = {} } of text.matchAll(block)) {
    const line = text.slice(0, index).split("\n").length;
    const add = (code: string): number => fences.push({ line: line + 1, code, ...(around && { around }), ...(folder && { folder }) });
    const { rule, value = "", code = "", indent = "", info = "" } = groups;
    if (rule === "prelude") add(value.replace(/^[^\n]*\n/, ""));
    else if (rule === "folder") folder = value.trim();
    else if (rule === "around") around = value.replace(/^[^\n]*\n/, "");
    else if (rule !== undefined) problems.push(`${line}: there is no rule "fence: ${rule}"; see tools/src/fences.ts`);
    else if (/^(ts|typescript)$/.test(groups["language"] ?? "")) {
      const fragment = /^ fragment(?:: *(?<reason>.*))?$/.exec(info);
      if (fragment === null) add(code.replaceAll(new RegExp(`^${indent}`, "gm"), ""));
      else if (!fragment.groups?.["reason"])
        problems.push(`${line}: a fragment needs a reason, as in "\`\`\`ts fragment: the signature alone"`);
      around = undefined;
    }
  }
  return { fences, problems };
}

function modulesOf(page: string, fences: readonly Fence[], pathTo: (folder: string) => string): Module[] {
  const seen = new Map<string, Declared & { readonly file: string }>();
  return fences.map((fence, index) => {
    const file = `${page.replaceAll(/[^\w]+/g, "-")}-${index + 1}.ts`;
    const [before = "", after = ""] = fence.around?.split(/^ *\.\.\. *\n/m) ?? [];
    const code = `${before}${fence.code}${after}`;
    const { names: declared, error } = declarationsOf(file, code);
    const own = new Set(declared.map(({ name }) => name));
    const words = new Set(code.match(/[\w$]+/g));
    const taken = [...seen.values()].filter(({ name }) => words.has(name) && !own.has(name));
    const imports = taken.map(({ name, isType, file: from }) => `import { ${isType ? "type " : ""}${name} } from "./${from}";`);
    const exports = declared.filter(({ isExported }) => !isExported).map(({ name, isType }) => `${isType ? "type " : ""}${name}`);
    for (const each of declared) seen.set(each.name, { ...each, file });
    const { folder } = fence;
    const resolved = folder === undefined ? code : code.replaceAll(/(\bfrom |\bimport )"\.\//g, `$1"${pathTo(folder)}/`);
    // Behind the code, so that its lines keep their numbers.
    const text = `${resolved}\n${imports.join(" ")} export { ${exports.join(", ")} };\n`;
    return { file, text, page, fence, start: before.split("\n").length, ...(error && { error }) };
  });
}

/** A fence with an error of syntax is not compiled: with one, the compiler would report nothing else about any fence. */
async function compile(dir: string, modules: readonly Module[]): Promise<string[]> {
  const broken = modules.flatMap((module) =>
    module.error === undefined ? [] : [`${placeOf(module, module.error.line)}: ${module.error.message}`],
  );
  const whole = modules.filter(({ error }) => error === undefined);
  if (whole.length === 0) return broken;
  for (const { file, text } of whole) writeFileSync(join(dir, file), text);
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify(tsconfig));
  const { code, output } = await capture("tsc", ["-p", dir, "--pretty", "false"], { cwd: dir });
  const errors = errorsOf(output);
  if (code !== 0 && errors.length === 0) throw new Error(`the compiler failed on the fences:\n${output}`);
  const problems = errors.map(({ file, line, message }) => {
    const module = whole.find((each) => each.file === file);
    return `${module === undefined ? `${file}:${line}` : placeOf(module, line)}: ${message}`;
  });
  return [...new Set([...broken, ...problems])];
}

/** The place in the page. A line outside of the fence is that of the code around it. */
function placeOf({ page, fence, start }: Module, line: number): string {
  const lines = fence.code.trimEnd().split("\n").length;
  return `${page}:${fence.line + Math.min(Math.max(line - start, 0), lines - 1)}`;
}

/** As a user's strict program, with the sources of the packages in place of their builds. */
const tsconfig = {
  extends: "../../tsconfig.base.json",
  compilerOptions: {
    composite: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    noEmit: true,
    allowImportingTsExtensions: true,
    paths: Object.fromEntries(publicPackages().flatMap(({ dir, manifest }) => sourcesOf(`../../${dir}`, manifest))),
  },
  include: ["*.ts"],
};

/** The specifiers of a package and the source files behind them. */
function sourcesOf(dir: string, { name, exports }: Manifest): [string, string[]][] {
  return Object.entries(typeof exports === "object" ? exports : {}).flatMap(([subpath, conditions]) => {
    const isMap = typeof conditions === "object" && conditions !== null && "@treadle/source" in conditions;
    return isMap ? [[`${name}${subpath.slice(1)}`, [join(dir, String(conditions["@treadle/source"]))]]] : [];
  });
}
