/** One call of the bundler: a program and what it reaches, as scripts or as modules. */
import { SourceMap, type SourceMapping, type SourceMapPayload } from "node:module";
import { dirname, join, resolve } from "node:path";
import { rolldown, type OutputChunk } from "rolldown";
import { OperatorBuildError } from "../build-error.ts";
import type { NamedFiles } from "./files.ts";
import { type Finding, shownPath } from "./findings.ts";
import { sourcesPlugin } from "./plugin.ts";
import { lineOf, parse, walk } from "./syntax.ts";

/** What to bundle and how. */
export interface BundleOptions {
  readonly entry: string;
  /** The name of the first file, without extension. */
  readonly name: string;
  /** The folder to which paths are relative. */
  readonly base: string;
  /** Scripts are functions for the launcher, for which V8's code is kept. Modules are files that Node imports. */
  readonly form: "scripts" | "modules";
  /** Everything in one file. */
  readonly isSingle?: boolean;
  readonly files: NamedFiles;
  /** From the bundle to the folder of the files. */
  readonly toFiles: string;
  readonly omit: readonly string[];
  readonly findings: Finding[];
  readonly define?: Readonly<Record<string, string>>;
}

/** The files of a bundle, and the modules of which code is in it. */
export interface Bundle {
  readonly files: ReadonlyMap<string, string>;
  readonly modules: ReadonlySet<string>;
  /** Those, and the modules that have no code of their own. */
  readonly reached: ReadonlySet<string>;
}

/** A top-level await outside of the entry, which scripts cannot have. */
export class AwaitsInModule extends Error {}

/** The parameters of the function that a script is. */
const PARAMETERS = "exports, require, module, __filename, __dirname";

/** Bundles. @throws OperatorBuildError for sources that do not parse or link; AwaitsInModule */
export async function bundle(options: BundleOptions): Promise<Bundle> {
  const { base, name, form, isSingle = false } = options;
  const isScript = form === "scripts";
  const extension = isScript ? "cjs" : "mjs";
  const conditions = conditionsOf(process.execArgv, process.env["NODE_OPTIONS"] ?? "");
  const build = await rolldown({
    input: { [name]: options.entry },
    cwd: base,
    platform: "node",
    // Another chunk must not import that of the entry, which may never end.
    preserveEntrySignatures: "strict",
    resolve: conditions.length === 0 ? {} : { conditionNames: [...conditions, "node"] },
    transform: { define: { ...options.define } },
    onLog: () => undefined,
    plugins: [sourcesPlugin({ ...options, isScript })],
  });
  try {
    const { output } = await build.generate({
      dir: join(base, "dist"),
      format: isScript ? "cjs" : "es",
      strict: true,
      exports: "named",
      charset: "ascii",
      keepNames: true,
      comments: false,
      // Lines and names stay, so that a stack can be read without a map.
      minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
      entryFileNames: `[name].${extension}`,
      chunkFileNames: `[name]-[hash].${extension}`,
      ...(isSingle ? { codeSplitting: false } : {}),
      sourcemap: "hidden",
      sourcemapExcludeSources: true,
      sourcemapPathTransform: (source, map) => shownPath(base, resolve(dirname(map), source)),
      ...(isScript ? { postBanner: `(function (${PARAMETERS}) {`, postFooter: "})" } : {}),
    });
    const chunks = output.filter((each): each is OutputChunk => each.type === "chunk");
    const decorated = chunks.flatMap((chunk) => decoratorsOf(chunk));
    if (decorated.length > 0) throw new OperatorBuildError("ERR_BUILD_SOURCE", decorated);
    const maps = chunks.flatMap(({ fileName, map }) => (map === null ? [] : [[`${fileName}.map`, map.toString()] as const]));
    const all = chunks.flatMap(({ modules }) => Object.entries(modules));
    const withCode = all.filter(([, { renderedLength }]) => renderedLength > 0);
    return {
      files: new Map([...chunks.map(({ fileName, code }) => [fileName, code] as const), ...maps]),
      modules: new Set(withCode.map(([id]) => id)),
      reached: new Set([options.entry, ...all.map(([id]) => id)]),
    };
  } catch (error) {
    throw failure(error, base);
  } finally {
    await build.close();
  }
}

/** The conditions of this process: `node --conditions=x` resolves for the build as for itself. */
function conditionsOf(execArgv: readonly string[], nodeOptions: string): string[] {
  const text = [...execArgv, ...nodeOptions.split(/\s+/)].join("\n");
  return [...new Set(Array.from(text.matchAll(/^(?:--conditions|-C)[=\n](.+)$/gm), ([, name]) => name ?? ""))];
}

/** Decorators that the bundler leaves as they are: no Node runs them. */
function decoratorsOf({ code, map, fileName }: OutputChunk): readonly string[] {
  const program = /^\s*@|[\s(]@[\w(]/m.test(code) ? parse(code, fileName) : undefined;
  if (program === undefined) return [];
  const problems = new Set<string>();
  walk(program, (node) => {
    if (node.type !== "Decorator") return;
    const line = lineOf(code, node.start);
    const column = node.start - (code.lastIndexOf("\n", node.start - 1) + 1);
    const origin: Partial<SourceMapping> =
      map === null ? {} : new SourceMap(JSON.parse(map.toString()) as SourceMapPayload).findEntry(line - 1, column);
    const { originalSource = fileName, originalLine = line - 1 } = origin;
    problems.add(
      `${originalSource}:${originalLine + 1}: Node has no decorators; call the function, or set experimentalDecorators in tsconfig.json if it is of that form`,
    );
  });
  return [...problems];
}

interface BundlerError {
  readonly code?: string;
  readonly message: string;
  readonly id?: string;
  readonly loc?: { readonly file?: string; readonly line: number };
}

function failure(error: unknown, base: string): unknown {
  const errors = bundlerErrors(error);
  if (errors.length === 0) return error;
  if (errors.every(({ code }) => code === "INVALID_TLA_FORMAT")) return new AwaitsInModule();
  const problems = errors.map((each) => problemOf(each, base));
  return new OperatorBuildError("ERR_BUILD_SOURCE", [...new Set(problems)], { cause: error });
}

function bundlerErrors(error: unknown): readonly BundlerError[] {
  const has = typeof error === "object" && error !== null && "errors" in error && Array.isArray(error.errors);
  return has ? (error.errors as readonly BundlerError[]) : [];
}

/** The bundler draws a picture of the place; one sentence is enough. */
function problemOf({ message, id, loc }: BundlerError, base: string): string {
  // oxlint-disable-next-line no-control-regex -- colours are control characters
  const plain = message.replaceAll(/\u001b\[[0-9;]*m/g, "");
  const what = (plain.split("\n")[0] ?? plain).replace(/^(?:Error: )?\[[A-Z_]+\] ?/, "").replace(/[.;]$/, "");
  const drawn = /\[ (.+):(\d+):\d+ \]/.exec(plain);
  const file = loc?.file ?? id ?? (drawn?.[1] === undefined ? undefined : resolve(base, drawn[1]));
  const line = loc?.line ?? drawn?.[2];
  const where = file === undefined ? "" : `${shownPath(base, file)}${line === undefined ? "" : `:${line}`}: `;
  return `${where}${what}; correct the source`;
}
