import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { settings } from "./settings.ts";

const bench = resolve(import.meta.dirname, "..");

test("only the full form writes to docs/ unless a folder is named", () => {
  const out = mkdtempSync(join(tmpdir(), "settings-"));
  onTestFinished(() => rmSync(out, { recursive: true }));
  expect(settings([], {})).toEqual({ size: "full", isProfile: false, out: resolve(bench, "..", "docs") });
  expect(settings(["--quick"], {})).toEqual({ size: "quick", isProfile: false, out: join(bench, "dist", "quick") });
  expect(settings([], { BENCH_SIZE: "quick", BENCH_OUT: join(out, "new") }).out).toBe(join(out, "new"));
  expect(settings(["--profile"], {})).toEqual({ size: "quick", isProfile: true, out: join(bench, "dist", "profiles") });
  expect(settings(["--profile"], { BENCH_SIZE: "full", BENCH_PEERS: "a,b" })).toMatchObject({ size: "full", names: ["a", "b"] });
});

test("an unknown size and an unknown option are refused", () => {
  expect(() => settings([], { BENCH_SIZE: "small" })).toThrow('BENCH_SIZE is "small"; it can be full or quick');
  expect(() => settings(["--fast"], {})).toThrow("--fast");
});
