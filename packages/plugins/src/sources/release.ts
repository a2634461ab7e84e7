/** Plugins as archives of a release page: downloaded by HTTPS, compared with a checksum, and unpacked into a private folder. */
import { lstat, mkdir, mkdtemp, readdir, realpath, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { arch, platform } from "node:process";
import type { ConnectEnv, Origin, PluginSource } from "../connection.ts";
import { PluginError } from "../plugin-error.ts";
import { download } from "./download.ts";
import { messageOf } from "../wire/texts.ts";
import { type Launch, launch, type ProgramOptions, sourceOf } from "./source.ts";
import { parseRelease, parseReleases, platformOf, type ReleaseName } from "./release-name.ts";
import { otherWriters } from "./trust.ts";
import { unpack } from "./unpack.ts";

/** Options of each release, also of those in TREADLE_PLUGINS. */
export interface ReleasesOptions extends ProgramOptions {
  /**
   * Where releases are, by HTTPS. The path `/<org>/<repo>/releases/download/<release>/<repo>_<os>_<arch>.tar.gz` is added. It may have a user
   * and password. @defaultValue `https://github.com`
   */
  readonly base?: string;
  /** Authorities that are trusted for the download in place of the usual ones, as PEM. @defaultValue those of Node */
  readonly ca?: string;
  /**
   * The folder for unpacked programs. Only the operator may write it. It must allow to start programs.
   * @defaultValue `treadle-plugins-<user>` among the temporary files
   */
  readonly folder?: string;
}

/** Options of {@link release}. */
export interface ReleaseOptions extends ReleasesOptions {
  /** SHA-256 of the archives, as hexadecimal digits, by `<os>-<arch>` in the words of Go, such as `linux-amd64`. */
  readonly sha256: Readonly<Record<string, string>>;
}

/** Maximum size of an archive and of what it holds, in bytes. */
const MAX_BYTES = 200_000_000;
/** Maximum time of a download, in milliseconds. */
const DOWNLOAD_MS = 300_000;

/**
 * Makes a source of one plugin from a release page. It is started with the rights of the operator, so it must be trusted as the operator is.
 *
 * The archive `<repo>_<os>_<arch>.tar.gz` holds one executable file with the repository's name, and nothing else. It is downloaded by HTTPS, at
 * most 200 MB, and compared with its checksum before it is unpacked. A failed download is tried again after 1 s, doubling to 60 s. A program that
 * was unpacked is used again, also after a restart. Proxies are those of the environment, with Node 24.5 or later.
 *
 * @param name `<org>/<repo>@<release>`; the name of the plugin is `<repo>`
 * @throws TypeError for another form, without a checksum, and for a base that is not HTTPS
 */
export function release(name: string, { sha256, ...options }: ReleaseOptions): PluginSource {
  return releaseSource(parseRelease(name, sha256), options, { start: launch, platform: platformOf(platform, arch) });
}

/**
 * Makes a source of the releases in the environment variable TREADLE_PLUGINS, which is read at each start:
 * `<org>/<repo>@<release>#linux-amd64=<sha256>;linux-arm64=<sha256>`, entries by comma. Entries that cannot be read are reported, and left out.
 * @throws TypeError for a base that is not HTTPS
 */
export function listedReleases(options: ReleasesOptions = {}): PluginSource {
  return listSource(() => process.env["TREADLE_PLUGINS"] ?? "", options, { start: launch, platform: platformOf(platform, arch) });
}

/** What tests replace. */
export interface ReleaseParts {
  readonly start: Launch;
  /** Such as `linux-amd64`. */
  readonly platform: string;
  /** The environment that names proxies. @defaultValue `process.env` */
  readonly proxyEnv?: NodeJS.ProcessEnv;
}

/** {@link listedReleases} with other parts. */
export function listSource(list: () => string, options: ReleasesOptions, parts: ReleaseParts): PluginSource {
  baseOf(options); // The list is not known yet.
  return {
    title: "list of releases",
    async start(env, signal) {
      const { names, problems } = parseReleases(list());
      for (const problem of problems) env.log.error({ source: "list of releases" }, problem);
      await Promise.all(names.map((name) => releaseSource(name, options, parts).start(env, signal)));
    },
  };
}

/** {@link release} with other parts. */
export function releaseSource(name: ReleaseName, options: ReleasesOptions, parts: ReleaseParts): PluginSource {
  const { org, repo, release: version } = name;
  const title = `release ${org}/${repo}@${version}`;
  const sum = name.sha256[parts.platform];
  const url = urlOf(name, options, parts);
  if (sum === undefined) {
    const given = Object.keys(name.sha256).join(", ");
    const problem = `${title} is not used: it has no checksum for ${parts.platform}, only for ${given}; add it`;
    return { title, start: ({ log }) => Promise.resolve(log.error({ source: title }, problem)) };
  }
  const program = parts.platform.startsWith("windows-") ? `${repo}.exe` : repo;
  // The file is looked for at each start: a folder of temporary files may be cleaned.
  const connect: Origin["connect"] = async (env, signal) => {
    const file = await installed({ url, sum, program, options, parts }, env, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      // Nothing has ended: it is tried again as a server that cannot be reached.
      throw new PluginError("Away", `cannot load ${title}: ${messageOf(error)}`, { cause: error });
    });
    return parts.start(file, { ...env, plugin: repo, envNames: options.envNames }, signal);
  };
  return sourceOf({ name: repo, title, revision: sum, connect }, options);
}

/** @throws TypeError for a base that is not HTTPS */
function baseOf({ base = "https://github.com" }: ReleasesOptions): URL {
  const url = URL.parse(base);
  if (url?.protocol !== "https:" || url.search !== "" || url.hash !== "")
    throw new TypeError("the base of releases must be an https URL without query and fragment, such as https://github.com");
  return url;
}

/** @throws TypeError for a base that is not HTTPS */
function urlOf({ org, repo, release: version }: ReleaseName, options: ReleasesOptions, parts: ReleaseParts): URL {
  const url = baseOf(options);
  const [os, cpu] = parts.platform.split("-");
  const path = `${org}/${repo}/releases/download/${encodeURIComponent(version)}/${repo}_${os}_${cpu}.tar.gz`;
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  return url;
}

interface Place {
  readonly url: URL;
  readonly sum: string;
  /** The name of the file. */
  readonly program: string;
  readonly options: ReleasesOptions;
  readonly parts: ReleaseParts;
}

/** The beginning of the names of folders that are not complete. */
const PART = ".part-";

/**
 * Returns the path of the program. It is downloaded if it is missing, into a folder that gets the digest as its name when it is complete.
 * @throws Error with what to do
 */
async function installed({ url, sum, program, options, parts }: Place, { clock }: ConnectEnv, signal: AbortSignal): Promise<string> {
  const root = await privateFolder(options.folder);
  const home = join(root, sum);
  const file = join(home, program);
  if (await exists(file)) return file;
  await removeLeftovers(root);
  const part = await mkdtemp(join(root, PART));
  const late = new AbortController();
  const timer = clock.after(DOWNLOAD_MS, () => late.abort(new Error(`it took longer than ${DOWNLOAD_MS / 60_000} minutes`)));
  const limit = AbortSignal.any([signal, late.signal]);
  try {
    // No program has such a name.
    const archive = join(part, ".archive");
    const where = url.origin + url.pathname;
    const found = await download(url, archive, { ca: options.ca, maxBytes: MAX_BYTES, proxyEnv: parts.proxyEnv }, limit);
    if (found !== sum)
      throw new Error(`the archive at ${where} has the checksum ${found}, not ${sum}: check the release and the option sha256`);
    await unpack(archive, join(part, program), { name: program, maxBytes: MAX_BYTES }, limit).catch((error: unknown) => {
      throw new Error(`the archive at ${where} is refused: ${messageOf(error)}`, { cause: error });
    });
    await rm(archive);
    await rename(part, home).catch(async (error: unknown) => {
      // Another process was first.
      if (!(await exists(file))) throw error;
    });
    return file;
  } finally {
    timer.cancel();
    await rm(part, { recursive: true, force: true });
  }
}

/** Makes the folder if it is missing. @throws Error if others may write it */
async function privateFolder(folder = join(tmpdir(), `treadle-plugins-${process.getuid?.() ?? "user"}`)): Promise<string> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const root = await realpath(folder);
  const problem = await otherWriters(root);
  if (problem !== undefined) throw new Error(`${problem}, or set the option folder to one that only the operator may write`);
  return root;
}

async function exists(file: string): Promise<boolean> {
  return (await lstat(file).catch(() => undefined)) !== undefined;
}

/** Removes what processes that were killed have left. Those that still load are younger. */
async function removeLeftovers(root: string): Promise<void> {
  for (const entry of await readdir(root)) {
    const path = join(root, entry);
    const isOld = Date.now() - ((await lstat(path).catch(() => undefined))?.mtimeMs ?? 0) > 2 * DOWNLOAD_MS;
    if (entry.startsWith(PART) && isOld) await rm(path, { recursive: true, force: true });
  }
}
