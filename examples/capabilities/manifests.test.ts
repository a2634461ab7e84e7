import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

test("manifests/rbac.yaml is what `npm run rbac` makes of the handler", () => {
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "package.json"), "utf8")) as { scripts: { rbac: string } };
  const [, ...args] = scripts.rbac.replace("--out", "--check").split(" ");
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  expect(`${stdout}${stderr}`).toBe("");
  expect(status).toBe(0);
});
