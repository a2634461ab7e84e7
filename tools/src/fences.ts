/**
 * Checks the TypeScript fences of Markdown pages, so that no page shows code that does not compile.
 *
 * A `ts` fence is compiled as a module. A name that it neither declares nor imports is taken from the fences before it on the same
 * page, so a page can build up a program. What a reader does not need to see is in HTML comments:
 *
 * - `<!-- fence: prelude`, code, `-->`: a fence that is not shown. For imports and `declare const`.
 * - `<!-- fence: around`, code with a line `...`, `-->`: the code around the next fence. For members of an object or a body.
 *
 * A `ts` fence that is no code, such as a list of signatures, says why in its first line, as in "ts fragment: signatures". It is not
 * compiled. A `typescript` fence is a quote: each of its paragraphs is in a TypeScript file of an example or of a package's tests,
 * which are compiled and run themselves. Its import lines may be a choice of those in the file.
 */
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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
}

/** What a page holds, in the order of the text. */
export interface Page {
  /** The fences that are compiled, and the preludes. */
  readonly fences: readonly Fence[];
  readonly quotes: readonly Fence[];
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
const quoted: readonly string[] = ["examples/*/*.ts", "packages/*/test/**/*.ts"];

/**
 * Checks all pages, with one run of the compiler.
 * @returns the problems, each as `page:line: what`, and how many fences, preludes and quotes were looked at
 */
export async function checkFences(base: string = root): Promise<{ readonly problems: readonly string[]; readonly fences: number }> {
  const read = textsOf(base, pages).map(({ path, text }) => ({ page: path, ...pageOf(text) }));
  const sources = textsOf(base, quoted).map(({ text }) => text);
  const rules = read.flatMap(({ page, problems }) => problems.map((problem) => `${page}:${problem}`));
  const misquoted = read.flatMap(({ page, quotes }) => quotes.flatMap((quote) => quoteProblems(page, quote, sources)));
  const modules = read.flatMap(({ page, fences }) => modulesOf(page, fences));
  const fences = modules.length + read.flatMap(({ quotes }) => quotes).length;
  return { problems: [...rules, ...misquoted, ...(await compile(modules))], fences };
}

function textsOf(base: string, patterns: readonly string[]): { readonly path: string; readonly text: string }[] {
  const found = globSync(patterns, { cwd: base, exclude: (path) => path.endsWith("node_modules") });
  const paths = found.map((path) => path.replaceAll("\\", "/")).toSorted();
  return paths.map((path) => ({ path, text: readFileSync(join(base, path), "utf8") }));
}

/** What the Markdown text of a page holds. */
export function pageOf(text: string): Page {
  const fences: Fence[] = [];
  const quotes: Fence[] = [];
  const problems: string[] = [];
  let around: string | undefined;
  for (const { index, groups = {} } of text.matchAll(block)) {
    const line = text.slice(0, index).split("\n").length;
    const { rule, indent = "", info = "", language } = groups;
    const code = (groups["code"] ?? groups["hidden"] ?? "").replaceAll(new RegExp(`^${indent}`, "gm"), "");
    const fence: Fence = { line: line + 1, code, ...(around !== undefined && { around }) };
    if (rule === "prelude") fences.push({ line: line + 1, code });
    else if (rule === "around") around = code;
    else if (rule !== undefined) problems.push(`${line}: there is no rule "fence: ${rule}"; see tools/src/fences.ts`);
    else if (language === "typescript") quotes.push(fence);
    else if (info.trim() === "") fences.push(fence);
    else if (!/^ fragment: *\S/.test(info))
      problems.push(`${line}: write "\`\`\`ts", or "\`\`\`ts fragment: " and why this is not compiled`);
    if (rule === undefined) around = undefined;
  }
  return { fences, quotes, problems };
}

/** A fence, or a comment with a rule. */
const block =
  /^(?<indent> *)(?:```(?<language>ts|typescript)\b(?<info>[^\n]*)\n(?<code>.*?)^ *```|<!-- fence: *(?<rule>\w+) *\n?(?<hidden>.*?)-->)/gms;

/** One text for each paragraph that no source has. */
function quoteProblems(page: string, { line, code }: Fence, sources: readonly string[]): string[] {
  return code.split("\n\n").flatMap((paragraph, index, paragraphs) => {
    const wanted = paragraph.trimEnd().replaceAll(/^import .*\n?/gm, "");
    if (sources.some((source) => source.includes(wanted))) return [];
    const at = line + paragraphs.slice(0, index).reduce((lines, before) => lines + before.split("\n").length + 1, 0);
    return [`${page}:${at}: no example and no test has this text; quote one, or write "\`\`\`ts" to compile it`];
  });
}

function modulesOf(page: string, fences: readonly Fence[]): Module[] {
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
    // Behind the code, so that its lines keep their numbers.
    const text = `${code}\n${imports.join(" ")} export { ${exports.join(", ")} };\n`;
    return { file, text, page, fence, start: before.split("\n").length, ...(error && { error }) };
  });
}

/** A fence with an error of syntax is not compiled: with one, the compiler would report nothing else about any fence. */
async function compile(modules: readonly Module[]): Promise<string[]> {
  const broken = modules.flatMap((module) =>
    module.error === undefined ? [] : [`${placeOf(module, module.error.line)}: ${module.error.message}`],
  );
  const whole = modules.filter(({ error }) => error === undefined);
  if (whole.length === 0) return broken;
  // Inside of tools, so that what is imported besides our packages (zod, vitest) is found in its node_modules.
  const dir = mkdtempSync(join(root, "tools", ".fences-"));
  try {
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
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
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
