/** A program of the suite in a process of its own, with a channel to it. */
import { type ChildProcess, fork } from "node:child_process";
import { fileURLToPath } from "node:url";

const ENDS_WITHIN_MS = 20_000;
const KEPT_LINES = 30;

/** `In` is what it says. */
export class Process<In, Out extends object | string = string> {
  readonly name: string;
  readonly #child: ChildProcess;
  readonly #exit: Promise<number | NodeJS.Signals | null>;
  readonly #listeners = new Set<(message: In) => void>();
  readonly #lines: string[] = [];
  #isStopping = false;

  constructor(name: string, file: string, args: readonly string[]) {
    this.name = name;
    this.#child = fork(fileURLToPath(new URL(file, import.meta.url)), args, {
      execArgv: ["--conditions=@treadle/source"],
      // Ctrl-C is for who started it; all end when their channel does.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#lines.push(...text.split("\n").filter((line) => line !== ""));
        this.#lines.splice(0, this.#lines.length - KEPT_LINES);
      });
    this.#child.on("message", (message) => {
      for (const listener of this.#listeners) listener(message as In);
    });
    // What is sent to a process that just ends does not arrive: of that its end tells.
    this.#child.on("error", () => {});
    this.#exit = new Promise((resolve) => this.#child.once("close", (code, signal) => resolve(code ?? signal)));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** What it printed last. */
  get lines(): readonly string[] {
    return this.#lines;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  onMessage(listener: (message: In) => void): void {
    this.#listeners.add(listener);
  }

  onEnd(listener: () => void): void {
    void this.#exit.then(listener);
  }

  send(message: Out): void {
    if (this.#child.connected) this.#child.send(message);
  }

  /** The next message that fits. Rejects when the process ends before. */
  async next(fits: (message: In) => boolean): Promise<In> {
    let listener: ((message: In) => void) | undefined;
    try {
      return await Promise.race([
        new Promise<In>((resolve) => {
          listener = (message) => (fits(message) ? resolve(message) : undefined);
          this.#listeners.add(listener);
        }),
        this.failed(),
      ]);
    } finally {
      if (listener !== undefined) this.#listeners.delete(listener);
    }
  }

  /** Ends it in good order, if need be by force. @throws when it had ended before, or ends otherwise than with 0 */
  async stop(): Promise<void> {
    if (this.#isStopping) return;
    this.#isStopping = true;
    const hadEnded = this.hasEnded;
    this.#child.kill("SIGTERM");
    const force = setTimeout(() => this.#child.kill("SIGKILL"), ENDS_WITHIN_MS);
    const code = await this.#exit;
    clearTimeout(force);
    if (hadEnded || (code !== 0 && code !== "SIGTERM"))
      throw new Error(`the ${this.name} ended with ${code}${hadEnded ? ", and nobody had asked it to" : ""}:\n${this.#lines.join("\n")}`);
  }

  kill(): void {
    this.#isStopping = true;
    this.#child.kill("SIGKILL");
  }

  /** Rejects when the process ends. */
  async failed(): Promise<never> {
    const code = await this.#exit;
    throw new Error(`the ${this.name} ended with ${code}:\n${this.#lines.join("\n")}`);
  }
}
