/** A program under the launcher, as a process group that ends as a whole. */
import { spawn } from "node:child_process";
import { mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

/** A running program. */
export interface Child {
  /** Its own folder, which only the user of the host may enter. Unix sockets lie in it. */
  readonly folder: string;
  /** What it writes. */
  readonly stdout: Readable;
  /** What it and the launcher write. */
  readonly stderr: Readable;
  /** Resolves when it has ended, with the reason as a sentence part. */
  readonly ended: Promise<string>;
  /** Resolves when it has ended, all that it wrote has been read, and its folder is removed. */
  readonly closed: Promise<void>;
  /** Ends all processes of the group at once. Safe to repeat. */
  kill(): void;
}

/** Starts `file` with `env(folder)` and nothing else in its environment. */
export async function startChild(file: string, env: (folder: string) => NodeJS.ProcessEnv): Promise<Child> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "treadle-plugin-")));
  const launcher = fileURLToPath(new URL(`./launcher${extname(import.meta.url)}`, import.meta.url));
  const child = spawn(process.execPath, [...FLAGS, launcher, file, folder], {
    cwd: folder,
    env: env(folder),
    // The leader of a new process group.
    detached: !IS_WINDOWS,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
    windowsHide: true,
  });
  let hasEnded = false;
  const kill = (): void => {
    // A group that has ended may have given its number to another one.
    if (hasEnded || child.pid === undefined) return;
    if (IS_WINDOWS) child.stdin.destroy();
    else killGroup(child.pid);
  };
  const { promise: ended, resolve: onEnd } = Promise.withResolvers<string>();
  const { promise: closed, resolve: onClose } = Promise.withResolvers<void>();
  const end = (why: string): void => {
    // The plugin survives a launcher that was killed, and what it started survives it.
    kill();
    hasEnded = true;
    onEnd(why);
  };
  child.stdin.on("error", () => undefined);
  // The launcher writes why the program has ended before it ends itself. What it writes is read first: signals are handled after all streams.
  child.stdio[3]?.on("error", () => undefined).on("data", (why: Buffer) => end(why.toString()));
  child.on("exit", (code, signal) => end(signal === null ? `the process ended with code ${code}` : `the process was ended by ${signal}`));
  child.on("error", (error) => end(`the process cannot be started: ${error.message}`));
  child.on("close", () => void rm(folder, { recursive: true, force: true, maxRetries: 3 }).then(onClose, onClose));
  return { folder, stdout: child.stdout, stderr: child.stderr, ended, closed, kill };
}

const IS_WINDOWS = process.platform === "win32";

/** Fewer threads, and no warning of Node in the log of the plugin. Flags that limit the heap or the compiler save nothing. */
const FLAGS: readonly string[] = ["--no-warnings", "--v8-pool-size=0"];

function killGroup(pid: number): void {
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // It has ended already.
  }
}
