/** What the command line and the environment say to the programs that compare operators. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

const SIZES = ["full", "quick"] as const;

/** The form of a run: `full` is for the published page, `quick` for a developer before and after a change. */
export type Size = (typeof SIZES)[number];

/** What one call of a program asks for. */
export interface Settings {
  readonly size: Size;
  /** Whether profiles are written instead of results. */
  readonly isProfile: boolean;
  /** The folder for what is written. It exists. */
  readonly out: string;
  /** Names of operators; absent where the program decides. */
  readonly names?: readonly string[];
}

/**
 * Reads `--quick` and `--profile`, and BENCH_SIZE, BENCH_OUT and BENCH_PEERS. A run with profiles is quick unless BENCH_SIZE names
 * another size. Only a full run without profiles writes to docs/ when BENCH_OUT is absent; the others write to bench/dist.
 * @throws when an option or the size is unknown
 */
export function settings(args: readonly string[] = process.argv.slice(2), env: NodeJS.ProcessEnv = process.env): Settings {
  const { values } = parseArgs({ args: [...args], options: { quick: { type: "boolean" }, profile: { type: "boolean" } } });
  const isProfile = values.profile === true;
  const size = values.quick === true ? "quick" : (env["BENCH_SIZE"] ?? (isProfile ? "quick" : "full"));
  if (!isSize(size)) throw new Error(`BENCH_SIZE is "${size}"; it can be ${SIZES.join(" or ")}`);
  const bench = resolve(import.meta.dirname, "..");
  const isPublished = size === "full" && !isProfile;
  const out = env["BENCH_OUT"] ?? (isPublished ? resolve(bench, "..", "docs") : join(bench, "dist", isProfile ? "profiles" : size));
  mkdirSync(out, { recursive: true });
  const names = env["BENCH_PEERS"]?.split(",");
  return { size, isProfile, out, ...(names === undefined ? {} : { names }) };
}

function isSize(text: string): text is Size {
  return (SIZES as readonly string[]).includes(text);
}

/** Writes lines with the minutes since now. */
export function logger(): { readonly log: (line: string) => void; readonly elapsedMs: () => number } {
  const startedAt = Date.now();
  const elapsedMs = (): number => Date.now() - startedAt;
  return { elapsedMs, log: (line) => console.log(`bench ${(elapsedMs() / 60_000).toFixed(1)} min: ${line}`) };
}

/** Runs a program, and ends the process. */
export async function measuring(program: () => Promise<void>): Promise<never> {
  try {
    await program();
  } catch (error) {
    console.error(error);
    process.exitCode = 1;
  }
  // What was interrupted may still wait for something.
  return process.exit();
}

/** The first line of what an error says. */
export function textOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split("\n")[0] ?? "";
}

/** Rejects at the first SIGINT or SIGTERM. The second one ends the process at once. */
export function interruption(): { readonly signal: AbortSignal; readonly interrupted: Promise<never> } {
  const controller = new AbortController();
  const interrupted = new Promise<never>((_, reject) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const)
      process.on(signal, () => {
        if (controller.signal.aborted) process.exit(1);
        controller.abort(new Error(`interrupted by ${signal}`));
        reject(controller.signal.reason);
      });
  });
  interrupted.catch(() => undefined);
  return { signal: controller.signal, interrupted };
}
