import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock } from "@treadle/apimachinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { stampOf } from "./stamp.ts";
import { FileWatcher } from "./watch-files.ts";

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), "treadle-watch-"))));
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** A watcher whose folders report when the test says so. */
function setUp({ refusal }: { readonly refusal?: Error } = {}) {
  const clock = fakeClock();
  const changes: (readonly string[])[] = [];
  const problems: string[] = [];
  const folders = new Map<string, () => void>();
  const watcher = new FileWatcher({
    clock,
    root,
    onChange: (paths) => void changes.push(paths),
    onProblem: (message) => void problems.push(message),
    watchFolder(folder, onEvent) {
      if (refusal !== undefined) throw refusal;
      folders.set(folder, onEvent);
      return { close: () => void folders.delete(folder) };
    },
  });
  return { clock, changes, problems, folders, watcher };
}

function written(name: string, text: string): string {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
}

test("a burst of writes is one change, after a pause", async () => {
  const { clock, changes, folders, watcher } = setUp();
  const files = ["a.ts", "b.ts", "c.ts"].map((name) => written(name, ""));
  for (const file of files) watcher.add(file);
  for (const [at, file] of files.entries()) {
    writeFileSync(file, "x".repeat(at + 1));
    folders.get(root)?.();
    await clock.advance(49);
  }
  expect(changes).toEqual([]);
  await clock.advance(1);
  expect(changes).toEqual([files]);
});

test("a file that is saved by a rename is a change, each time", async () => {
  const { clock, changes, folders, watcher } = setUp();
  const file = written("a.ts", "1");
  watcher.add(file);
  for (const text of ["22", "333"]) {
    renameSync(written(".a.ts.swp", text), file);
    folders.get(root)?.();
    await clock.advance(50);
  }
  expect(changes).toEqual([[file], [file]]);
});

test("other files of the folder, and reports without a change, are ignored", async () => {
  const { clock, changes, folders, watcher } = setUp();
  watcher.add(written("a.ts", "1"));
  written("b.ts", "2");
  folders.get(root)?.();
  await clock.advance(1_000);
  expect(changes).toEqual([]);
});

test("a file that was written after it was loaded, and before it was watched, is a change", async () => {
  const { clock, changes, watcher } = setUp();
  const file = written("a.ts", "1");
  const loaded = stampOf(file);
  utimesSync(file, 1, 1);
  watcher.add(file, loaded);
  await clock.advance(50);
  expect(changes).toEqual([[file]]);
});

test("a missing file is a change when it is written, also in a folder that is made for it", async () => {
  const { clock, changes, folders, watcher } = setUp();
  const file = join(root, "lib", "a.ts");
  watcher.add(file);
  expect([...folders.keys()]).toEqual([root]);
  mkdirSync(join(root, "lib"));
  folders.get(root)?.();
  await clock.advance(50);
  expect([...folders.keys()]).toEqual([root, join(root, "lib")]);
  writeFileSync(file, "");
  folders.get(join(root, "lib"))?.();
  await clock.advance(50);
  expect(changes).toEqual([[file]]);
});

test("a folder that was removed and made again is watched again", async () => {
  const { clock, changes, folders, watcher } = setUp();
  const lib = join(root, "lib");
  mkdirSync(lib);
  const file = written("lib/a.ts", "1");
  watcher.add(file);
  const first = folders.get(lib);
  renameSync(lib, join(root, "old"));
  mkdirSync(lib);
  written("lib/a.ts", "1234");
  folders.get(root)?.();
  await clock.advance(50);
  expect(changes).toEqual([[file]]);
  expect(folders.get(lib)).not.toBe(first);
});

test("a folder that cannot be watched is reported once, and one that was removed is not", () => {
  const full = setUp({ refusal: Object.assign(new Error("no space left"), { code: "ENOSPC" }) });
  for (const name of ["a.ts", "b.ts"]) full.watcher.add(written(name, ""));
  expect(full.problems).toEqual([expect.stringMatching(/^cannot watch .*: no space left\. Edits there are not seen/)]);
  const gone = setUp({ refusal: Object.assign(new Error("gone"), { code: "ENOENT" }) });
  gone.watcher.add(written("a.ts", ""));
  expect(gone.problems).toEqual([]);
});

test("a closed watcher watches nothing", async () => {
  const { clock, changes, folders, watcher } = setUp();
  const file = written("a.ts", "1");
  watcher.add(file);
  writeFileSync(file, "22");
  folders.get(root)?.();
  watcher.close();
  await clock.advance(50);
  expect([folders.size, changes]).toEqual([0, []]);
});
