/** Folders of tests for projects. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { onTestFinished } from "vitest";
import { runTreadle } from "../src/index.ts";
import { fakeTerminal, type FakeTerminal, type FakeTerminalOptions } from "./fake-terminal.ts";

/** Makes a folder that the end of the test removes. */
export function testFolder(parent: string = tmpdir()): string {
  const folder = mkdtempSync(join(parent, ".results-new-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The texts of all files below a folder, by their paths. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const paths = files.map((each) => join(each.parentPath, each.name)).toSorted();
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, "utf8")]));
}

/** Runs a command line. */
export async function run(line: string, options: FakeTerminalOptions = {}): Promise<FakeTerminal["output"] & { readonly code: number }> {
  const terminal = fakeTerminal(options);
  const code = await runTreadle(line.split(" "), terminal);
  return { code, ...terminal.output };
}
