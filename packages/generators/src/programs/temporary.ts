/**
 * Temporary folders of the operator. All are in one private folder in `TMPDIR`.
 *
 * Guarantees
 * - The private folder has mode 0700. It is made when it is first needed, and made again after another program removed it.
 * - It is removed when the process exits. After a crash, the next process that needs such a folder removes it.
 * - A folder of a process that lives is never removed: the process listens on a socket in it, which the system closes with the process.
 *
 * Assumptions: processes that share a `TMPDIR` run on one machine.
 */
import { rmSync } from "node:fs";
import { lstat, mkdir, mkdtemp, readdir, rm } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TerminalError } from "@treadle/reconcile";
import { codeOf, isShortage } from "./codes.ts";

const PREFIX = "treadle-programs-";
const SOCKET = "live";

/** A folder without a socket is that of a process that is about to listen, unless it is older than this, in milliseconds. */
const STARTING_MS = 120_000;

/** The size of the address of a Unix socket on the systems that we know, in bytes. */
const MAX_SOCKET_BYTES = 103;

/** A process that was killed may still write for a moment. */
const REMOVED = { recursive: true, force: true, maxRetries: 3 };

/** A folder that exists until it is removed. */
export interface TemporaryFolder {
  /** The absolute path. */
  readonly path: string;
  /** Removes the folder with all that is in it. A second call does nothing. What cannot be removed stays until the process exits. */
  remove(): Promise<void>;
}

interface Opened {
  readonly parent: string;
  readonly path: string;
  readonly ino: number;
  readonly dev: number;
  readonly server: Server;
  readonly removeNow: () => void;
}

/** The private folder of a process. */
export class PrivateFolder {
  readonly #parent: () => string;
  #opening: Promise<Opened> | undefined;
  #opened: Opened | undefined;
  #count = 0;

  /** @param parent returns the folder of the private folder. @defaultValue `TMPDIR` */
  constructor(parent: () => string = tmpdir) {
    this.#parent = parent;
  }

  /**
   * Makes an empty folder with mode 0700.
   * @param name a part of its name, for a person who looks at the files
   * @throws TerminalError with the code `TmpdirUnusable` when `TMPDIR` is not usable; Error when the machine lacks space or files for the moment
   */
  async make(name: string): Promise<TemporaryFolder> {
    for (let attempt = 0; ; attempt++) {
      const { path: root, parent } = await this.#open();
      this.#count += 1;
      const path = join(root, `${name}-${this.#count}`);
      try {
        await mkdir(path, { mode: 0o700 });
        return { path, remove: () => rm(path, REMOVED).catch(() => undefined) };
      } catch (error) {
        // Another program has just removed the private folder.
        if (attempt > 0 || codeOf(error) !== "ENOENT") throw unusable(parent, error);
      }
    }
  }

  /** Removes the private folder. The next call of `make` makes another. */
  async close(): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    if (opened === undefined) return;
    process.off("exit", opened.removeNow);
    await new Promise((resolve) => opened.server.close(resolve));
    if (await isOurs(opened)) await rm(opened.path, REMOVED);
  }

  async #open(): Promise<Opened> {
    this.#opening ??= this.#reopen().finally(() => (this.#opening = undefined));
    return await this.#opening;
  }

  async #reopen(): Promise<Opened> {
    const parent = this.#parent();
    if (this.#opened !== undefined) {
      if (this.#opened.parent === parent && (await isOurs(this.#opened))) return this.#opened;
      await this.close();
    }
    this.#opened = await open(parent);
    process.on("exit", this.#opened.removeNow);
    await removeDead(parent);
    return this.#opened;
  }
}

/** The private folder of this process. It is not state of an operator: it ends with the process, as the files of all operators do. */
export const privateFolder: PrivateFolder = new PrivateFolder();

async function open(parent: string): Promise<Opened> {
  if (Buffer.byteLength(join(parent, `${PREFIX}XXXXXX`, SOCKET)) > MAX_SOCKET_BYTES)
    throw unusable(parent, new Error(`its path is longer than ${MAX_SOCKET_BYTES - PREFIX.length - SOCKET.length - 8} bytes`));
  let path: string;
  try {
    path = await mkdtemp(join(parent, PREFIX));
  } catch (error) {
    throw unusable(parent, error);
  }
  try {
    const server = await listen(join(path, SOCKET));
    const { ino, dev } = await lstat(path);
    return { parent, path, ino, dev, server, removeNow: () => rmSync(path, { recursive: true, force: true }) };
  } catch (error) {
    await rm(path, { recursive: true, force: true });
    throw unusable(parent, error);
  }
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy()).unref();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, () => {
      server.off("error", reject);
      // An error of one connection does not matter: that it connected is the answer.
      server.on("error", () => undefined);
      resolve(server);
    });
  });
}

/** Whether the folder at the path is the folder that we made, and no other user can enter it. */
async function isOurs({ path, ino, dev }: Opened): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.ino === ino && found.dev === dev && (found.mode & 0o077) === 0;
}

/** Removes the folders of processes that crashed. A folder that cannot be judged or removed stays. */
async function removeDead(parent: string): Promise<void> {
  const names = await readdir(parent).catch(() => []);
  for (const name of names) {
    if (!name.startsWith(PREFIX)) continue;
    const path = join(parent, name);
    if (await isDead(path)) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}

async function isDead(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? found.uid)) return false;
  const code = await connectCode(join(path, SOCKET));
  // The age is that of a file of the system, so the clock is that of the system.
  return code === "ECONNREFUSED" || (code === "ENOENT" && Date.now() - found.mtimeMs > STARTING_MS);
}

/** Connects to a socket. Returns the code of the error, or `undefined` when a process listens. */
function connectCode(path: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(undefined);
    });
    socket.once("error", (error) => resolve(codeOf(error) ?? "unknown"));
  });
}

function unusable(parent: string, cause: unknown): Error {
  const reason = codeOf(cause) ?? (cause instanceof Error ? cause.message : "unknown error");
  if (isShortage(cause)) return new Error(`cannot make a temporary folder in ${parent}: ${reason}`, { cause });
  return new TerminalError(
    `cannot make a temporary folder in ${parent}: ${reason}. Set TMPDIR to a folder that the operator may write to, such as an emptyDir volume`,
    { code: "TmpdirUnusable", cause },
  );
}
