/**
 * A PostgreSQL server for tests, made of Debian's packages. It listens on a free loopback port, keeps its data in a temporary folder, and ends
 * with the tests. It never uses a server that runs already. Without PostgreSQL the result is the reason, for `skip()`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chown, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { findBinaries, type PostgresBinaries } from "./postgres-binaries.ts";

/** A running server. Disposing it stops the server and removes its data. */
export interface PostgresServer extends AsyncDisposable {
  readonly host: string;
  readonly port: number;
  /** The name of the superuser. */
  readonly user: string;
  /** The password of the superuser; random. */
  readonly password: string;
  /** The process id of the server. */
  readonly pid: number;
  /** The version, as in `15.18`. */
  readonly version: string;
}

const HOST = "127.0.0.1";
const USER = "admin";
const START_MS = 30_000;
const STOP_MS = 10_000;
/** Another program may take the free port before the server does. */
const TRIES = 3;

/** Small, without durability: the data is deleted with the test. Only TCP, so that no socket file is in a shared folder. */
const SETTINGS = {
  listen_addresses: HOST,
  unix_socket_directories: "",
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "16MB",
  max_connections: "30",
  autovacuum: "off",
  logging_collector: "off",
  lc_messages: "C",
};

/** Starts a server, or returns the reason why none can be started here. It does not throw. `found` is the result of `findBinaries()`. */
export async function startPostgres(found?: PostgresBinaries | string): Promise<PostgresServer | string> {
  if (process.platform === "win32") return "PostgreSQL is not started on Windows";
  try {
    const binaries = found ?? (await findBinaries());
    if (typeof binaries === "string") return binaries;
    for (let attempt = 1; ; attempt++) {
      const server = await start(binaries).catch((error: unknown) => {
        if (attempt === TRIES || !String(error).includes("Address already in use")) throw error;
        return undefined;
      });
      if (server !== undefined) return server;
    }
  } catch (error) {
    return `PostgreSQL does not start: ${error instanceof Error ? error.message : String(error)}`;
  }
}

async function start(binaries: PostgresBinaries): Promise<PostgresServer> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(path.join(tmpdir(), "treadle-postgres-"));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const account = await serverAccount();
  if (account !== undefined) await chown(folder, account.uid, account.gid);
  const run = { ...account, cwd: folder, env: { ...binaries.env, LC_ALL: "C", TZ: "UTC", PATH: process.env["PATH"] } };
  const data = path.join(folder, "data");
  const password = randomBytes(18).toString("base64url");
  const passwordFile = path.join(folder, "password");
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (account !== undefined) await chown(passwordFile, account.uid, account.gid);

  const initArgs = ["-D", data, "-U", USER, `--pwfile=${passwordFile}`, "--auth=scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync"];
  const init = spawn(path.join(binaries.bin, "initdb"), initArgs, { ...run, stdio: ["ignore", "ignore", "pipe"], timeout: START_MS });
  await ended(init, "initdb");
  await rm(passwordFile);

  const port = await freePort();
  const settings = Object.entries({ ...SETTINGS, port }).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const [program, ...args] = await dyingWithParent([path.join(binaries.bin, "postgres"), "-D", data, ...settings]);
  const server = spawn(program, args, { ...run, stdio: ["ignore", "ignore", "pipe"] });
  stack.defer(() => stop(server));
  await isReady(server);
  const { pid } = server;
  if (pid === undefined) throw new Error("the server has no process id");
  const owned = stack.move();
  return { host: HOST, port, user: USER, password, pid, version: binaries.version, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** PostgreSQL refuses to run as root: the user `postgres` of Debian's packages, else `nobody`. */
async function serverAccount(): Promise<{ readonly uid: number; readonly gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  const account = accounts.find(([name]) => name === "postgres") ?? accounts.find(([name]) => name === "nobody");
  if (account === undefined) throw new Error("PostgreSQL refuses to run as root, and there is no user `postgres` or `nobody`");
  return { uid: Number(account[2]), gid: Number(account[3]) };
}

type Command = readonly [program: string, ...args: string[]];

/** Returns a command whose process also ends when this process is killed, where the system can do that. */
async function dyingWithParent(command: Command): Promise<Command> {
  const prefix: Command = ["/usr/bin/setpriv", "--pdeathsig", "QUIT"];
  const [program, ...args] = prefix;
  return ended(spawn(program, [...args, "true"], { stdio: ["ignore", "ignore", "pipe"] }), program).then(
    () => [...prefix, ...command],
    () => command,
  );
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, HOST);
  await once(listener, "listening");
  const address = listener.address();
  listener.close();
  await once(listener, "close");
  if (address === null || typeof address === "string") throw new Error("no free port");
  return address.port;
}

/** Resolves when a program has ended well; its standard error is the reason of a failure. */
async function ended(child: ChildProcess, name: string): Promise<void> {
  let text = "";
  child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (text = `${text}${chunk}`.slice(-2_000)));
  const [code, signal] = (await once(child, "close")) as [number | null, string | null];
  if (code !== 0) throw new Error(`${name} ended with ${code ?? signal}: ${text.trim()}`);
}

/** Resolves when the server's log says that it takes connections. */
async function isReady(server: ChildProcess): Promise<void> {
  let text = "";
  let timer: NodeJS.Timeout | undefined;
  const ready = new Promise<void>((resolve, reject) => {
    // The listener stays, so that the pipe never fills.
    server.stderr?.setEncoding("utf8").on("data", (chunk: string) => {
      text = `${text}${chunk}`.slice(-2_000);
      if (text.includes("database system is ready to accept connections")) resolve();
    });
    server.once("error", reject);
    server.once("close", (code, signal) => reject(new Error(`the server ended with ${code ?? signal}: ${text.trim()}`)));
    timer = setTimeout(() => reject(new Error(`the server is not ready after ${START_MS} ms: ${text.trim()}`)), START_MS);
  });
  await ready.finally(() => clearTimeout(timer));
}

/** Ends the server: SIGINT disconnects all clients and ends it; after `STOP_MS` it is killed. */
async function stop(server: ChildProcess): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  const closed = once(server, "close");
  server.kill("SIGINT");
  const timer = setTimeout(() => server.kill("SIGKILL"), STOP_MS);
  await closed.finally(() => clearTimeout(timer));
}
