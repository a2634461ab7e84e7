/** For each rule of "never twice, never lost", a defect that is planted into the source is found. The rules: never-twice/defects.ts. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { DEFECTS } from "./never-twice/defects.ts";

const PROGRAM = fileURLToPath(new URL("./never-twice/planted.ts", import.meta.url));

interface Found {
  readonly rule: string;
  readonly violations: readonly string[];
  readonly without: readonly string[];
}

test("a planted defect of each rule is found, by a script that finds nothing in the source", { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@treadle/source", PROGRAM]);
  const found = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Found); // The program prints them.
  expect(found.map(({ rule }) => rule)).toEqual(DEFECTS.map(({ rule }) => rule));
  expect(found.filter(({ violations, without }) => violations.length === 0 || without.length > 0)).toEqual([]);
});
