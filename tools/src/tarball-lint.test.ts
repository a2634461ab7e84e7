import { join } from "node:path";
import { expect, test } from "vitest";
import { capture } from "./run.ts";
import { lintTarball } from "./tarball-lint.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

/** The tarball of a package with the given files. */
async function packed(files: Readonly<Record<string, string | object>>): Promise<string> {
  const base = temporaryWorkspace(Object.fromEntries(Object.entries(files).map(([path, content]) => [`package/${path}`, content])));
  const tarball = join(base, "x.tgz");
  expect(await capture("tar", ["-czf", tarball, "-C", base, "package"])).toMatchObject({ code: 0 });
  return tarball;
}

const manifest = { name: "x", version: "1.0.0", type: "module", exports: { ".": { types: "./index.d.ts", default: "./index.js" } } };
const code = { "index.js": "export const x = 1;\n", "index.d.ts": "export declare const x: number;\n" };

test("a package for ES modules has no problem", { timeout: 60_000 }, async () => {
  expect(await lintTarball(await packed({ "package.json": manifest, ...code }))).toEqual([]);
});

test("types that come after the code and types that are missing are reported by both tools", { timeout: 60_000 }, async () => {
  const exports = { ".": { default: "./index.js", types: "./index.d.ts" }, "./sub": { types: "./sub.d.ts", default: "./index.js" } };
  const problems = await lintTarball(await packed({ "package.json": { ...manifest, exports }, ...code }));
  expect(problems).toEqual([
    expect.stringMatching(/x\.tgz: publint reports:[^]*types/),
    expect.stringMatching(/x\.tgz: attw reports:[^]*x\/sub/),
  ]);
});
