/** The expected time of an exploration, and the warnings about a long one. */

/** Measures runs and estimates the time of further ones. */
export class Estimate {
  #runs = 0;
  #firstMs = 0;
  #laterMs = 0;

  /** Runs `work` and measures it. */
  async measured<T>(work: () => Promise<T>): Promise<T> {
    const startedMs = performance.now();
    try {
      return await work();
    } finally {
      const ms = performance.now() - startedMs;
      if (this.#runs === 0) this.#firstMs = ms;
      else this.#laterMs += ms;
      this.#runs++;
    }
  }

  /** Expected real time of so many runs, in milliseconds. The first run compiles code, so later ones count where there are any. */
  msFor(runs: number): number {
    const eachMs = this.#runs > 1 ? this.#laterMs / (this.#runs - 1) : this.#firstMs;
    return Math.round(runs * eachMs);
  }
}

/** Default time limit of a test of vitest: a shorter exploration needs no warning. */
const LONG_MS = 5_000;

/** Warns about a long exploration before it begins, and names the options that bound it. */
export function announce(given: { readonly points: number; readonly remainingMs: number; readonly budgetMs: number | undefined }): void {
  const { points, remainingMs, budgetMs } = given;
  if (remainingMs < LONG_MS) return;
  const bound =
    budgetMs === undefined
      ? 'To bound it, set budgetMs, choose fewer points (e.g. points: ["crash"]), or let the scenario cause fewer writes'
      : `budgetMs ends it after ${seconds(budgetMs)}`;
  process.emitWarning(`explore: ${points} points, expected time ${seconds(remainingMs)}. ${bound}`, "TreadleWarning");
}

/** Runs the reference, and warns when it is long: then nothing is known yet about the number of points. */
export async function withWarning<T>(reference: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => process.emitWarning(LONG_REFERENCE, "TreadleWarning"), LONG_MS);
  try {
    return await reference();
  } finally {
    clearTimeout(timer);
  }
}

const LONG_REFERENCE = `explore: the run without a fault has not ended after ${LONG_MS / 1000} s, and there will be several runs for each of its writes. A periodic operator that writes in every period is watched for ten times horizonMs: lower horizonMs, or let it write only changes. budgetMs and points bound the number of runs`;

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
