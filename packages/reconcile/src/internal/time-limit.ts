/**
 * Ends synchronous work that takes too long. It is for regular expressions over values of clients.
 *
 * The API server checks a `pattern` with RE2, in linear time. JavaScript goes back: `^(a+)+$` needs hours for 40 characters. Neither a limit for
 * the length nor a look at the pattern separates such texts from an ordinary certificate of 100 KB. V8 can end work after a time.
 *
 * Caveats: the work must not leave anything half done, because it ends anywhere. A call costs about a tenth of a millisecond.
 */
import { type Context, createContext, Script } from "node:vm";

/** The time for one attempt, in milliseconds. The check of a large object takes about one. */
const MAX_MS = 50;
/** Attempts that used their time. The second one rules out a long collection of garbage. */
const MAX_SPENT = 2;
/** Attempts together. A process that gets little time of the CPU has more of them. */
const MAX_ATTEMPTS = 20;

/** Runs synchronous work, such as regular expressions over texts of users, within a limit of time. */
export class TimeLimit {
  readonly #work: { run: (() => void) | undefined } = { run: undefined };
  readonly #script = new Script("run()");
  #context: Context | undefined;

  /** Returns the result of `work`, or `undefined` when it takes longer than 50 ms twice. @throws what `work` throws */
  run<T>(work: () => T): { readonly result: T } | undefined {
    let done: { readonly result: T } | undefined;
    this.#work.run = () => void (done = { result: work() });
    try {
      for (let attempt = 0, spent = 0; attempt < MAX_ATTEMPTS && spent < MAX_SPENT && done === undefined; attempt++)
        if (this.#hasSpent()) spent++;
    } finally {
      this.#work.run = undefined;
    }
    return done;
  }

  /** Makes one attempt. Reports whether it was ended though it had the CPU. */
  #hasSpent(): boolean {
    const before = process.cpuUsage();
    try {
      this.#script.runInContext((this.#context ??= createContext(this.#work)), { timeout: MAX_MS });
      return false;
    } catch (error) {
      if ((error as { readonly code?: unknown } | undefined)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      const { user, system } = process.cpuUsage(before);
      return user + system > MAX_MS * 500; // half of the time, in microseconds
    }
  }
}
