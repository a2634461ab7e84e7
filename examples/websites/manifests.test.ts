import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";

test("manifests/install.yaml is what `npm run manifests` makes of the operator", () => {
  const args = ["--conditions=@treadle/source", "manifests.ts", "--check"];
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: import.meta.dirname, encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
});
