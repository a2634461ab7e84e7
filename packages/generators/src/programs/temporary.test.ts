import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { PrivateFolder } from "./temporary.ts";

let parent: string;
const opened: PrivateFolder[] = [];

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "tf-"));
});

afterEach(async () => {
  for (const folder of opened.splice(0)) await folder.close();
  rmSync(parent, { recursive: true, force: true });
});

function privateFolder(): PrivateFolder {
  const folder = new PrivateFolder(() => parent);
  opened.push(folder);
  return folder;
}

/** A program that makes a folder and then does `rest`. */
function program(rest: string): readonly string[] {
  const module = JSON.stringify(join(import.meta.dirname, "temporary.ts"));
  return [
    "--conditions=@treadle/source",
    "--input-type=module",
    "-e",
    `import { privateFolder } from ${module};\nconst made = await privateFolder.make("a");\n${rest}`,
  ];
}

const env = () => ({ ...process.env, TMPDIR: parent });

describe.skipIf(process.platform === "win32")("the private folder", () => {
  test("holds folders with names of their own, and only its user can enter them", async () => {
    const root = privateFolder();
    const [a, b] = await Promise.all([root.make("helm"), root.make("helm")]);
    expect(dirname(a.path)).toBe(dirname(b.path));
    expect(a.path).not.toBe(b.path);
    for (const path of [a.path, dirname(a.path)]) expect(statSync(path).mode & 0o777).toBe(0o700);
    writeFileSync(join(a.path, "file"), "");
    await a.remove();
    await a.remove();
    expect([existsSync(a.path), existsSync(b.path)]).toEqual([false, true]);
  });

  test("is not made before it is needed, and is removed when it is closed", async () => {
    const root = privateFolder();
    expect(readdirSync(parent)).toEqual([]);
    await root.make("a");
    await root.close();
    expect(readdirSync(parent)).toEqual([]);
    await root.make("a");
    expect(readdirSync(parent)).toHaveLength(1);
  });

  test("is made again when another program removed it", async () => {
    const root = privateFolder();
    const before = await root.make("a");
    rmSync(dirname(before.path), { recursive: true });
    const after = await root.make("a");
    expect(existsSync(after.path)).toBe(true);
    expect(dirname(after.path)).not.toBe(dirname(before.path));
  });

  test("is left for another one when other users could enter it", async () => {
    const root = privateFolder();
    const before = await root.make("a");
    chmodSync(dirname(before.path), 0o755);
    expect(dirname((await root.make("a")).path)).not.toBe(dirname(before.path));
  });

  test("of a process that was killed is removed by the next process", async () => {
    const child = spawn(process.execPath, program(`process.kill(process.pid, "SIGKILL");`), {
      env: env(),
      stdio: ["ignore", "ignore", "inherit"],
    });
    expect(await once(child, "exit")).toEqual([null, "SIGKILL"]);
    const [left] = readdirSync(parent);
    expect(left).toMatch(/^treadle-programs-/);
    const { path } = await privateFolder().make("a");
    expect(readdirSync(parent)).toEqual([dirname(path).slice(parent.length + 1)]);
    expect(dirname(path)).not.toBe(join(parent, left ?? ""));
  });

  test("of a process that lives is not removed by another process", async () => {
    const child = spawn(process.execPath, program("console.log(made.path); process.stdin.resume();"), {
      env: env(),
      stdio: ["pipe", "pipe", "inherit"],
    });
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const theirs = line.toString().trim();
    await privateFolder().make("a");
    expect(existsSync(theirs)).toBe(true);
    child.stdin.end();
    await once(child, "exit");
    // It is removed at the end of the process.
    expect(existsSync(dirname(theirs))).toBe(false);
  });

  test("is removed when the process exits by itself, which it does not prevent", async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...program("console.log(made.path);")], { env: env() });
    expect(stdout).toMatch(/treadle-programs-/);
    expect(readdirSync(parent)).toEqual([]);
  });

  test("of a process that has not yet opened its socket stays for two minutes", async () => {
    const young = join(parent, "treadle-programs-young");
    const old = join(parent, "treadle-programs-old");
    for (const path of [young, old]) mkdirSync(path);
    const before = new Date(Date.now() - 121_000);
    utimesSync(old, before, before);
    await privateFolder().make("a");
    expect([existsSync(young), existsSync(old)]).toEqual([true, false]);
  });

  test("makes folders while files of others have names like its own", async () => {
    writeFileSync(join(parent, "treadle-programs-file"), "");
    await privateFolder().make("a");
    expect(existsSync(join(parent, "treadle-programs-file"))).toBe(true);
  });

  test.for([
    { name: "does not exist", path: () => join(parent, "nothing"), reason: "ENOENT" },
    { name: "is a file", path: () => import.meta.filename, reason: /longer|ENOTDIR/ },
    { name: "is too long for a socket", path: () => join(parent, "x".repeat(100)), reason: "its path is longer than" },
  ])("is a terminal error that names TMPDIR when TMPDIR $name", async ({ path, reason }) => {
    const made = new PrivateFolder(path).make("a");
    await expect(made).rejects.toMatchObject({ code: "TmpdirUnusable", message: expect.stringMatching(/Set TMPDIR to a folder/) });
    await expect(made).rejects.toThrow(reason);
  });
});
