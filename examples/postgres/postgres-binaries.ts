/**
 * Finds the programs of PostgreSQL: `PG_BIN`, else `pg_config`, Debian's folder, or a cache. Else it gets Debian's packages into the cache
 * by `apt-get download`, which needs no root and installs nothing. A cached copy is used until a person deletes it.
 */
import { execFile } from "node:child_process";
import { access, chmod, constants, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";

/** The programs of one version of PostgreSQL. */
export interface PostgresBinaries {
  /** The folder with `initdb` and `postgres`. */
  readonly bin: string;
  /** The version, as in `15.18`. */
  readonly version: string;
  /** Environment variables that the programs need. */
  readonly env: Readonly<Record<string, string>>;
}

/** The options of {@link findBinaries}. */
export interface FindOptions {
  /** The folder of the packages. @defaultValue `~/.cache/treadle/postgresql`; for root, whose home no other user can read, in `/var/cache` */
  readonly cache?: string;
  /** Whether installed programs are used. @defaultValue true */
  readonly useInstalled?: boolean;
  /** More arguments of `apt-get`. @defaultValue none */
  readonly aptArgs?: readonly string[];
}

const run = promisify(execFile);
const DOWNLOAD_MS = 50_000;
/** `DROP DATABASE ... WITH (FORCE)` exists since this version. */
const MIN_MAJOR = 13;

/** Finds the programs, or returns the reason why there are none. */
export async function findBinaries(options: FindOptions = {}): Promise<PostgresBinaries | string> {
  const { cache = defaultCache(), useInstalled = true, aptArgs = [] } = options;
  const root = path.join(cache, "root");
  if (useInstalled) {
    const explicit = process.env["PG_BIN"] ?? "";
    for (const bin of explicit === "" ? await installedFolders() : [explicit]) {
      const found = await binariesIn(bin, {});
      if (found !== undefined) return found;
    }
    if (explicit !== "") return `PG_BIN is ${JSON.stringify(explicit)}, which has no PostgreSQL ${MIN_MAJOR} or later`;
  }
  const cached = await cachedBinaries(root);
  if (cached !== undefined) return cached;
  if (process.platform !== "linux") return "PostgreSQL is not installed: set PG_BIN to the folder with `initdb` and `postgres`";
  try {
    await download(cache, root, aptArgs);
  } catch (error) {
    return `PostgreSQL is not installed, and Debian's packages cannot be used: ${lastLine(error)}`;
  }
  return (await cachedBinaries(root)) ?? `PostgreSQL is not installed, and its programs in ${root} do not run: delete the folder`;
}

function defaultCache(): string {
  if (process.getuid?.() === 0) return "/var/cache/treadle/postgresql";
  return path.join(process.env["XDG_CACHE_HOME"] || path.join(homedir(), ".cache"), "treadle", "postgresql");
}

async function installedFolders(): Promise<readonly string[]> {
  const { stdout } = await run("pg_config", ["--bindir"]).catch(() => ({ stdout: "" }));
  return [stdout.trim(), ...(await debianFolders("/"))].filter((folder) => folder !== "");
}

/** The folders of all installed major versions, the newest first. */
async function debianFolders(root: string): Promise<readonly string[]> {
  const base = path.join(root, "usr/lib/postgresql");
  const majors = await readdir(base).catch(() => []);
  return majors.toSorted((a, b) => Number(b) - Number(a)).map((major) => path.join(base, major, "bin"));
}

async function binariesIn(bin: string, env: Readonly<Record<string, string>>): Promise<PostgresBinaries | undefined> {
  try {
    await access(path.join(bin, "initdb"), constants.X_OK);
    const { stdout } = await run(path.join(bin, "postgres"), ["--version"], { env: { ...process.env, ...env } });
    const version = /\d+(\.\d+)?/.exec(stdout)?.[0] ?? "0";
    return Number.parseInt(version, 10) < MIN_MAJOR ? undefined : { bin, version, env };
  } catch {
    return undefined;
  }
}

async function cachedBinaries(root: string): Promise<PostgresBinaries | undefined> {
  const [bin] = await debianFolders(root);
  if (bin === undefined) return undefined;
  const triplets = await readdir(path.join(root, "usr/lib")).catch(() => []);
  const folders = triplets.filter((name) => name.includes("-linux-")).map((name) => path.join(root, "usr/lib", name));
  return binariesIn(bin, { LD_LIBRARY_PATH: folders.join(":") });
}

/** Unpacks the server's package and those of its libraries that the system lacks. Several processes may do it at once: the first wins. */
async function download(cache: string, root: string, aptArgs: readonly string[]): Promise<void> {
  await mkdir(path.dirname(cache), { recursive: true });
  await mkdir(cache, { recursive: true });
  const folder = await mkdtemp(path.join(cache, "download-"));
  const signal = AbortSignal.timeout(DOWNLOAD_MS);
  try {
    // apt's own lists may be missing or old, and only root may update them.
    const state = { "Dir::State::Lists": path.join(folder, "lists"), "Dir::Cache": path.join(folder, "apt"), "APT::Sandbox::User": "" };
    const limits = { "Acquire::Retries": "1", "Acquire::http::Timeout": "10", "Acquire::https::Timeout": "10" };
    const args = [...Object.entries({ ...state, ...limits }).flatMap(([key, value]) => ["-o", `${key}=${value}`]), ...aptArgs];
    for (const name of ["lists/partial", "apt/archives/partial", "root"]) await mkdir(path.join(folder, name), { recursive: true });
    const apt = async (...rest: readonly string[]): Promise<string> =>
      (await run("apt-get", [...args, ...rest], { cwd: folder, signal, env: { ...process.env, LC_ALL: "C" }, maxBuffer: 2 ** 24 })).stdout;
    await apt("update", "-q");
    const plan = await apt("install", "--simulate", "--no-install-recommends", "postgresql");
    const packages = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name as string);
    await apt("download", "-q", ...packages);
    const files = (await readdir(folder)).filter((name) => name.endsWith(".deb"));
    for (const file of files) await run("dpkg", ["-x", path.join(folder, file), path.join(folder, "root")], { signal });
    const unpacked = path.join(folder, "root");
    await chmod(unpacked, 0o755);
    if ((await cachedBinaries(unpacked)) === undefined) throw new Error(`the programs of ${packages.join(", ")} do not run`);
    await rename(unpacked, root).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function lastLine(error: unknown): string {
  const { stderr, message } = error as { readonly stderr?: string; readonly message?: string };
  const text = (stderr ?? "").trim() || (message ?? String(error));
  return text.trim().split("\n").at(-1) ?? "";
}
