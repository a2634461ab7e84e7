/**
 * Runs patterns within a time. RE2 needs linear time for each pattern. JavaScript can need exponential time, which would block
 * the server.
 */
import { type Context, createContext, Script } from "node:vm";

/** Most time of one run of a pattern, in milliseconds. */
const MAX_MS = 500;
/** The same for a pattern that has used up its time: an object can have thousands of texts for it. */
const SLOW_MS = 2;
/** Most patterns that are remembered as slow. */
const MAX_SLOW = 1000;

const slow = new Set<string>();

/** A pattern that JavaScript cannot run in a reasonable time. */
export class PatternTimeError extends Error {
  constructor(pattern: RegExp) {
    super(`the pattern '${pattern.source}' needs too much time on a text`);
    this.name = "PatternTimeError";
  }
}

/** Runs a pattern on a text. @throws PatternTimeError */
export function runPattern<T>(pattern: RegExp, text: string, run: () => T): T {
  if (!isRisky(pattern.source, text)) return run();
  context ??= createContext();
  context["run"] = run;
  try {
    return SCRIPT.runInContext(context, { timeout: slow.has(pattern.source) ? SLOW_MS : MAX_MS }) as T; // the result of `run`
  } catch (error) {
    // An error of the other context is no instance of this one's Error.
    if ((error as { readonly code?: unknown } | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    if (slow.size >= MAX_SLOW) slow.clear();
    slow.add(pattern.source);
    throw new PatternTimeError(pattern);
  } finally {
    context["run"] = undefined;
  }
}

/** Made at the first use, which takes a millisecond. */
let context: Context | undefined;

const SCRIPT = new Script("run()");

/** Reports whether a run can be slow: a repetition after a group on any text, or several repetitions on a long one. */
function isRisky(source: string, text: string): boolean {
  if (/\)[*+{]/.test(source)) return text.length > SHORT;
  return text.length > LONG && /[*+{].*[*+{]/s.test(source);
}

/** Characters up to which 2^n steps of a pattern take milliseconds. */
const SHORT = 16;
/** Characters up to which n^2 steps of a pattern take milliseconds. */
const LONG = 1000;
