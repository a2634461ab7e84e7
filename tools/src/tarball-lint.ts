/**
 * `npm run check -- tarballs`: packs all public packages and lets publint and attw ("Are the types wrong?") look at the tarballs.
 * publint finds what a bundler or Node cannot load, attw what TypeScript resolves otherwise than Node. Both judge what a registry
 * would serve, not the workspace.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { capture } from "./run.ts";
import { packAll } from "./tarballs.ts";

/** The tools, each with the arguments that come before the tarball. The packages are for ES modules only. */
const linters: readonly (readonly [string, ...string[]])[] = [
  ["publint", "run", "--strict"],
  ["attw", "--profile", "esm-only", "--no-emoji", "--no-color"],
];

/** What the tools say about a tarball, one text for each tool that finds a problem; empty when none does. */
export async function lintTarball(tarball: string): Promise<string[]> {
  const problems: string[] = [];
  for (const [command, ...args] of linters) {
    const { code, output } = await capture(command, [...args, tarball]);
    if (code !== 0) problems.push(`${basename(tarball)}: ${command} reports:\n${output.trim()}`);
  }
  return problems;
}

if (import.meta.main) {
  const dir = mkdtempSync(join(tmpdir(), "treadle-tarballs-"));
  try {
    const tarballs = await packAll(dir);
    const problems: string[] = [];
    for (const tarball of tarballs) problems.push(...(await lintTarball(tarball)));
    for (const problem of problems) console.error(problem);
    console.log(`${tarballs.length} tarballs, ${problems.length} problems`);
    process.exitCode = problems.length > 0 ? 1 : 0;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}
