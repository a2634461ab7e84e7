/**
 * The part of `npm run smoke` that starts the program `treadle` from the tarballs, as npm and pnpm link it. Two packages have a program of that name:
 * the facade and the command. Each of them must lead to the command, and the facade alone must say how to get it.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./run.ts";
import { publicPackages } from "./workspaces.ts";

/** Starts the programs. `consumer` has all tarballs, installed by npm. @throws Error with the output of the program that fails */
export async function smokeBins(consumer: string, packed: readonly string[]): Promise<void> {
  await expectCommand(consumer);
  // Not inside of it, where Node would find its node_modules.
  await expectCommand(await installedByPnpm(join(consumer, "..", "pnpm"), packed, ["treadle", "@treadle/cli"]));
  await expectAdvice(await installedByPnpm(join(consumer, "..", "pnpm-facade"), packed, ["treadle"]));
  console.log("smoke: treadle starts from both packages, by npm and pnpm");
}

async function installedByPnpm(dir: string, packed: readonly string[], names: readonly string[]): Promise<string> {
  const files = publicPackages().map(({ manifest: { name, version } }) => {
    const end = `${name.replace("@", "").replace("/", "-")}-${version}.tgz`;
    return [name, `file:${packed.find((path) => path.endsWith(`/${end}`)) ?? end}`];
  });
  mkdirSync(dir);
  // The registry has no such versions. Nothing is hoisted: the strictest way to install.
  const workspace = { packages: [], hoist: false, overrides: Object.fromEntries(files) };
  writeFileSync(join(dir, "pnpm-workspace.yaml"), JSON.stringify(workspace));
  const dependencies = Object.fromEntries(files.filter(([name = ""]) => names.includes(name)));
  writeFileSync(join(dir, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module", dependencies }));
  const { code, output } = await capture("pnpm", ["install", "--ignore-scripts", "--no-frozen-lockfile"], { cwd: dir });
  if (code !== 0) throw new Error(`smoke: pnpm install of ${names.join(" and ")} ended with ${code}:\n${output}`);
  return dir;
}

/** Runs what the package manager linked, and then the program of the facade, which it may have linked instead. */
async function expectCommand(dir: string): Promise<void> {
  const linked = join(dir, "node_modules", ".bin", "treadle");
  const ofFacade = join(dir, "node_modules", "treadle", "dist", "treadle-bin.js");
  for (const [program, ...args] of [[linked], [process.execPath, ofFacade]] as const) {
    const { code, output } = await capture(program, [...args, "explain", "web"], { cwd: dir });
    if (code !== 2 || !output.includes('"web" names no object'))
      throw new Error(`smoke: ${program} in ${dir} ended with ${code}:\n${output}`);
  }
}

async function expectAdvice(dir: string): Promise<void> {
  const { code, output } = await capture(join(dir, "node_modules", ".bin", "treadle"), ["explain", "web"], { cwd: dir });
  if (code !== 2 || !output.includes("npm install -D @treadle/cli"))
    throw new Error(`smoke: treadle without @treadle/cli ended with ${code}:\n${output}`);
}
