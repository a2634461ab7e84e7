import { expect, test } from "vitest";
import { checkDependencyOrder } from "./dependency-order.ts";
import { temporaryWorkspace } from "./temporary-workspace.ts";

const pkg = (name: string, rest: object = {}): object => ({
  name,
  exports: { ".": "./src/index.ts", "./kinds": "./src/kinds.ts" },
  ...rest,
});
const client = { "packages/client/package.json": pkg("@treadle/client", { dependencies: { "@treadle/apimachinery": "workspace:*" } }) };
const apimachinery = { "packages/apimachinery/package.json": pkg("@treadle/apimachinery", { dependencies: { zod: "^4" } }) };

test.for([
  {
    name: "accepts imports up the list, of exported subpaths, of shared test tools and of Node",
    files: {
      ...apimachinery,
      ...client,
      "packages/client/src/a.ts": `import "@treadle/apimachinery/kinds"; import "node:fs"; import "./b.ts"; import(name);`,
      "packages/client/src/a.test.ts": `import "vitest"; import "@treadle/client"; import "../test/x.ts";`,
    },
    want: [],
  },
  {
    name: "refuses a dependency down the list, in devDependencies too",
    files: {
      "packages/apimachinery/package.json": pkg("@treadle/apimachinery", { devDependencies: { "@treadle/client": "workspace:*" } }),
      "packages/client/package.json": pkg("@treadle/client"),
    },
    want: ["packages/apimachinery/package.json: devDependencies.@treadle/client does not come before @treadle/apimachinery"],
  },
  {
    name: "refuses a library that depends on the façade, and a façade that depends on the command",
    files: {
      "packages/cli/package.json": pkg("@treadle/cli", { dependencies: { treadle: "workspace:*" } }),
      "packages/plugins/package.json": pkg("@treadle/plugins", { peerDependencies: { treadle: "workspace:*" } }),
      "packages/treadle/package.json": pkg("treadle", { dependencies: { "@treadle/cli": "workspace:*" } }),
    },
    want: [
      "packages/plugins/package.json: peerDependencies.treadle does not come before @treadle/plugins",
      "packages/treadle/package.json: dependencies.@treadle/cli does not come before treadle",
    ],
  },
  {
    name: "refuses a package that is not in the list, a range for a workspace and a dependency on something private",
    files: {
      ...apimachinery,
      "packages/new/package.json": pkg("@treadle/new", { dependencies: { "@treadle/apimachinery": "^1", "example-x": "workspace:*" } }),
      "examples/x/package.json": pkg("example-x", { private: true }),
    },
    want: [
      "packages/new/package.json: @treadle/new has no place in the order of packages (tools/src/dependency-order.ts)",
      'packages/new/package.json: dependencies.@treadle/apimachinery must be "workspace:*", not "^1"',
      "packages/new/package.json: dependencies.example-x: a package cannot depend on a private workspace",
    ],
  },
  {
    name: "refuses an undeclared import in every form, with its line",
    files: {
      ...apimachinery,
      "packages/apimachinery/src/a.ts": `import "zod";\nexport type { X } from "x";\ntype Y = import("y/deep").Y;\nconst z = await import("@z/z");\n`,
    },
    want: ["x", "y/deep", "@z/z"].map((specifier, index) => {
      const name = specifier.replace("/deep", "");
      const what = `${name} is not declared in dependencies of packages/apimachinery/package.json`;
      return `packages/apimachinery/src/a.ts:${index + 2}: import of "${specifier}": ${what}`;
    }),
  },
  {
    name: "refuses shipped code that imports a devDependency or a test tool of the root",
    files: {
      ...apimachinery,
      "packages/apiserver/package.json": pkg("@treadle/apiserver", { devDependencies: { "@treadle/apimachinery": "workspace:*" } }),
      "packages/apiserver/src/a.ts": `import "@treadle/apimachinery";\nimport "vitest";`,
    },
    want: [
      'packages/apiserver/src/a.ts:1: import of "@treadle/apimachinery": @treadle/apimachinery is not declared in dependencies of packages/apiserver/package.json',
      'packages/apiserver/src/a.ts:2: import of "vitest": vitest is not declared in dependencies of packages/apiserver/package.json',
    ],
  },
  {
    name: "refuses what is not exported, and relative ways around it",
    files: {
      ...apimachinery,
      ...client,
      "packages/client/src/a.ts": `import "@treadle/apimachinery/src/x.ts";\nimport "../../apimachinery/src/x.ts";\nimport "../test/x.ts";\nimport "@treadle/client";`,
      "packages/client/test/b.ts": `import "../dist/index.js";`,
    },
    want: [
      'packages/client/src/a.ts:1: import of "@treadle/apimachinery/src/x.ts": @treadle/apimachinery does not export it',
      'packages/client/src/a.ts:2: import of "../../apimachinery/src/x.ts": leaves the package; import the other package by its name',
      'packages/client/src/a.ts:3: import of "../test/x.ts": shipped code reaches outside of src',
      'packages/client/src/a.ts:4: import of "@treadle/client": a package imports its own files by relative paths',
      'packages/client/test/b.ts:1: import of "../dist/index.js": dist is built output; import the source',
    ],
  },
  {
    name: "refuses an undeclared import of an example",
    files: {
      ...apimachinery,
      "examples/x/package.json": pkg("example-x", { private: true }),
      "examples/x/main.ts": `import "@treadle/apimachinery";`,
    },
    want: [
      'examples/x/main.ts:1: import of "@treadle/apimachinery": @treadle/apimachinery is not declared in dependencies or devDependencies of examples/x/package.json',
    ],
  },
])("$name", ({ files, want }) => {
  expect(checkDependencyOrder(temporaryWorkspace(files))).toEqual(want);
});
