import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkApiReports } from "./api-reports.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

const exports = {
  ".": { types: "./dist/index.d.ts" },
  "./unstable/engine": { types: "./dist/engine.d.ts" },
  "./package.json": "./package.json",
};
const documented = "/** A number with a long description. */\n";

/** A built package with two entry points, by the text of their declarations. */
function built(index: string, engine = `${documented}export declare const engine: number;\n`): string {
  return temporaryWorkspace({
    "packages/x/package.json": { name: "@treadle/x", version: "1.0.0", type: "module", exports },
    "packages/x/dist/index.d.ts": index,
    "packages/x/dist/engine.d.ts": engine,
  });
}

test("reports are written; one that differs and one without an entry point are found, and updated", { timeout: 60_000 }, () => {
  const base = built(`${documented}export declare const answer: number;\n`);
  const stray = "packages/x/etc/x-old.api.md";
  expect(checkApiReports({ base, update: true })).toEqual([]);
  expect(readFileSync(join(base, "packages/x/etc/x.api.md"), "utf8")).toContain("export const answer: number;");
  expect(readFileSync(join(base, "packages/x/etc/x-unstable-engine.api.md"), "utf8")).toContain("export const engine: number;");

  writeFileSync(join(base, "packages/x/dist/index.d.ts"), `${documented}export declare const answer: string;\n`);
  writeFileSync(join(base, stray), "");
  expect(checkApiReports({ base, update: false })).toEqual([
    "packages/x/etc/x.api.md differs from what the package exports; run `npm run check -- api --update`",
    `${stray} belongs to no entry point; run \`npm run check -- api --update\``,
  ]);

  expect(checkApiReports({ base, update: true })).toEqual([]);
  expect(readFileSync(join(base, "packages/x/etc/x.api.md"), "utf8")).toContain("export const answer: string;");
  expect(existsSync(join(base, stray))).toBe(false);
});

test("a name or a member without a doc comment and a type that no entry point exports are problems", { timeout: 60_000 }, () => {
  const index = [
    "export {};",
    "interface Hidden { readonly a: number }",
    "interface Elsewhere { readonly a: number }",
    "type Computed<T> = { [K in keyof T]: Elsewhere };",
    "export interface Bare {",
    `  ${documented}  readonly hidden: Hidden;`,
    "  readonly elsewhere: Computed<Elsewhere>;",
    "  readonly [field: string]: unknown;",
    "}",
  ].join("\n");
  const engine = `${documented}export interface Elsewhere {\n  ${documented}  readonly a: number;\n}\n`;
  expect(checkApiReports({ base: built(index, engine), update: true })).toEqual([
    'packages/x/dist/index.d.ts:5: Missing documentation for "Bare". (ae-undocumented)',
    'packages/x/dist/index.d.ts:7: The symbol "Hidden" needs to be exported by the entry point index.d.ts (ae-forgotten-export)',
    'packages/x/dist/index.d.ts:8: Missing documentation for "elsewhere". (ae-undocumented)',
  ]);
});

test("a package that is not built is named with the command that builds it", () => {
  const base = temporaryWorkspace({ "packages/x/package.json": { name: "@treadle/x", exports: { ".": { types: "./dist/index.d.ts" } } } });
  expect(checkApiReports({ base, update: false })).toEqual(["packages/x/dist/index.d.ts does not exist; run `npm run check -- build`"]);
});
