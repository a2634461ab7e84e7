/** Builds the public packages and packs them as a registry would serve them; checks what must and must not be inside. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./run.ts";
import { type Manifest, publicPackages, root, type Workspace } from "./workspaces.ts";

/**
 * Packs every public package into `dir`, after a build from nothing: a file left from a deleted source would be packed too.
 * @returns the paths of the tarballs, in the order of the folders
 * @throws when the build fails or a tarball holds what it must not, naming all such entries
 */
export async function packAll(dir: string): Promise<string[]> {
  const packages = publicPackages();
  for (const { dir: folder } of packages) {
    rmSync(join(root, folder, "dist"), { recursive: true, force: true });
    rmSync(join(root, folder, "tsconfig.tsbuildinfo"), { force: true });
  }
  // Not from turbo's cache, which holds what was in `dist` at that time.
  const built = await capture("turbo", ["run", "build", "--force", "--filter=./packages/*", "--output-logs=errors-only"]);
  if (built.code !== 0) throw new Error(`cannot build the packages:\n${built.output}`);
  const tarballs: string[] = [];
  for (const each of packages) tarballs.push(await pack(each, dir));
  return tarballs;
}

async function pack({ dir: folder, manifest: { name, version, exports } }: Workspace, destination: string): Promise<string> {
  const packed = await capture("pnpm", ["pack", "--pack-destination", destination], { cwd: join(root, folder) });
  if (packed.code !== 0) throw new Error(`cannot pack ${name}:\n${packed.output}`);
  const tarball = join(destination, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`);
  // tar is part of Windows 10 and later, macOS and every Linux.
  const listed = await capture("tar", ["-tf", tarball]);
  const manifest = await capture("tar", ["-xOf", tarball, "package/package.json"]);
  if (listed.code !== 0 || manifest.code !== 0) throw new Error(`cannot read ${tarball}:\n${listed.output}${manifest.output}`);
  const problems = tarballProblems(listed.output.split(/\r?\n/).filter(Boolean), manifest.output, exportedPaths(exports));
  if (problems.length > 0) throw new Error(`${tarball} is not fit to be published:\n${problems.map((each) => `  ${each}`).join("\n")}`);
  return tarball;
}

/**
 * What is wrong with a tarball.
 * @param entries the paths inside, each starting with `package/`
 * @param manifest the text of the package.json inside
 * @param subpaths what the package exports in the workspace: the tarball must export the same
 */
export function tarballProblems(entries: readonly string[], manifest: string, subpaths: readonly string[]): string[] {
  const { exports }: { exports?: Record<string, unknown> } = JSON.parse(manifest);
  const targets = JSON.stringify(exports ?? {}).match(/(?<=":")\.\/[^"]+/g) ?? [];
  const wanted = ["package.json", "README.md", "LICENSE", ...targets.map((target) => target.slice(2))].map((path) => `package/${path}`);
  const missing = [...new Set(wanted)].filter((entry) => !entries.includes(entry)).map((entry) => `${entry} is missing`);
  const unwanted = entries
    .filter((entry) => UNWANTED.test(entry) && !TEST_OF_TEMPLATE.test(entry))
    .map((entry) => `${entry} must not be in it`);
  const published = exportedPaths(exports);
  const lost = subpaths.filter((path) => !published.includes(path)).map((path) => `publishConfig.exports lacks "${path}"`);
  const conditions = manifest.includes("@treadle/source")
    ? ["package.json still has the condition @treadle/source, which has no files here"]
    : [];
  const workspace = manifest.includes('"workspace:') ? ["package.json still has a workspace: range"] : [];
  return [...missing, ...unwanted, ...lost, ...conditions, ...workspace];
}

const UNWANTED = /\.test(-d)?\.|\.tsbuildinfo$|\/(test|bench|fixtures|node_modules|\.results)\//;
/** The tests of a project that is made of a template. */
const TEST_OF_TEMPLATE = /^package\/templates\/(?!.*(?:node_modules|\.results)\/).*\.test\.ts$/;

/** The subpaths of an `exports` field. */
export function exportedPaths(exports: Manifest["exports"]): string[] {
  return typeof exports === "object" ? Object.keys(exports) : ["."];
}
