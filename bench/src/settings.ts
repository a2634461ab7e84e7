/** What the environment says to the programs that compare operators. */
import { resolve } from "node:path";

/** @throws when BENCH_SIZE is not a known size */
export function sizeName(): "full" | "small" {
  const size = process.env["BENCH_SIZE"] ?? "full";
  if (size !== "full" && size !== "small") throw new Error(`BENCH_SIZE "${size}" is neither full nor small`);
  return size;
}

/** Where the results are written. */
export function outDir(): string {
  return process.env["BENCH_OUT"] ?? resolve(import.meta.dirname, "..", "..", "docs");
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
