/** For tests of the checks: a workspace on disk that is removed after the test. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Writes the files by their paths, objects as JSON, and returns the folder. A root `package.json` is added. */
export function temporaryWorkspace(files: Readonly<Record<string, string | object>>): string {
  const base = mkdtempSync(join(tmpdir(), "treadle-check-"));
  onTestFinished(() => rmSync(base, { recursive: true }));
  for (const [path, content] of Object.entries({ "package.json": { name: "root", devDependencies: { vitest: "1" } }, ...files })) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), typeof content === "string" ? content : JSON.stringify(content));
  }
  return base;
}
