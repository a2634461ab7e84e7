import { expect, test } from "vitest";
import { declarationsOf } from "./declared-names.ts";
import { checkFences, pageOf } from "./fences.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

/** Markdown without the three backticks that would end it here. */
const markdown = (...lines: readonly string[]): string => lines.join("\n").replaceAll("'''", "```");

test("every TypeScript fence of the documentation compiles", { timeout: 120_000 }, async () => {
  const { problems, fences } = await checkFences();
  expect(problems.join("\n")).toBe("");
  expect(fences).toBeGreaterThan(40);
});

test("a fence sees what the page declares above it, hidden preludes included", { timeout: 60_000 }, async () => {
  const page = markdown(
    "<!-- fence: prelude",
    "interface Bucket { readonly name: string }",
    "declare const bucket: Bucket;",
    "-->",
    "'''ts",
    "export const name: string = bucket.name;",
    "'''",
    "'''ts",
    "const bucket = 1;",
    "const other: Bucket = { name };",
    "'''",
    "'''ts",
    "const sum: number = bucket;",
    "'''",
  );
  const base = temporaryWorkspace({ "README.md": page, "docs/other.md": markdown("'''ts", "bucket;", "'''") });
  expect(await checkFences(base)).toEqual({ problems: ["docs/other.md:2: TS2304: Cannot find name 'bucket'."], fences: 5 });
});

test("an error has the page and the line of the text", { timeout: 60_000 }, async () => {
  const page = markdown(
    "# Title",
    "",
    "- a list",
    "  <!-- fence: prelude",
    "  const a: number = 1;",
    "  -->",
    "  '''ts",
    "  const b: string = a;",
    "  '''",
    "",
    "<!-- fence: around",
    "const options = {",
    "  first: 1,",
    "...",
    "} satisfies Record<string, number>;",
    "-->",
    "'''ts",
    "second: 2,",
    'third: "3",',
    "'''",
    "'''ts",
    "return (;",
    "'''",
    "'''sh",
    "not code",
    "'''",
  );
  const { problems } = await checkFences(temporaryWorkspace({ "docs/page.md": page }));
  expect(problems).toEqual([
    expect.stringMatching(/^docs\/page\.md:22: /),
    "docs/page.md:8: TS2322: Type 'number' is not assignable to type 'string'.",
    "docs/page.md:19: TS2322: Type 'string' is not assignable to type 'number'.",
  ]);
});

test("a quote has each paragraph in an example or a test, import lines excepted", async () => {
  const first = ["'''typescript", 'import { b } from "b";', "const a = 1;", "", "const c = 3;", "  more();", "'''"];
  const base = temporaryWorkspace({
    "README.md": markdown(...first, "", "'''typescript", "f();", "'''"),
    "examples/x/x.ts": 'import { a, b } from "b";\nconst a = 1;\n\nf();\n',
    "packages/x/test/y.test.ts": "const c = 3;\nmore();\n",
  });
  expect(await checkFences(base)).toEqual({
    problems: ['README.md:5: no example and no test has this text; quote one, or write "```ts" to compile it'],
    fences: 2,
  });
});

test("a fragment needs a reason, and an unknown rule is a problem", () => {
  const page = markdown("'''ts fragment: a signature", "f(): x", "'''", "'''ts fragment", "f(): x", "'''", "<!-- fence: skip -->");
  expect(pageOf(page)).toEqual({
    fences: [],
    quotes: [],
    problems: [
      '4: write "```ts", or "```ts fragment: " and why this is not compiled',
      '7: there is no rule "fence: skip"; see tools/src/fences.ts',
    ],
  });
});

test("the names of a module are those of its top level, each once, a value before a type", () => {
  const text = `
    import a, { b as c, type D } from "x"; import type { E } from "y"; import * as f from "z";
    export const { g, h: [i, ...j], k = 1 } = a; let l;
    interface M {} export const M = 1; type N = D; declare function o(): void; class P { q() { const r = 1; } }`;
  const { names } = declarationsOf("x.ts", text);
  expect(names.filter(({ isType }) => !isType).map(({ name }) => name)).toEqual("a c f g i j k l M o P".split(" "));
  expect(names.filter(({ isType }) => isType).map(({ name }) => name)).toEqual(["D", "E", "N"]);
  expect(names.filter(({ isExported }) => isExported).map(({ name }) => name)).toEqual(["g", "i", "j", "k", "M"]);
});
