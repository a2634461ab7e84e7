import { expect, test } from "vitest";
import { importCircles } from "./import-circles.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

const manifest = { "packages/x/package.json": { name: "x" } };

test.for([
  {
    name: "a package whose imports go one way has no circle, whatever its tests import",
    files: {
      "packages/x/src/a.ts": `import "./b.ts"; import "./internal/c.ts";`,
      "packages/x/src/b.ts": `import "./internal/c.ts"; import "node:fs"; import "y";`,
      "packages/x/src/internal/c.ts": "",
      "packages/x/src/b.test.ts": `import "./a.ts";`,
    },
    want: [],
  },
  {
    name: "a circle of type-only imports is named edge by edge, with the lines",
    files: {
      "packages/x/src/a.ts": `\nimport type { B } from "./inner/b.ts";`,
      "packages/x/src/inner/b.ts": `export type { A } from "../a.ts";`,
    },
    want: ['circle of imports:\n  packages/x/src/a.ts:2 imports "./inner/b.ts"\n  packages/x/src/inner/b.ts:1 imports "../a.ts"'],
  },
  {
    name: "a group of files is reported by a shortest circle and the files outside of it",
    files: {
      "packages/x/src/a.ts": `import "./b.ts";`,
      "packages/x/src/b.ts": `import "./c.ts";`,
      "packages/x/src/c.ts": `import "./a.ts"; import("./d.ts");`,
      "packages/x/src/d.ts": `type C = import("./c.ts").C;`,
    },
    want: [
      [
        "circle of imports:",
        '  packages/x/src/c.ts:1 imports "./d.ts"',
        '  packages/x/src/d.ts:1 imports "./c.ts"',
        "  2 more files reach it and are reached by it: packages/x/src/a.ts, packages/x/src/b.ts",
      ].join("\n"),
    ],
  },
  {
    name: "a file that imports itself is a circle, and separate circles are reported separately",
    files: {
      "packages/x/src/a.ts": `import "./a.ts";`,
      "packages/x/src/b.ts": `import "./c.ts";`,
      "packages/x/src/c.ts": `import "./b.ts";`,
    },
    want: [
      'circle of imports:\n  packages/x/src/a.ts:1 imports "./a.ts"',
      'circle of imports:\n  packages/x/src/b.ts:1 imports "./c.ts"\n  packages/x/src/c.ts:1 imports "./b.ts"',
    ],
  },
])("$name", ({ files, want }) => {
  expect(importCircles(temporaryWorkspace({ ...manifest, ...files }))).toEqual(want);
});
