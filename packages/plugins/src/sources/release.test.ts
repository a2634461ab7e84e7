import { chmod, mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Header } from "tar-stream";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { archive, sha256 } from "../../test/archive.ts";
import { type Watched, watched } from "../../test/watched-source.ts";
import { NO_METRICS } from "../host/metrics.ts";
import { Supervisor } from "../host/supervisor.ts";
import { PluginError } from "../plugin-error.ts";
import { newCertificate } from "../wire/certificate.ts";
import { listedReleases, listSource, release, type ReleasesOptions, releaseSource } from "./release.ts";
import { parseRelease, parseReleases, platformOf } from "./release-name.ts";

interface Answer {
  readonly status?: number;
  readonly location?: string;
  readonly body?: Uint8Array;
}

let server: Server;
let base: string;
let ca: string;
let home: string;
let answers: Answer[];
let asked: string[];
let source: Watched | undefined;
let started: string[];
const boom = new Error("boom");
const PATH = "/acme/pg/releases/download/v1/pg_linux_amd64.tar.gz";

beforeAll(async () => {
  const { cert, key } = await newCertificate();
  ca = cert;
  server = createServer({ cert, key }, ({ url = "" }, response) => {
    asked.push(url);
    const { status = 200, location, body } = (answers.length > 1 ? answers.shift() : answers[0]) ?? { status: 404 };
    response.writeHead(status, location === undefined ? {} : { location }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  const bound = server.address();
  base = `https://localhost:${typeof bound === "object" ? bound?.port : ""}`;
});

afterAll(() => new Promise((resolve) => server.close(resolve)));

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "treadle-release-")));
  [answers, asked, started] = [[], [], []];
});

afterEach(async () => {
  source?.stop();
  source = undefined;
  await rm(home, { recursive: true });
});

const PROGRAM = { name: "pg", mode: 0o755 };

/** Offers the plugin of `acme/pg@v1`. */
async function offered(sum: string, options: ReleasesOptions = {}): Promise<Watched> {
  const parts = {
    platform: "linux-amd64",
    proxyEnv: {},
    start: (file: string) => {
      started.push(file);
      return Promise.reject(boom);
    },
  };
  const name = parseRelease("acme/pg@v1", { "linux-amd64": sum });
  source = watched(releaseSource(name, { base, ca, folder: join(home, "store"), ...options }, parts));
  await source.started;
  expect(source.news()).toEqual(["offer pg"]);
  return source;
}

/** Connects to the plugin. Returns why its program cannot be started; empty: it was started. */
async function start(sum: string, options: ReleasesOptions = {}): Promise<string> {
  const { origin, env } = await offered(sum, options);
  const error: unknown = await origin("pg")
    .connect(env, new AbortController().signal)
    .catch((failure: unknown) => failure);
  if (!(error instanceof PluginError)) throw new Error("the plugin is connected");
  if (error.cause !== boom) expect(error.code).toBe("Away");
  return error.cause === boom ? "" : error.message;
}

test("a release is offered at once, and downloaded, compared and unpacked for its user alone before its start", async () => {
  const body = await archive([PROGRAM, "#!/bin/sh\n"]);
  answers = [{ body }];
  const { origin } = await offered(sha256(body), { priority: 2 });
  expect(asked).toEqual([]);
  expect(await start(sha256(body))).toBe("");
  expect(asked).toEqual([PATH]);
  expect(origin("pg")).toMatchObject({ title: "release acme/pg@v1", revision: sha256(body), priority: 2 });
  const store = join(home, "store");
  expect(await readdir(store)).toEqual([sha256(body)]);
  expect((await stat(store)).mode & 0o777).toBe(0o700);
  const file = join(store, sha256(body), "pg");
  expect((await stat(file)).mode & 0o777).toBe(0o500);
  expect(await readFile(file, "utf8")).toBe("#!/bin/sh\n");
  expect(await readdir(dirname(file))).toEqual(["pg"]);
  expect(started).toEqual([file]);
});

test("a good program is not loaded again after a restart, a removed one is", async () => {
  const body = await archive([PROGRAM, "#!/bin/sh\n"]);
  answers = [{ body }];
  await start(sha256(body));
  expect(await start(sha256(body))).toBe("");
  expect(asked).toHaveLength(1);
  await rm(join(home, "store", sha256(body), "pg"), { force: true });
  expect(await start(sha256(body))).toBe("");
  expect(asked).toHaveLength(2);
});

test("what a process that was killed has left of a download is removed, and what another one is loading is not", async () => {
  const body = await archive([PROGRAM, "#!/bin/sh\n"]);
  answers = [{ body }];
  const parts = [".part-killed", ".part-loading"];
  for (const part of parts) await mkdir(join(home, "store", part), { recursive: true, mode: 0o700 });
  await writeFile(join(home, "store", ".part-killed", ".archive"), "x");
  await utimes(join(home, "store", ".part-killed"), 0, Date.now() / 1_000 - 601);
  expect(await start(sha256(body))).toBe("");
  expect((await readdir(join(home, "store"))).sort()).toEqual([".part-loading", sha256(body)]);
});

test("a failed download is tried again after 1 s, doubling to 60 s, and reported once", async () => {
  const body = await archive([PROGRAM, "#!/bin/sh\n"]);
  const { news, clock, origin, env } = await offered(sha256(body));
  const supervisor = new Supervisor(origin("pg"), { ...env, metrics: NO_METRICS, changed: () => undefined });
  await supervisor.tried;
  expect(news()).toEqual(["release acme/pg@v1 is not ready; it is started again in 1 s"]);
  expect(supervisor.facts).toMatchObject({
    state: "Away",
    message: `cannot load release acme/pg@v1: ${base}${PATH} answered 404: check that the release has this archive and that it can be read`,
  });
  const delays: number[] = [];
  for (let attempt = 0; attempt < 8; attempt++) {
    delays.push((clock.nextDue() ?? 0) - clock.now());
    await clock.advance(delays.at(-1) ?? 0);
    await untilAsked(attempt + 2, clock.now, clock.nextDue);
  }
  expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(news()).toEqual([]);
  answers = [{ body }];
  await clock.advance(60_000);
  await until(() => started.length > 0);
  expect(await readdir(join(home, "store"))).toEqual([sha256(body)]);
  await supervisor.stop();
});

/** Waits until the attempt has ended: its next timer is not the limit of the download. */
async function untilAsked(count: number, now: () => number, nextDue: () => number | undefined): Promise<void> {
  await until(() => asked.length === count && (nextDue() ?? Infinity) - now() <= 60_000);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

const zeros = Buffer.alloc(200_000_001);

const REFUSED: readonly {
  name: string;
  entries: readonly (readonly [Partial<Header> & { name: string }, string | Buffer])[];
  want: RegExp;
}[] = [
  { name: "no file", entries: [], want: /does not hold the file pg/ },
  { name: "another file", entries: [[{ name: "other", mode: 0o755 }, "x"]], want: /it has "other": it may hold the file pg only/ },
  {
    name: "a further file",
    entries: [
      [PROGRAM, "x"],
      [{ name: "README" }, "x"],
    ],
    want: /it has "README"/,
  },
  {
    name: "the program twice",
    entries: [
      [PROGRAM, "x"],
      [PROGRAM, "y"],
    ],
    want: /it has "pg" twice/,
  },
  { name: "a path out of the folder", entries: [[{ name: "../pg", mode: 0o755 }, "x"]], want: /it has "\.\.\/pg"/ },
  { name: "an absolute path", entries: [[{ name: "/pg", mode: 0o755 }, "x"]], want: /it has "\/pg"/ },
  { name: "a symbolic link", entries: [[{ name: "pg", type: "symlink", linkname: "/bin/sh" }, ""]], want: /it has "pg", a symlink/ },
  { name: "a hard link", entries: [[{ name: "pg", type: "link", linkname: "/bin/sh" }, ""]], want: /it has "pg", a link/ },
  { name: "a device", entries: [[{ name: "pg", type: "character-device", devmajor: 1, devminor: 3 }, ""]], want: /a character-device/ },
  { name: "a folder", entries: [[{ name: "pg", type: "directory" }, ""]], want: /a directory/ },
  { name: "a file that is not executable", entries: [[{ name: "pg", mode: 0o644 }, "x"]], want: /not executable/ },
  { name: "more than 200 MB unpacked", entries: [[PROGRAM, zeros]], want: /more than 200 MB/ },
];

test.for(REFUSED)("an archive with $name is refused, and leaves no file", async ({ entries, want }) => {
  const body = await archive(...entries);
  answers = [{ body }];
  expect(await start(sha256(body))).toMatch(want);
  expect(await readdir(join(home, "store"))).toEqual([]);
});

test("a truncated archive, and a file of another type, are refused with the address", async () => {
  const whole = await archive([PROGRAM, Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251))]);
  for (const body of [whole.subarray(0, whole.length - 20), Buffer.from("<html>"), gzipSync(Buffer.alloc(1024, "x"))]) {
    answers = [{ body }];
    expect(await start(sha256(body))).toContain(`the archive at ${base}${PATH} is refused: `);
  }
});

test("an archive with a wrong checksum is not unpacked", async () => {
  const body = await archive([{ name: "../evil" }, "x"]);
  answers = [{ body }];
  expect(await start("a".repeat(64))).toContain(`${PATH} has the checksum ${sha256(body)}, not ${"a".repeat(64)}`);
});

const REDIRECTS: readonly { name: string; location: () => string; want: RegExp }[] = [
  {
    name: "to plain HTTP",
    location: () => "http://user:hidden@localhost:1/x?token=hidden",
    want: /leads to http:\/\/localhost:1\/x, which is not HTTPS/,
  },
  { name: "without end", location: () => `${base}/again?token=hidden`, want: /leads to more than 5 other addresses/ },
  {
    name: "to a server that is away",
    location: () => "https://u:hidden@localhost:1/x?token=hidden",
    want: /https:\/\/localhost:1\/x cannot be read/,
  },
];

test.for(REDIRECTS)("a redirect $name is refused, and no secret is logged", async ({ location, want }) => {
  answers = [{ status: 302, location: location() }];
  const text = await start("a".repeat(64), { base: base.replace("//", "//me:hidden@") });
  expect(text).toMatch(want);
  expect(text).not.toContain("hidden");
});

test("a redirect to HTTPS is followed", async () => {
  const body = await archive([PROGRAM, "x"]);
  answers = [{ status: 302, location: "/elsewhere?signature=1" }, { body }];
  expect(await start(sha256(body))).toBe("");
  expect(asked).toEqual([PATH, "/elsewhere?signature=1"]);
});

test("a server with an unknown authority is refused", async () => {
  const { cert } = await newCertificate();
  expect(await start("a".repeat(64), { ca: cert })).toMatch(/cannot be read: .*certificate/);
});

test("a store that other users may write is refused", async () => {
  await mkdir(join(home, "store"));
  await chmod(join(home, "store"), 0o777);
  expect(await start("a".repeat(64))).toMatch(/other users may write .*\/store .* set the option folder/);
  expect(asked).toEqual([]);
});

test("a release without a checksum for this platform is reported and left out", async () => {
  source = watched(
    listSource(
      () => `acme/pg@v1#linux-arm64=${"a".repeat(64)}, broken`,
      { base, ca },
      { platform: "linux-amd64", start: () => Promise.reject(boom) },
    ),
  );
  await source.started;
  expect(source.news()).toEqual([
    expect.stringContaining('an entry of the list of releases is left out: the release "broken" cannot be used'),
    "release acme/pg@v1 is not used: it has no checksum for linux-amd64, only for linux-arm64; add it",
  ]);
  expect(asked).toEqual([]);
});

test("the list of releases accepts spaces and leaves out what it cannot read", () => {
  const [a, b] = ["A".repeat(64), "b".repeat(64)];
  const list = ` acme/pg@v1.2.0 # linux-amd64 = ${a} ; linux-arm64=${b} ,, acme/pg@v2#linux-amd64=${a}, x/y@1, x/y@1#linux-amd64=12, x/y@1#l=${a}#`;
  const { names, problems } = parseReleases(list);
  expect(names).toEqual([{ org: "acme", repo: "pg", release: "v1.2.0", sha256: { "linux-amd64": a.toLowerCase(), "linux-arm64": b } }]);
  expect(problems).toEqual([/twice/, /no checksum/, /not a SHA-256/, /is not <org>/].map((reason) => expect.stringMatching(reason)));
});

test.for([
  "pg@v1",
  "acme/pg",
  "acme/pg@",
  "../pg@v1",
  "acme/..@v1",
  "acme/pg@../v1",
  "a/b/c@v1",
  "acme/pg@v1?x",
  "acme/pg@v1\n",
  "-a/pg@v1",
])("the release %j is refused", (name) => {
  expect(() => release(name, { sha256: { "linux-amd64": "a".repeat(64) } })).toThrow(TypeError);
});

test("a release without a checksum, and a base that is not HTTPS, are refused", () => {
  const sums = { "linux-amd64": "a".repeat(64) };
  expect(() => release("acme/pg@v1", { sha256: {} })).toThrow(/no checksum/);
  expect(() => release("acme/pg@v1", { sha256: sums, base: "http://localhost" })).toThrow(/must be an https URL/);
  expect(() => listedReleases({ base: "x" })).toThrow(/must be an https URL/);
});

test.for([
  ["linux", "x64", "linux-amd64"],
  ["darwin", "arm64", "darwin-arm64"],
  ["win32", "x64", "windows-amd64"],
] as const)("the platform of %s and %s is %s", ([os, cpu, want]) => {
  expect(platformOf(os, cpu)).toBe(want);
});
