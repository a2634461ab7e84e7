/** What runs between an event of a watch and the patch of the status, and whether docs/engine.md names it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { type FunctionsByFile, measureMainPath, readingLists } from "./main-path.ts";
import { root } from "./workspaces.ts";

/** The most files on the path, in all packages and in `reconcile`. The goals are 60 and 14: these numbers only go down. */
const MOST_FILES = 94;
const MOST_IN_RECONCILE = 24; // One more than before: the decision whether an object is paused became a pure function of its own.
/** A file of `reconcile` or `controller` with more functions on the path has to be in a list of docs/engine.md. */
const FEW_FUNCTIONS = 3;

let ran: FunctionsByFile;
const lists = readingLists(readFileSync(join(root, "docs/engine.md"), "utf8"));

beforeAll(async () => {
  ran = await measureMainPath();
  const lines = Object.entries(ran).map(([file, functions]) => `  ${String(functions.length).padStart(3)} ${file}`);
  console.info(`the main path has ${lines.length} files, with so many functions that ran:\n${lines.join("\n")}`);
}, 120_000);

function inPackage(name: string): readonly string[] {
  return Object.keys(ran).filter((file) => file.startsWith(`packages/${name}/`));
}

test("the path from an event to the status patch has no more files than the limits", () => {
  expect(inPackage("reconcile").length).toBeGreaterThan(5);
  expect(Object.keys(ran).length).toBeLessThanOrEqual(MOST_FILES);
  expect(inPackage("reconcile").length).toBeLessThanOrEqual(MOST_IN_RECONCILE);
});

test("docs/engine.md lists at most 8 files from handler() and at most 10 from createManager()", () => {
  expect(lists.fromHandler.length).toBeLessThanOrEqual(8);
  expect(lists.fromManager.length).toBeLessThanOrEqual(10);
});

test("each file that docs/engine.md lists from an event to the patch runs", () => {
  const idle = [...lists.fromHandler, ...lists.fromManager].filter((file) => ran[file] === undefined);
  expect(idle, "these files are not on the path: take them out of the lists").toEqual([]);
});

test("each file of reconcile or controller with more than three functions on the path is in a list of docs/engine.md", () => {
  const named = new Set([...lists.fromHandler, ...lists.fromManager, ...lists.helpers]);
  const large = [...inPackage("reconcile"), ...inPackage("controller")].filter((file) => (ran[file]?.length ?? 0) > FEW_FUNCTIONS);
  expect(
    large.filter((file) => !named.has(file)),
    'add them to a list of "Reading the code", or to its helpers',
  ).toEqual([]);
});

test("each helper in docs/engine.md exists", () => {
  for (const file of lists.helpers) expect(() => readFileSync(join(root, file)), file).not.toThrow();
});

test("a page without one of the lists is an error", () => {
  expect(() => readingLists("# The engine\n\n## Reading the code\n\nFrom `handler()`:\n\n1. [`a`](../a.ts) runs.\n")).toThrow(
    "has no list fromManager",
  );
});
