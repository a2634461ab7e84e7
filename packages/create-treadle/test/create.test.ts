/** The program as `npm create treadle` starts it. */
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

const BIN = join(import.meta.dirname, "../src/create-treadle-bin.ts");

test("npm create treadle makes the project of an operator", async () => {
  const cwd = mkdtempSync(join(tmpdir(), "create-treadle-"));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const args = ["--conditions=@treadle/source", BIN, "website-operator", "--yes"];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, args, { cwd });
  expect([stdout, stderr]).toEqual([expect.stringMatching(/^Made website-operator\. Next:/), ""]);
  expect(readdirSync(join(cwd, "website-operator"))).toContain("package.json");
});
