/** Shell scripts that play the failures of programs, for tests. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A folder of a test. */
export class Scripts {
  readonly dir: string = mkdtempSync(join(tmpdir(), "programs-test-"));

  path(name: string): string {
    return join(this.dir, name);
  }

  /** Writes a script. @returns its path */
  add(name: string, body: string, mode = 0o755): string {
    const path = this.path(name);
    // The system refuses to run a file that is open for writing, in any process: it is written by another one.
    writeFileSync(`${path}.text`, `#!/bin/sh\n${body}\n`);
    execFileSync("sh", ["-c", 'rm -f "$1"; cp "$1.text" "$1"; chmod "$2" "$1"; rm "$1.text"', "sh", path, mode.toString(8)]);
    return path;
  }

  /** Writes a script that reports a version when it is asked for it, counts that in the file `asked`, and else does what `body` does. */
  addProgram(name: string, version: string, body: string): string {
    return this.add(name, `case "$1" in version) echo >> ${this.path("asked")}; echo '${version}'; exit;; esac\n${body}`);
  }

  /** A pipe that a script opens for writing with its descriptor 3, by `open`. */
  life(name = "life"): Life {
    const path = this.path(name);
    execFileSync("mkfifo", [path]);
    return new Life(path);
  }

  [Symbol.dispose](): void {
    rmSync(this.dir, { recursive: true, force: true });
  }
}

/** A pipe that shows whether a script and its children live. */
export class Life {
  /** A line of a script. Its children inherit the descriptor. */
  readonly open: string;
  readonly #handle: ReturnType<typeof open>;

  constructor(path: string) {
    this.open = `exec 3>"${path}"`;
    // It opens when a writer opens it.
    this.#handle = open(path);
  }

  /** Resolves when the script has begun. */
  async begun(): Promise<void> {
    await this.#handle;
  }

  /** Resolves when the script and all its children have ended. */
  async ended(): Promise<void> {
    const handle = await this.#handle;
    await handle.readFile();
    await handle.close();
  }
}
