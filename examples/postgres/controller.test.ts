/** The size of the operator, and what happens without PostgreSQL. */
import { readFileSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { findBinaries } from "./postgres-binaries.ts";

test.for(["role", "database"])("the kind of the step %j takes at most 25 lines beside its declaration", (name) => {
  const text = readFileSync(path.join(import.meta.dirname, "controller.ts"), "utf8");
  const step = new RegExp(`^const ${name} = managed[^]*?^}\\);$`, "m").exec(text)?.[0] ?? "";
  const handler = new RegExp(`^export const ${name}s = .*$`, "m").exec(text)?.[0] ?? "";
  expect([step, handler].every((part) => part !== "")).toBe(true);
  expect(`${step}\n${handler}`.split("\n").length).toBeLessThanOrEqual(25);
});

test("where PostgreSQL cannot be downloaded, the reason is given and no part of a download is left", async () => {
  const cache = await mkdtemp(path.join(tmpdir(), "treadle-no-postgresql-"));
  const reason = await findBinaries({ cache, useInstalled: false, aptArgs: ["--no-such-option"] });
  expect(reason).toMatch(/^PostgreSQL is not installed/);
  expect(await readdir(cache)).toEqual([]);
  await rm(cache, { recursive: true });
});
