/** Builds a program: bundle, files, code, launcher and list of contents. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { OperatorBuildError } from "./build-error.ts";
import { AwaitsInModule, type Bundle, bundle } from "./bundle/bundle.ts";
import { filesIn, NamedFiles } from "./bundle/files.ts";
import { type Finding, isInstalled, shownFinding } from "./bundle/findings.ts";
import { Packages } from "./bundle/packages.ts";
import { codeOf } from "./output/code.ts";
import { checkOutFolder, type OutputFile, writeOutFolder } from "./output/out-folder.ts";
import { sbom } from "./output/sbom.ts";

/** Options of {@link buildOperator}. */
export interface BuildOptions {
  /** The program: a file of TypeScript or JavaScript, relative to `cwd`. */
  readonly entry: string;
  /** Folder of the output, relative to `cwd`. It must be new, empty, or of an earlier build. @defaultValue "dist" */
  readonly out?: string;
  /** Folder to which paths in messages and source maps are relative. @defaultValue `process.cwd()` */
  readonly cwd?: string;
  /** Packages that are left out. Their import fails at run time, as if they were not installed. @defaultValue none */
  readonly omit?: readonly string[];
}

/** What a build has written. */
export interface BuildResult {
  /** The program to be given to `node`. */
  readonly program: string;
  /** All files with their sizes in bytes, by their path in the folder of the output. */
  readonly files: ReadonlyMap<string, number>;
  /** Number of packages of which code is in the output. */
  readonly packages: number;
  /** Whether V8's code is part of the output. It is not if a module other than the entry awaits at its top. */
  readonly hasCode: boolean;
  /** Parts of installed packages that do not work in a bundle, each as one line. */
  readonly warnings: readonly string[];
}

const ENTRY = /\.[cm]?[jt]sx?$/;

/**
 * Builds an operator into a folder that runs by Node alone: `node dist/operator.mjs`. Two builds of the same sources by the same Node give the
 * same bytes. A program that cannot be built writes nothing. When a write fails, the folder is incomplete: build again.
 * @throws OperatorBuildError that names each problem with its place and what to do
 */
export async function buildOperator(options: BuildOptions): Promise<BuildResult> {
  const base = resolve(options.cwd ?? process.cwd());
  const entry = resolve(base, options.entry);
  const out = resolve(base, options.out ?? "dist");
  checkEntry(entry, options.entry);
  checkOutFolder(out);
  const name = basename(entry, extname(entry));
  const context: Context = { base, entry, name, omit: options.omit ?? [], files: new NamedFiles(base), findings: [] };
  const { app, isScripts } = await appOf(context);
  const others = await programsOf(context);
  const launcher = await launcherOf(context, isScripts);
  const warnings = judged(context, [app, ...others.values()]);

  const files = new Map<string, OutputFile>();
  const add = (folder: string, all: ReadonlyMap<string, string | Uint8Array>): void => {
    for (const [path, content] of all) files.set(`${folder}${path}`, { content });
  };
  add("", launcher.files);
  add("app/", app.files);
  if (isScripts) add("", codeOf(scriptsIn(app)));
  for (const [place, each] of others) add(`files/${place.split("/")[0]}/`, each.files);
  const named = context.files.all();
  for (const { source, place, isProgram } of named) if (!isProgram) copy(source, `files/${place}`, files);

  const packages = new Packages();
  const modules = [app, ...others.values(), launcher].flatMap((each) => [...each.modules]);
  const found = [...modules, ...named.map(({ source }) => source)].flatMap((path) => packages.of(path) ?? []);
  const program = packages.of(entry);
  const inside = new Map(found.filter(({ dir }) => dir !== program?.dir).map((each) => [`${each.name}@${each.version}`, each] as const));
  add("", new Map([["sbom.cdx.json", sbom(program, inside.values())]]));
  writeOutFolder(out, files);
  const sizes = Array.from(files, ([path, { content }]) => [path, Buffer.byteLength(content)] as const);
  return { program: join(out, `${name}.mjs`), files: new Map(sizes), packages: inside.size, hasCode: isScripts, warnings };
}

interface Context {
  readonly base: string;
  readonly entry: string;
  readonly name: string;
  readonly omit: readonly string[];
  readonly files: NamedFiles;
  readonly findings: Finding[];
}

function checkEntry(entry: string, given: string): void {
  const refuse = (what: string): never => {
    throw new OperatorBuildError("ERR_BUILD_ENTRY", [`${given} ${what}; name the file that starts the operator, such as operator.ts`]);
  };
  if (!existsSync(entry)) refuse("does not exist");
  if (!statSync(entry).isFile()) refuse("is not a file");
  if (!ENTRY.test(entry)) refuse("is not a file of TypeScript or JavaScript");
}

/** Scripts where it can be. */
async function appOf(context: Context): Promise<{ readonly app: Bundle; readonly isScripts: boolean }> {
  const make = async (form: "scripts" | "modules"): Promise<Bundle> => await bundle({ ...context, form, toFiles: "../files/" });
  try {
    return { app: await make("scripts"), isScripts: true };
  } catch (error) {
    if (!(error instanceof AwaitsInModule)) throw error;
  }
  context.findings.length = 0;
  return { app: await make("modules"), isScripts: false };
}

/** Programs that the program names, and that those name: workers, launchers. */
async function programsOf(context: Context): Promise<ReadonlyMap<string, Bundle>> {
  const made = new Map<string, Bundle>();
  for (;;) {
    const next = context.files.all().find(({ isProgram, place }) => isProgram && !made.has(place));
    if (next === undefined) return made;
    const name = basename(next.place, ".mjs");
    made.set(next.place, await bundle({ ...context, entry: next.source, name, form: "modules", isSingle: true, toFiles: "../" }));
  }
}

async function launcherOf(context: Context, isScripts: boolean): Promise<Bundle> {
  const entry = fileURLToPath(new URL(`./launcher/launcher${extname(import.meta.url)}`, import.meta.url));
  const define = {
    TREADLE_BUILD_ENTRY: JSON.stringify(`${context.name}.${isScripts ? "cjs" : "mjs"}`),
    TREADLE_BUILD_IS_MODULES: String(!isScripts),
    // The launcher is where it says.
    "import.meta.dirname": "import.meta.dirname",
  };
  const made = await bundle({ ...context, entry, form: "modules", isSingle: true, toFiles: "./files/", define, findings: [], omit: [] });
  return { ...made, files: new Map([...made.files].filter(([path]) => !path.endsWith(".map"))) };
}

/** Throws for what cannot be in a bundle. @returns what an installed package has and may not need */
function judged({ base, findings }: Context, bundles: readonly Bundle[]): readonly string[] {
  // The bundler looks at several modules at the same time.
  const included = findings
    .filter(({ module }) => bundles.some(({ reached }) => reached.has(module)))
    .toSorted((a, b) => (a.module === b.module ? a.line - b.line : a.module < b.module ? -1 : 1));
  const [fatal, harmless] = [true, false].map((wanted) =>
    included.filter(({ module, isFatal = false }) => (isFatal || !isInstalled(module)) === wanted),
  );
  const shown = (all: readonly Finding[] = []): string[] => [...new Set(all.map((each) => shownFinding(base, each)))];
  if (fatal !== undefined && fatal.length > 0) throw new OperatorBuildError("ERR_BUILD_UNSUPPORTED", shown(fatal));
  return shown(harmless);
}

function scriptsIn({ files }: Bundle): ReadonlyMap<string, string> {
  return new Map([...files].filter(([path]) => path.endsWith(".cjs")));
}

/** Adds a file, or all files of a folder. */
function copy(source: string, to: string, files: Map<string, OutputFile>): void {
  const add = (path: string, place: string): void => {
    // Plugins are programs.
    const isExecutable = (statSync(path).mode & 0o100) !== 0;
    files.set(place, { content: readFileSync(path), isExecutable });
  };
  if (statSync(source).isFile()) return add(source, to);
  for (const { path, place } of filesIn(source)) add(path, `${to}/${place}`);
}
