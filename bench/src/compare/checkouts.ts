/** The two folders of a comparison: commits are checked out and set up in a temporary folder, folders are used as they are. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { asked, type Git, gitIn } from "./git.ts";

export interface CheckoutsOptions {
  /** The folder of the repository. */
  readonly repository: string;
  readonly log: (line: string) => void;
  /** Ends a setup. */
  readonly signal: AbortSignal;
}

/** A folder with the sources of Treadle and their dependencies. */
export interface Checkout {
  readonly dir: string;
  /** How the user knows it. */
  readonly about: string;
}

/** Makes checkouts; the disposal removes those that it made, and what git knows of them. */
export class Checkouts implements AsyncDisposable {
  readonly #options: CheckoutsOptions;
  readonly #git: Git;
  readonly #worktrees: string[] = [];
  #adding: Promise<unknown> = Promise.resolve();
  #dir: string | undefined;

  constructor(options: CheckoutsOptions) {
    this.#options = options;
    this.#git = gitIn(options.repository);
  }

  /**
   * Returns the checkout of a commit, or the folder that `text` names: a path that begins with `.` or `/`, or that is no commit.
   * @throws when it is neither, or when the setup fails
   */
  async of(text: string): Promise<Checkout> {
    const isPath = /^\.{0,2}\//.test(text) || text === "." || text === "..";
    const commit = isPath ? undefined : await asked(this.#git, "rev-parse", "--verify", "--quiet", `${text}^{commit}`);
    if (commit !== undefined) return await this.#worktree(text, commit);
    const dir = resolve(text);
    if (!existsSync(join(dir, "tools", "bootstrap.mjs"))) throw new Error(`"${text}" is no commit, and no folder of a checkout of Treadle`);
    await this.#setUp(dir);
    return { dir, about: text };
  }

  async #worktree(text: string, commit: string): Promise<Checkout> {
    this.#dir ??= mkdtempSync(join(tmpdir(), "treadle-compare-"));
    const dir = join(this.#dir, `${this.#worktrees.length}-${commit.slice(0, 12)}`);
    this.#options.log(`checking out ${text} (${commit.slice(0, 12)})`);
    this.#worktrees.push(dir);
    this.#adding = this.#git("worktree", "add", "--quiet", "--detach", dir, commit);
    await this.#adding;
    await this.#setUp(dir);
    return { dir, about: `${text} (${commit.slice(0, 12)})` };
  }

  /** Installs the locked dependencies of the checkout, by its own program. */
  async #setUp(dir: string): Promise<void> {
    const { signal } = this.#options;
    signal.throwIfAborted();
    const child = spawn(process.execPath, ["tools/bootstrap.mjs", "setup"], { cwd: dir, stdio: ["ignore", "pipe", "pipe"], signal });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const code = await new Promise<number | null>((done, fail) => child.once("error", fail).once("close", done));
    if (code !== 0) throw new Error(`the setup of ${dir} failed (${code}):\n${output.slice(-4_000)}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // After an interruption git may still write.
    await this.#adding.catch(() => undefined);
    for (const dir of this.#worktrees) await asked(this.#git, "worktree", "remove", "--force", dir);
    if (this.#dir !== undefined) rmSync(this.#dir, { recursive: true, force: true });
    // A checkout that was interrupted half-way is known to git, but is no longer there.
    await asked(this.#git, "worktree", "prune");
  }
}
