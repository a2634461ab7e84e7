/**
 * The part of `npm run smoke` that makes a project by `create-treadle`, from the tarballs, and does there what a new user does: install, test,
 * check, add, build. In between it tells the story of smoke-story.ts. What `treadle new` makes must need nothing of this repository.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { capture } from "./run.ts";
import { smokeStory } from "./smoke-story.ts";

const ADDITIONS = [
  "resource Database",
  "step read-input --for Website",
  "component web-interface --for Website",
  "dependents addresses --for Website",
  "managed Bucket",
  "webhook website-rules --for Website",
] as const;

/** Makes the project in `dir`. `consumer` has the tarballs installed. @throws Error with the output of the command that failed */
export async function smokeNew(dir: string, consumer: string, tarballs: readonly string[]): Promise<void> {
  const startedMs = performance.now();
  const project = join(dir, "website-operator");
  const run = async (cwd: string, command: string, ...args: readonly string[]): Promise<string> => {
    const { code, output } = await capture(command, args, { cwd });
    if (code !== 0) throw new Error(`smoke: ${command} ${args.join(" ")} in ${cwd} ended with ${code}:\n${output}`);
    return output;
  };
  await run(dir, join(consumer, "node_modules", ".bin", "create-treadle"), "website-operator", "--yes", "--package-manager", "npm");
  const newMs = performance.now() - startedMs;
  // The ranges of the project are those of a registry. Our packages are in none yet.
  const { devDependencies }: { devDependencies: Record<string, string> } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  if (!/^\^\d+\.\d+\.\d+$/.test(devDependencies["@treadle/cli"] ?? ""))
    throw new Error("smoke: the project names no version of @treadle/cli");
  await run(project, "npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error", ...tarballs);
  await run(project, "npm", "test");
  await run(project, "npm", "run", "check");
  await smokeStory(project, newMs);
  for (const addition of ADDITIONS) await run(project, "npx", "treadle", "new", ...addition.split(" "));
  await run(project, "npm", "run", "check");
  await run(project, "npm", "test", "--", "read-input", "web-interface", "addresses", "bucket", "website-rules");
  await run(project, "npm", "run", "build");
  if (!existsSync(join(project, "dist", "main.mjs")))
    throw new Error("smoke: npm run build wrote no dist/main.mjs, which the Dockerfile starts");
  const upgraded = await run(project, "npx", "treadle", "upgrade");
  if (!upgraded.includes("already")) throw new Error(`smoke: a new project has something to upgrade:\n${upgraded}`);
  console.log(`smoke: made, tested, extended and built a project in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
}
