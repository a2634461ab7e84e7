import { chmod, mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Watched, watched } from "../../test/watched-source.ts";
import { type FolderOptions, folder, folderSource } from "./folder.ts";

let home: string;
let plugins: string;
let source: Watched | undefined;
let launched: object[];
const boom = new Error("boom");

beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "treadle-folder-")));
  plugins = join(home, "plugins");
  launched = [];
  await mkdir(plugins, { mode: 0o755 });
});

afterEach(async () => {
  source?.stop();
  source = undefined;
  await rm(home, { recursive: true });
});

const put = async (path: string, mode = 0o755, text = "#!/bin/sh\n"): Promise<void> => {
  await writeFile(join(plugins, path), text);
  await chmod(join(plugins, path), mode);
};

/** Starts a source of the folder, and waits until its first look has ended. */
async function start(options: FolderOptions = {}, path = plugins): Promise<Watched> {
  source = watched(
    folderSource(path, options, (file, { plugin, envNames }) => {
      launched.push({ file, plugin, envNames });
      throw boom;
    }),
  );
  await source.untilIdle();
  await source.pass(1000);
  await source.started;
  return source;
}

test("an executable file is offered after two equal looks, one second apart", async () => {
  await put("pg");
  source = watched(folderSource(plugins, { priority: 3, envNames: ["PGHOST"] }, () => Promise.reject(boom)));
  await source.untilIdle();
  await source.pass(999);
  expect(source.news()).toEqual([]);
  await source.pass(1);
  await source.started;
  expect(source.news()).toEqual(["offer pg"]);
  expect(source.origin("pg")).toMatchObject({ name: "pg", title: join(plugins, "pg"), priority: 3 });
  expect(source.clock.nextDue()).toBe(source.clock.now() + 10_000);
});

test("a file that is still copied is not offered", async () => {
  await put("pg");
  source = watched(folderSource(plugins, {}, () => Promise.reject(boom)));
  for (const text of ["a", "ab", "abc"]) {
    await source.untilIdle();
    await put("pg", 0o755, text);
    await source.pass(1000);
  }
  expect(source.news()).toEqual([]);
  await source.pass(1000);
  expect(source.news()).toEqual(["offer pg"]);
});

test("a program is started by its real path, with the named environment variables", async () => {
  await put("pg.sh");
  const { origin, env } = await start({ envNames: ["PGHOST"] });
  await expect(origin("pg").connect(env, new AbortController().signal)).rejects.toMatchObject({
    code: "NotStarted",
    cause: boom,
    message: `cannot use plugin "pg" of ${join(plugins, "pg.sh")}: boom`,
  });
  expect(launched).toEqual([{ plugin: "pg", file: join(plugins, "pg.sh"), envNames: ["PGHOST"] }]);
});

test("a changed file is offered with a new revision, a removed one is withdrawn, an unchanged one is not reported again", async () => {
  await put("pg");
  const { news, origin, pass } = await start();
  const first = origin("pg").revision;
  await pass(10_000);
  expect(news()).toEqual(["offer pg"]);
  // The same size: the time or the inode shows the change.
  await put("pg", 0o755, "#!/bin/bs\n");
  await pass(10_000);
  expect(news()).toEqual([]);
  await pass(1000);
  expect(news()).toEqual(["offer pg"]);
  expect(origin("pg").revision).not.toBe(first);
  await rm(join(plugins, "pg"));
  await pass(10_000);
  await pass(1000);
  expect(news()).toEqual(["withdraw pg"]);
});

test("a file that is replaced is not withdrawn, although it is away for a moment", async () => {
  await put("pg");
  const { news, pass } = await start();
  news();
  await rename(join(plugins, "pg"), join(plugins, ".old"));
  await pass(10_000);
  await put("pg");
  await pass(1000);
  await pass(1000);
  expect(news()).toEqual(["offer pg"]);
});

test("a file that takes the name of a removed one is offered after the withdrawal", async () => {
  await put("pg.sh");
  await put("pg.py");
  const { news, pass, origin } = await start();
  expect(news()).toEqual([
    "offer pg",
    `${join(plugins, "pg.sh")} is not used as a plugin: it has the same name as pg.py: rename one of them`,
  ]);
  await rm(join(plugins, "pg.py"));
  await pass(10_000);
  await pass(1000);
  expect(news()).toEqual(["withdraw pg", "offer pg"]);
  expect(origin("pg").title).toContain("pg.sh");
});

const REFUSED: readonly { name: string; given: () => Promise<unknown>; options?: FolderOptions; want: RegExp | string }[] = [
  {
    name: "a file without the right to execute",
    given: () => put("pg", 0o644),
    want: /plugins\/pg is not used .* not executable: run chmod \+x/,
  },
  { name: "a folder", given: () => mkdir(join(plugins, "pg")), want: /pg is not used .* not a regular file/ },
  { name: "a link to nothing", given: () => symlink("./none", join(plugins, "pg")), want: /pg is not used .* cannot be read: ENOENT/ },
  {
    name: "a link out of the folder",
    given: () => linkOut("pg"),
    want: /pg is not used .* link out of the folder, to .*outside\/pg: copy/,
  },
  { name: "a link out of the folder that is allowed", given: () => linkOut("pg"), options: { allowLinksOut: true }, want: "offer pg" },
  {
    name: "a link to a folder whose name begins with that of the folder",
    given: () => linkOut("pg", "plugins2"),
    want: /link out of the folder/,
  },
  {
    name: "a link in the folder, as in a volume of a ConfigMap",
    given: async () => {
      await mkdir(join(plugins, "..1"));
      await put("..1/pg");
      await symlink("..1", join(plugins, "..data"));
      await symlink("..data/pg", join(plugins, "pg"));
    },
    want: "offer pg",
  },
  {
    name: "a file that others may write",
    given: () => put("pg", 0o757),
    want: /other users may write .*\/pg \(mode 0757\): run chmod go-w/,
  },
  { name: "a file that its group may write", given: () => put("pg", 0o775), want: /other users may write .*\/pg \(mode 0775\)/ },
  { name: "a file that others may write, allowed", given: () => put("pg", 0o777), options: { allowOtherWriters: true }, want: "offer pg" },
  {
    name: "a folder that others may write",
    given: () => withMode(plugins, 0o777),
    want: /no plugin is taken from .*\/plugins: other users may write/,
  },
  {
    name: "a sticky folder: others can add files",
    given: () => withMode(plugins, 0o1777),
    want: /no plugin is taken from .*\(mode 1777\)/,
  },
  { name: "a folder below one that others may write", given: () => withMode(home, 0o777), want: /no plugin is taken from .*\(mode 0777\)/ },
  { name: "a folder below a sticky one, such as /tmp", given: () => withMode(home, 0o1777), want: "offer pg" },
  {
    name: "a folder that others may write, allowed",
    given: () => withMode(plugins, 0o777),
    options: { allowOtherWriters: true },
    want: "offer pg",
  },
];

async function linkOut(name: string, folderName = "outside"): Promise<void> {
  await mkdir(join(home, folderName));
  await put(`../${folderName}/${name}`);
  await symlink(join(home, folderName, name), join(plugins, name));
}

async function withMode(path: string, mode: number): Promise<void> {
  await put("pg");
  await chmod(path, mode);
}

test.for(REFUSED)("a look at $name is reported once", async ({ given, options, want }) => {
  await given();
  const { news, pass } = await start(options);
  const reported = news();
  expect(reported).toEqual([typeof want === "string" ? want : expect.stringMatching(want)]);
  await pass(10_000);
  expect(news()).toEqual([]);
});

test.skipIf(process.getuid?.() !== 0)("a file of another user is refused", async () => {
  const { chown } = await import("node:fs/promises");
  await put("pg");
  await chown(join(plugins, "pg"), 12_345, 0);
  expect((await start()).news()).toEqual([
    expect.stringMatching(/pg belongs to user 12345, who may write it: change its owner to 0 or root/),
  ]);
});

test("dot files are ignored without a report", async () => {
  await put(".pg");
  await put(".notes", 0o644);
  source = watched(folderSource(plugins, {}, () => Promise.reject(boom)));
  await source.started;
  expect(source.news()).toEqual([]);
});

test("a missing folder is reported once and looked at again; its removal withdraws its plugins", async () => {
  await rm(plugins, { recursive: true });
  const { news, pass } = await start();
  expect(news()).toEqual([`the folder of plugins ${plugins} is missing: create it, or mount it`]);
  await pass(10_000);
  expect(news()).toEqual([]);
  await mkdir(plugins, { mode: 0o755 });
  await put("pg");
  await pass(10_000);
  await pass(1000);
  expect(news()).toEqual(["offer pg"]);
  await rm(plugins, { recursive: true });
  await pass(10_000);
  await pass(1000);
  expect(news()).toEqual(["withdraw pg", expect.stringContaining("is missing")]);
});

test("a path that is a file is reported, and does not stop the programs that were found before", async () => {
  await put("pg");
  const { news, pass } = await start();
  await rename(plugins, join(home, "moved"));
  await writeFile(plugins, "");
  await pass(10_000);
  await pass(1000);
  expect(news()).toEqual(["offer pg", expect.stringMatching(/folder of plugins .* cannot be read: ENOTDIR/)]);
});

test("an aborted source reports nothing more", async () => {
  await put("pg");
  const { news, clock, stop } = await start();
  news();
  stop();
  await rm(join(plugins, "pg"));
  await clock.advance(60_000);
  expect(news()).toEqual([]);
  expect(clock.nextDue()).toBeUndefined();
});

test("an empty path is refused", () => {
  expect(() => folder("")).toThrow(TypeError);
});
