/** `treadle upgrade` as a user runs it, on projects that an older version made. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runTreadle } from "../src/index.ts";
import { VERSION } from "../src/version.ts";
import { fakeTerminal } from "./fake-terminal.ts";
import { filesIn, run, testFolder } from "./new-folder.ts";

/** A project of this version. */
async function project(): Promise<string> {
  const folder = join(testFolder(), "shop");
  for (const line of ["operator shop --yes", "step read-input"]) expect((await run(`new ${line} --dir ${folder}`)).code).toBe(0);
  return folder;
}

/**
 * Makes a project look as if an older version had made it: texts of this version are replaced by older ones, in the files and in the record of
 * the templates. An older text of `undefined`: the older version did not have the file.
 */
function aged(folder: string, older: Readonly<Record<string, (text: string) => string | undefined>>): void {
  const record = JSON.parse(read(folder, "treadle.json")) as object;
  const base = JSON.parse(read(folder, ".treadle/base.json")) as { readonly files: Record<string, string> };
  for (const [path, edit] of Object.entries(older)) {
    const text = edit(base.files[path] ?? "");
    if (text === undefined) {
      delete base.files[path];
      rmSync(join(folder, path));
      continue;
    }
    // None of these files is one that an addition changes.
    base.files[path] = text;
    write(folder, path, text);
  }
  write(folder, "treadle.json", JSON.stringify({ ...record, version: "0.0.9" }));
  write(folder, ".treadle/base.json", JSON.stringify(base));
}

const read = (folder: string, path: string): string => readFileSync(join(folder, path), "utf8");
const write = (folder: string, path: string, text: string): void => writeFileSync(join(folder, path), text);
const change = (folder: string, path: string, from: string, to: string): void => write(folder, path, read(folder, path).replace(from, to));

test("a project of this version has nothing to upgrade", async () => {
  const folder = await project();
  const before = filesIn(folder);
  expect(await run(`upgrade --dir ${folder}`)).toEqual({
    code: 0,
    out: `The project has the templates of version ${VERSION} already.\n`,
    err: "",
  });
  expect(filesIn(folder)).toEqual(before);
});

test("changes of the templates arrive, and those of the user stay", async () => {
  const folder = await project();
  aged(folder, {
    Dockerfile: (text) => text.replaceAll("node:24", "node:22"),
    ".editorconfig": () => undefined,
    "package.json": (text) => text.replace(`"treadle": "^${VERSION}"`, '"treadle": "^0.0.9"'),
    "src/read-input.ts": (text) => text.replace("A step of", "One step of"),
    "old.txt": () => "of an older version\n",
    "changed.txt": () => "of an older version\n",
  });
  change(folder, "Dockerfile", "EXPOSE 8081 8080", "EXPOSE 8081 8080 6060");
  change(folder, "package.json", '"zod"', '"pg": "^8.0.0",\n    "zod"');
  change(folder, "src/main.ts", "await manager.run();", "console.log('mine');\nawait manager.run();");
  write(folder, "changed.txt", "mine\n");
  chmodSync(join(folder, "Dockerfile"), 0o755);
  rmSync(join(folder, ".vscode/launch.json"));

  const { code, out } = await run(`upgrade --dir ${folder}`);
  expect(code).toBe(0);
  expect(out).toMatchInlineSnapshot(`
    "Upgraded from version 0.0.9 to ${VERSION}.
      .editorconfig: added
      Dockerfile: merged with your changes
      changed.txt: kept: the templates no longer have it, and you changed it
      old.txt: removed
      package.json: merged with your changes
      src/read-input.ts: updated

    package.json has changed: install the packages again.
    "
  `);
  expect(read(folder, "Dockerfile")).toMatch(/node:24[^]*8081 8080 6060/);
  expect(statSync(join(folder, "Dockerfile")).mode & 0o777).toBe(0o755);
  expect(JSON.parse(read(folder, "package.json"))).toMatchObject({ dependencies: { treadle: `^${VERSION}`, pg: "^8.0.0" } });
  expect(read(folder, "src/main.ts")).toContain("console.log('mine');");
  expect(read(folder, "src/shop-handler.ts")).toContain(".step(readInput)");
  expect(read(folder, "src/read-input.ts")).toContain("A step of");
  expect(filesIn(folder)).toMatchObject({ "changed.txt": "mine\n" });
  expect(Object.keys(filesIn(folder))).not.toContain("old.txt");
  expect((await run(`upgrade --dir ${folder}`)).out).toMatch(/already/);
});

test("a conflict gets the marks of git, the rest is upgraded, and the command ends with 1", async () => {
  const folder = await project();
  aged(folder, {
    Dockerfile: (text) => text.replace("USER 65532:65532", "USER node"),
    "vitest.config.ts": (text) => text.replace("60_000", "30_000"),
  });
  change(folder, "Dockerfile", "USER node", "USER 5");
  const { code, out } = await run(`upgrade --dir ${folder}`);
  expect(code).toBe(1);
  expect(out).toMatch(/Dockerfile: conflict: resolve its marks\n {2}vitest\.config\.ts: updated\n\nSearch for <<<<<<< in these files/);
  expect(read(folder, "Dockerfile")).toContain(`<<<<<<< yours\nUSER 5\n=======\nUSER 65532:65532\n>>>>>>> treadle ${VERSION}\n`);
  expect(JSON.parse(read(folder, "treadle.json"))).toMatchObject({ version: VERSION });
});

test("--dry-run shows the same and writes nothing", async () => {
  const folder = await project();
  aged(folder, { Dockerfile: (text) => text.replace("USER 65532:65532", "USER node") });
  const before = filesIn(folder);
  const { code, out } = await run(`upgrade --dry-run --dir ${folder}`);
  expect([code, out]).toEqual([0, `Would upgrade from version 0.0.9 to ${VERSION}. Nothing was written.\n  Dockerfile: updated\n`]);
  expect(filesIn(folder)).toEqual(before);
});

test("uncommitted changes are refused without --force, and committed ones are not", async () => {
  const folder = await project();
  const git = (...args: readonly string[]): void =>
    void execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.com", ...args], { cwd: folder });
  aged(folder, { Dockerfile: (text) => text.replace("USER 65532:65532", "USER node") });
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message", "all");
  write(folder, "notes.txt", "");
  const before = filesIn(join(folder, "src"));
  expect(await run(`upgrade --dir ${folder}`)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/has uncommitted changes, .*:\n {2}\?\? notes\.txt\nCommit or stash them first, or add --force\./),
  });
  expect(filesIn(join(folder, "src"))).toEqual(before);
  expect((await run(`upgrade --dry-run --dir ${folder}`)).code).toBe(0);
  git("add", "--all");
  git("commit", "--quiet", "--message", "notes");
  expect((await run(`upgrade --dir ${folder}`)).code).toBe(0);
});

test("--force upgrades with uncommitted changes", async () => {
  const folder = await project();
  aged(folder, { Dockerfile: (text) => text.replace("USER 65532:65532", "USER node") });
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  expect((await run(`upgrade --dir ${folder}`)).code).toBe(2);
  expect((await run(`upgrade --force --dir ${folder}`)).code).toBe(0);
});

test.for([
  {
    name: "a folder that is no project",
    spoil: (folder: string) => rmSync(join(folder, "package.json")),
    text: /is no project of an operator/,
  },
  {
    name: "a project without treadle.json",
    spoil: (folder: string) => rmSync(join(folder, "treadle.json")),
    text: /only projects of `treadle new operator` can be upgraded/,
  },
  {
    name: "a project without its record of the templates",
    spoil: (folder: string) => rmSync(join(folder, ".treadle/base.json")),
    text: /has no \.treadle\/base\.json, .*: restore it from your repository/,
  },
  {
    name: "a broken treadle.json",
    spoil: (folder: string) => write(folder, "treadle.json", "{}"),
    text: /treadle\.json is not what treadle wrote/,
  },
  {
    name: "a treadle.json that is no JSON",
    spoil: (folder: string) => write(folder, "treadle.json", "<<<<<<< a"),
    text: /cannot read .*treadle\.json: /,
  },
  {
    name: "a broken record of the templates",
    spoil: (folder: string) => write(folder, ".treadle/base.json", '{"files":{"a":1}}'),
    text: /base\.json is not what treadle wrote/,
  },
  {
    name: "a project of a newer version",
    spoil: (folder: string) => change(folder, "treadle.json", `"version": "${VERSION}"`, '"version": "10.0.0"'),
    text: /templates of version 10\.0\.0, and this is version .*: npm install --save-dev @treadle\/cli@10\.0\.0/,
  },
])("$name is refused with what to do", async ({ spoil, text }) => {
  const folder = await project();
  spoil(folder);
  expect(await run(`upgrade --dir ${folder}`)).toMatchObject({ code: 2, out: "", err: expect.stringMatching(text) });
});

test("Ctrl-C leaves a project as it was", async () => {
  const folder = await project();
  aged(folder, { Dockerfile: (text) => text.replace("USER 65532:65532", "USER node") });
  const before = filesIn(folder);
  const terminal = fakeTerminal();
  terminal.interrupt();
  expect(await runTreadle(["upgrade", "--dir", folder], terminal)).toBe(130);
  expect(filesIn(folder)).toEqual(before);
});

const STEP = { type: "step", name: "x", kind: "Shop", module: "src/shop.ts" };

test.for([
  { name: "an addition that leads out of the project", record: { additions: [{ ...STEP, module: "../evil.ts" }] } },
  { name: "an absolute module", record: { additions: [{ ...STEP, module: "/tmp/evil.ts" }] } },
  { name: "an addition without a form", record: { additions: [null] } },
  { name: "an addition of another type", record: { additions: [{ type: "constructor", kind: "Shop" }] } },
  { name: "an addition without its module", record: { additions: [{ type: "step", name: "x", kind: "Shop" }] } },
  { name: "a kind that is a path", record: { operator: { name: "shop", group: "a.example.com", kind: "../../x", packageManager: "npm" } } },
  { name: "another package manager", record: { operator: { name: "shop", group: "a.example.com", kind: "Shop", packageManager: "yarn" } } },
])("a record with $name is refused, and nothing is written", async ({ record }) => {
  const folder = await project();
  write(folder, "treadle.json", JSON.stringify({ ...JSON.parse(read(folder, "treadle.json")), version: "0.0.9", ...record }));
  const before = filesIn(join(folder, ".."));
  const { code, err } = await run(`upgrade --force --dir ${folder}`);
  expect([code, err]).toEqual([2, expect.stringContaining("treadle.json is not what treadle wrote")]);
  expect(filesIn(join(folder, ".."))).toEqual(before);
});

test("templates with a path out of the project delete no file there", async () => {
  const folder = await project();
  const precious = join(folder, "..", "precious");
  writeFileSync(precious, "a\n");
  aged(folder, {});
  const base = JSON.parse(read(folder, ".treadle/base.json")) as { readonly files: Record<string, string> };
  write(folder, ".treadle/base.json", JSON.stringify({ ...base, files: { ...base.files, "../precious": "a\n" } }));
  const { code, err } = await run(`upgrade --force --dir ${folder}`);
  expect([code, err]).toEqual([2, expect.stringContaining("base.json is not what treadle wrote")]);
  expect(existsSync(precious)).toBe(true);
});

test("a folder with the name of a template is an error with its path", async () => {
  const folder = await project();
  aged(folder, { Dockerfile: (text) => `${text}# old\n` });
  rmSync(join(folder, "Dockerfile"));
  mkdirSync(join(folder, "Dockerfile"));
  const { code, err } = await run(`upgrade --force --dir ${folder}`);
  expect([code, err]).toEqual([2, expect.stringMatching(/cannot read .*Dockerfile.*\n.*move it away/)]);
});

test("uncommitted changes are refused also where git lists more than a megabyte of them", async () => {
  const folder = await project();
  aged(folder, { Dockerfile: (text) => `${text}# old\n` });
  execFileSync("git", ["init", "--quiet"], { cwd: folder });
  execFileSync("git", ["config", "status.showUntrackedFiles", "all"], { cwd: folder });
  mkdirSync(join(folder, "many"));
  const long = "x".repeat(200);
  for (let at = 0; at < 6_000; at++) writeFileSync(join(folder, "many", `${long}${at}`), "");
  const { code, err } = await run(`upgrade --dir ${folder}`);
  expect([code, err]).toEqual([2, expect.stringContaining("has uncommitted changes")]);
});

test("a package.json with a byte order mark is read", async () => {
  const folder = await project();
  write(folder, "package.json", `\uFEFF${read(folder, "package.json")}`);
  expect((await run(`new step more --dir ${folder}`)).code).toBe(0);
});
