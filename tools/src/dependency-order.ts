/**
 * Checks that packages depend on each other in one direction only, and that they say so.
 *
 * For every workspace: internal dependencies, devDependencies included, stand earlier in {@link packageOrder}; every import of
 * `src`, `test`, `bench` and the root files is declared in the manifest and reaches only what the other package exports; no
 * relative import leaves the folder. A cycle would break turbo and `tsc -b`; an undeclared import works here and fails at the user's.
 */
import { globSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { importsOf } from "./imports.ts";
import { type Manifest, readManifest, root, type Workspace, workspaces } from "./workspaces.ts";

/** Imports all libraries, so only programs import it: the command and the examples. */
const facade = "treadle";

/** The packages, lowest first. Imports go up this list only. The command comes after them: it is a program, and uses what users use. */
const packageOrder: readonly string[] = [
  ..."apimachinery apiserver workqueue client informer reconcile controller testing"
    .concat(" dependents components managed webhooks generators plugins build")
    .split(" ")
    .map((name) => `@treadle/${name}`),
  facade,
  "@treadle/cli",
  "create-treadle",
];

type Field = "dependencies" | "devDependencies" | "peerDependencies" | "optionalDependencies";
const shipped: readonly Field[] = ["dependencies", "peerDependencies", "optionalDependencies"];

/** What one check of one workspace needs to know. */
interface Context {
  readonly base: string;
  readonly workspace: Workspace;
  readonly known: ReadonlyMap<string, Manifest>;
  /** Declared at the root, for tests only: vitest, fast-check. */
  readonly shared: ReadonlySet<string>;
}

/** Every violation as one line `where: what`, in the order of the folders; empty when all is well. */
export function checkDependencyOrder(base: string = root): string[] {
  const all = workspaces(base);
  const known = new Map(all.map(({ manifest }) => [manifest.name, manifest]));
  const shared = new Set(Object.keys(readManifest(base).devDependencies ?? {}));
  return all.flatMap((workspace) => {
    const context: Context = { base, workspace, known, shared };
    return [...manifestProblems(context), ...sourceFiles(context).flatMap((file) => fileProblems(context, file))];
  });
}

function manifestProblems({ workspace: { dir, manifest }, known }: Context): string[] {
  const problems: string[] = [];
  const own = rank(manifest.name);
  if (dir.startsWith("packages/") && own === undefined) {
    problems.push(`${dir}/package.json: ${manifest.name} has no place in the order of packages (tools/src/dependency-order.ts)`);
  }
  for (const field of [...shipped, "devDependencies"] as const) {
    for (const [name, range] of Object.entries(manifest[field] ?? {})) {
      const other = rank(name);
      if (other === undefined && !known.has(name)) continue;
      const where = `${dir}/package.json: ${field}.${name}`;
      if (!known.has(name)) problems.push(`${where} is no workspace`);
      else if (!range.startsWith("workspace:")) problems.push(`${where} must be "workspace:*", not "${range}"`);
      if (dir.startsWith("packages/") && other === undefined) problems.push(`${where}: a package cannot depend on a private workspace`);
      else if (own !== undefined && other !== undefined && other >= own) problems.push(`${where} does not come before ${manifest.name}`);
    }
  }
  return problems;
}

/** The place in the order; examples and tools have none and stand after everything. */
function rank(name: string): number | undefined {
  const index = packageOrder.indexOf(name);
  return index === -1 ? undefined : index;
}

function sourceFiles({ base, workspace: { dir } }: Context): string[] {
  const files = globSync(["*.{ts,mts,mjs}", "{src,test,bench}/**/*.{ts,mts,mjs}"], {
    cwd: join(base, dir),
    exclude: (path) => /(^|[\\/])(node_modules|dist|fixtures)$/.test(path),
  });
  return files.map((file) => file.replaceAll("\\", "/")).toSorted();
}

function fileProblems(context: Context, file: string): string[] {
  const { base, workspace } = context;
  const path = join(base, workspace.dir, file);
  return importsOf(path, readFileSync(path, "utf8")).flatMap(({ specifier, line }) => {
    const problem = specifier.startsWith(".") ? relativeProblem(file, specifier) : packageProblem(context, file, specifier);
    return problem === undefined ? [] : [`${workspace.dir}/${file}:${line}: import of "${specifier}": ${problem}`];
  });
}

function relativeProblem(file: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(file), specifier);
  if (target.startsWith("..")) return "leaves the package; import the other package by its name";
  if (target.startsWith("dist/")) return "dist is built output; import the source";
  if (file.startsWith("src/") && !isTest(file) && !target.startsWith("src/")) return "shipped code reaches outside of src";
  return undefined;
}

function packageProblem({ workspace: { dir, manifest }, known, shared }: Context, file: string, specifier: string): string | undefined {
  if (isBuiltin(specifier)) return specifier.startsWith("node:") ? undefined : `write "node:${specifier}"`;
  const name = specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
  const isShipped = file.startsWith("src/") && !isTest(file) && dir.startsWith("packages/");
  const target = known.get(name);
  if (target !== undefined && !isExported(target, `.${specifier.slice(name.length)}`)) return `${name} does not export it`;
  if (name === manifest.name) return isShipped ? "a package imports its own files by relative paths" : undefined;
  const fields: readonly Field[] = isShipped ? shipped : [...shipped, "devDependencies"];
  if (fields.some((field) => Object.hasOwn(manifest[field] ?? {}, name))) return undefined;
  if (!isShipped && shared.has(name)) return undefined;
  const place = isShipped ? "dependencies" : "dependencies or devDependencies";
  return `${name} is not declared in ${place} of ${dir}/package.json`;
}

function isTest(file: string): boolean {
  return /\.test(-d)?\.m?ts$/.test(file);
}

function isExported({ exports = {} }: Manifest, subpath: string): boolean {
  return typeof exports === "string" ? subpath === "." : Object.hasOwn(exports, subpath);
}

if (import.meta.main) {
  const problems = checkDependencyOrder();
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) console.error(`${problems.length} violations of the dependency order`);
  process.exitCode = problems.length > 0 ? 1 : 0;
}
