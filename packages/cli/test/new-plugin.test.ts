/** The project of a plugin: its plans, and its archives, as `release()` expects them. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal } from "./fake-terminal.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "../../..");
const NAME = "kube-queues";
/** The sources of this repository, in place of its declarations, need newer types. */
const LIBS = ["--lib", "es2024,esnext.disposable,esnext.collection"];
let folder: string;

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "new-plugin-")), NAME);
  expect(await runTreadle(["new", "plugin", NAME, "--dir", folder], fakeTerminal())).toBe(0);
  // What `npm install` does, from this repository.
  await mkdir(join(folder, "node_modules/@treadle"), { recursive: true });
  const plugins = join(ROOT, "packages/plugins");
  for (const name of ["zod", "rolldown", "protobufjs", "@treadle/apimachinery"])
    await symlink(join(plugins, "node_modules", name), join(folder, "node_modules", name));
  await symlink(plugins, join(folder, "node_modules/@treadle/plugins"));
  for (const name of ["vitest", "@types"]) await symlink(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  await run(process.execPath, ["--conditions=@treadle/source", "build.ts"], { cwd: folder });
});
afterAll(() => rm(join(folder, ".."), { recursive: true, force: true }));

test("the project compiles", async () => {
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  await expect(
    run(process.execPath, [tsc, "--project", folder, "--customConditions", "@treadle/source", ...LIBS], { cwd: folder }),
  ).resolves.toMatchObject({ stdout: "" });
});

test("the tests of the project pass", async () => {
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { stdout } = await run(process.execPath, [vitest, "run", "--config", join(ROOT, "vitest.config.ts"), "--root", folder], {
    cwd: folder,
  });
  expect(stdout).toContain("3 passed");
});

test("a plugin with two types has at most 40 lines", async () => {
  const lines = (await readFile(join(folder, "plugin.ts"), "utf8")).trimEnd().split("\n");
  expect(lines.length).toBeLessThanOrEqual(40);
});

test("the build gives an archive for each platform with its checksum", async () => {
  const archives = ["darwin_amd64", "darwin_arm64", "linux_amd64", "linux_arm64"].map((platform) => `${NAME}_${platform}.tar.gz`);
  expect((await readdir(join(folder, "dist"))).toSorted()).toEqual(["SHA256SUMS", NAME, ...archives].toSorted());
  const sums = (await readFile(join(folder, "dist/SHA256SUMS"), "utf8")).trimEnd().split("\n").toSorted();
  const want = await Promise.all(
    archives.map(async (archive) => {
      const content = await readFile(join(folder, "dist", archive));
      return `${createHash("sha256").update(content).digest("hex")}  ${archive}`;
    }),
  );
  expect(sums).toEqual(want.toSorted());
});

test("an archive has one executable file, which runs without the repository", async () => {
  const archive = join(folder, "dist", `${NAME}_linux_amd64.tar.gz`);
  const { stdout } = await run("tar", ["-tvzf", archive]);
  expect(stdout.trimEnd().split("\n")).toEqual([expect.stringMatching(/^-rwxr-xr-x .* kube-queues$/)]);
  const alone = await mkdtemp(join(tmpdir(), "plugin-alone-"));
  try {
    await run("tar", ["-xzf", archive, "-C", alone]);
    // Its stdin is closed at once, so that it ends after the handshake: protocol and certificates are in the file.
    const started = run(join(alone, NAME), [], {
      env: {
        PATH: process.env["PATH"],
        TREADLE_PLUGIN: "treadle.dev/capability",
        PLUGIN_CLIENT_CERT: "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
        PLUGIN_UNIX_SOCKET_DIR: alone,
      },
    });
    started.child.stdin?.end();
    expect((await started).stdout).toMatch(/^1\|1\|unix\|\/.*\|grpc\|[A-Za-z0-9+/]{100,}\n$/);
  } finally {
    await rm(alone, { recursive: true });
  }
});
