/**
 * API reports: `api-reports.ts [--update]` compares `packages/*\/etc/*.api.md` with what the packages export, or writes them.
 *
 * One report for each package and each named subpath. API Extractor reads the declarations in `dist` with the compiler that it brings
 * along. An exported name or member without a doc comment is an error, and so is a type that is part of a public signature but not
 * exported by any entry point of the package.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { CompilerState, Extractor, ExtractorConfig, ExtractorLogLevel, type ExtractorMessage } from "@microsoft/api-extractor";
import { capture } from "./run.ts";
import { type Manifest, publicPackages, root } from "./workspaces.ts";

/** A subpath that a package exports. */
interface EntryPoint {
  /** Relative to the root, with forward slashes. */
  readonly dir: string;
  readonly declarations: string;
  /** As in `reconcile-unstable-engine`. */
  readonly report: string;
}

interface Prepared {
  readonly entry: EntryPoint;
  readonly config: ExtractorConfig;
}

interface Found {
  readonly entry: EntryPoint;
  readonly message: ExtractorMessage;
}

export interface ApiReportOptions {
  /** Write the reports instead of comparing them. */
  readonly update: boolean;
  /** @defaultValue the root of the workspace */
  readonly base?: string;
}

/** Every problem as one line `where: what`; empty when the reports are up to date and everything in them is documented. */
export function checkApiReports({ update, base = root }: ApiReportOptions): string[] {
  const entries = publicPackages(base).flatMap(({ dir, manifest }) => entryPoints(dir, manifest));
  const unbuilt = entries.filter(({ dir, declarations }) => !existsSync(join(base, dir, declarations)));
  if (unbuilt.length > 0)
    return unbuilt.map(({ dir, declarations }) => `${dir}/${declarations} does not exist; run \`npm run check -- build\``);
  const configs = entries.map((entry) => ({ entry, config: configOf(base, entry) }));
  const [first] = configs;
  if (first === undefined) return [];
  // One program for all of them: most of the time goes into reading declarations that they share.
  const compilerState = CompilerState.create(first.config, {
    additionalEntryPoints: configs.map(({ config }) => config.mainEntryPointFilePath),
  });
  const messages = configs.flatMap(({ entry, config }) => {
    const found: ExtractorMessage[] = [];
    const take = (message: ExtractorMessage): void => {
      message.handled = true;
      found.push(message);
    };
    if (update) mkdirSync(config.reportFolder, { recursive: true });
    const { apiReportChanged } = Extractor.invoke(config, { compilerState, localBuild: update, messageCallback: take });
    const differs = `${reportOf(entry)} differs from what the package exports; run \`npm run check -- api --update\``;
    return [...found.map((message) => ({ entry, message })), ...(apiReportChanged && !update ? [differs] : [])];
  });
  const exported = exportedNames(base, configs);
  const problems = messages.flatMap((each) => {
    if (typeof each === "string") return [each];
    return isExcused(base, each, exported) ? [] : problemOf(base, each.message);
  });
  // A type that two entry points export has its problems once.
  return [...new Set([...problems, ...strayReports(base, entries, update)])];
}

/** The subpaths of a package. Subpaths without declarations, such as `./package.json`, have no report. */
function entryPoints(dir: string, { exports }: Manifest): EntryPoint[] {
  const subpaths = typeof exports === "object" ? Object.entries(exports) : [];
  return subpaths.flatMap(([subpath, conditions]) => {
    const declarations = typeof conditions === "object" && conditions !== null && "types" in conditions ? conditions.types : undefined;
    if (typeof declarations !== "string") return [];
    const path = posix.normalize(declarations);
    const report = `${dir.split("/").at(-1)}${subpath.slice(1).replaceAll("/", "-")}`;
    return [{ dir, declarations: path, report }];
  });
}

function reportOf({ dir, report }: EntryPoint): string {
  return `${dir}/etc/${report}.api.md`;
}

function configOf(base: string, { dir, declarations, report }: EntryPoint): ExtractorConfig {
  const folder = join(base, dir);
  return ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, "package.json"),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, declarations),
      newlineKind: "lf",
      compiler: { overrideTsconfig: { compilerOptions }, skipLibCheck: true },
      apiReport: {
        enabled: true,
        reportFileName: `${report}.api.md`,
        reportFolder: join(folder, "etc"),
        reportTempFolder: join(base, "node_modules", ".cache", "api-reports"),
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      messages: {
        compilerMessageReporting: { default: { logLevel: ExtractorLogLevel.Error } },
        tsdocMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          // Editors show `@param name text` well without one.
          "tsdoc-param-tag-missing-hyphen": { logLevel: ExtractorLogLevel.None },
        },
        extractorMessageReporting: {
          default: { logLevel: ExtractorLogLevel.Error },
          // Every name of an entry point is public; `./unstable/*` says so by its path.
          "ae-missing-release-tag": { logLevel: ExtractorLogLevel.None },
          // Editors resolve `{@link}` by scope; API Extractor refuses overloaded functions and names of other packages.
          "ae-unresolved-link": { logLevel: ExtractorLogLevel.None },
        },
      },
    },
  });
}

/** Without the condition @treadle/source, so that other packages are read as a user has them: by their declarations. */
const compilerOptions = {
  target: "es2024",
  lib: ["es2024", "esnext.disposable", "esnext.collection"],
  types: ["node"],
  module: "nodenext",
  moduleResolution: "nodenext",
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: true,
};

/** The line to show; none for a message that is not a problem. */
function problemOf(base: string, message: ExtractorMessage): string[] {
  if (message.logLevel !== ExtractorLogLevel.Error && message.logLevel !== ExtractorLogLevel.Warning) return [];
  const { sourceFilePath, sourceFileLine, messageId, text } = message;
  // A report that differs has a problem of its own, which names the command.
  if (messageId.startsWith("console-")) return [];
  // The signature of an index says all, and a brand that is a sentence is its own text.
  if (messageId === "ae-undocumented" && /"__index"|""/.test(text)) return [];
  const where = sourceFilePath === undefined ? "" : `${relative(base, sourceFilePath).replaceAll("\\", "/")}:${sourceFileLine}: `;
  return [`${where}${text.replaceAll(/\s+/g, " ")} (${messageId})`];
}

/** The names that each package exports by any of its entry points, read from the reports just made. */
function exportedNames(base: string, configs: readonly Prepared[]): ReadonlySet<string> {
  const declaration = /^export (?:declare )?(?:abstract )?(?:class|const|enum|function|interface|namespace|type) ([\w$]+)/gm;
  return new Set(
    configs.flatMap(({ entry, config }) => {
      const text = readFileSync(config.reportTempFilePath, "utf8");
      return Array.from(text.matchAll(declaration), ([, name]) => `${entry.dir} ${name}`);
    }),
  );
}

/**
 * Whether a message asks for the export of a type that a user never has to import from this entry point: another one of the package
 * exports it, or it is only computed with. The compiler shows the result of `Join<A, B>`, and what stands behind an alias of `any` or of any string.
 */
function isExcused(base: string, { entry, message }: Found, exported: ReadonlySet<string>): boolean {
  if (message.messageId !== "ae-forgotten-export") return false;
  // API Extractor numbers equal names.
  const name = /^The symbol "([\w$]+?)(?:_\d+)?"/.exec(message.text)?.[1] ?? "";
  if (exported.has(`${entry.dir} ${name}`)) return true;
  const declaration = new RegExp(String.raw`^(?:export )?(?:declare )?type ${name}(?:<| = (?:any|string & \{\});)`, "m");
  const files = globSync("dist/**/*.d.ts", { cwd: join(base, entry.dir) });
  return files.some((file) => declaration.test(readFileSync(join(base, entry.dir, file), "utf8")));
}

/** Reports of entry points that no longer exist; `update` removes them. */
function strayReports(base: string, entries: readonly EntryPoint[], update: boolean): string[] {
  const wanted = new Set(entries.map(reportOf));
  const found = globSync("packages/*/etc/*.api.md", { cwd: base }).map((path) => path.replaceAll("\\", "/"));
  const stray = found.filter((path) => !wanted.has(path)).toSorted();
  if (!update) return stray.map((path) => `${path} belongs to no entry point; run \`npm run check -- api --update\``);
  for (const path of stray) rmSync(join(base, path));
  return [];
}

if (import.meta.main) {
  // Incremental: about a second when `npm run check` has built before.
  const built = await capture("tsc", ["-b", "--pretty", "false"]);
  const problems = built.code === 0 ? checkApiReports({ update: process.argv.includes("--update") }) : [built.output];
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} problems of the API reports`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
