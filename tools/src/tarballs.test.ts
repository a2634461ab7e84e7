import { expect, test } from "vitest";
import { tarballProblems } from "./tarballs.ts";

const entries = ["package.json", "README.md", "LICENSE", "dist/index.js", "dist/index.d.ts"].map((path) => `package/${path}`);
const manifest = (rest: object = {}): string =>
  JSON.stringify({ exports: { ".": { types: "./dist/index.d.ts", default: "./dist/index.js" } }, ...rest });

test.for([
  { name: "accepts what a registry may serve", entries, manifest: manifest(), subpaths: ["."], want: [] },
  {
    name: "misses the licence and what is exported",
    entries: entries.filter((entry) => !/LICENSE|index\.js/.test(entry)),
    manifest: manifest(),
    subpaths: ["."],
    want: ["package/LICENSE is missing", "package/dist/index.js is missing"],
  },
  {
    name: "refuses tests and build records",
    entries: [...entries, "package/dist/a.test.js", "package/dist/b.test-d.ts", "package/test/c.ts", "package/dist/x.tsbuildinfo"],
    manifest: manifest(),
    subpaths: ["."],
    want: ["dist/a.test.js", "dist/b.test-d.ts", "test/c.ts", "dist/x.tsbuildinfo"].map((path) => `package/${path} must not be in it`),
  },
  {
    name: "accepts the tests of templates, and refuses what a run of them leaves",
    entries: [
      ...entries,
      ...["templates/a/src/b.test.ts", "templates/a/.results/t.json", "templates/node_modules/b.test.ts"].map((path) => `package/${path}`),
    ],
    manifest: manifest(),
    subpaths: ["."],
    want: ["templates/a/.results/t.json", "templates/node_modules/b.test.ts"].map((path) => `package/${path} must not be in it`),
  },
  {
    name: "refuses what only works inside the workspace",
    entries,
    manifest: manifest({ imports: { "@treadle/source": "x" }, dependencies: { a: "workspace:*" } }),
    subpaths: [".", "./kinds"],
    want: [
      'publishConfig.exports lacks "./kinds"',
      "package.json still has the condition @treadle/source, which has no files here",
      "package.json still has a workspace: range",
    ],
  },
])("$name", ({ want, ...given }) => {
  expect(tarballProblems(given.entries, given.manifest, given.subpaths)).toEqual(want);
});
