/** The scripts of managed resources, in a process of their own: packages/managed/test/never-twice/soak.ts. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const PROGRAM = fileURLToPath(new URL("../../packages/managed/test/never-twice/soak.ts", import.meta.url));

/** Runs scripts, which print their figures. Returns whether every invariant held. */
export async function runScripts({ scripts, seed }: { readonly scripts: number; readonly seed: number }): Promise<boolean> {
  const args = ["--conditions=@treadle/source", PROGRAM, "--scripts", String(scripts), "--seed", String(seed)];
  const [code] = (await once(spawn(process.execPath, args, { stdio: "inherit" }), "exit")) as [number | null];
  return code === 0;
}
