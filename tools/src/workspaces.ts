/** Where the workspaces are, for the tools: reads manifests, knows nothing of a package manager. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>> | string;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface Workspace {
  /** Relative to the root, with forward slashes. */
  readonly dir: string;
  readonly manifest: Manifest;
}

/** The folder that holds pnpm-workspace.yaml. */
export const root: string = resolve(import.meta.dirname, "..", "..");

/** All workspaces in the order of their folders; `patterns` as in pnpm-workspace.yaml. */
export function workspaces(base: string = root, patterns: readonly string[] = ["packages/*", "examples/*", "tools", "bench"]): Workspace[] {
  return patterns
    .flatMap((pattern) => globSync(`${pattern}/package.json`, { cwd: base }))
    .map((path) => path.replaceAll("\\", "/").replace(/\/package\.json$/, ""))
    .toSorted()
    .map((dir) => ({ dir, manifest: readManifest(join(base, dir)) }));
}

/** What `npm run pack` publishes: every workspace that is not private. */
export function publicPackages(base: string = root): Workspace[] {
  return workspaces(base).filter(({ manifest }) => manifest.private !== true);
}

/** @throws when the folder has no package.json or it is no JSON, with its path. */
export function readManifest(dir: string): Manifest {
  const path = join(dir, "package.json");
  if (!existsSync(path)) throw new Error(`${path} does not exist`);
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new Error(`cannot read ${path}: ${String(error)}`, { cause: error });
  }
}
