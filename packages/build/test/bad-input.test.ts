/** Programs that cannot be built: one sentence that says what, where and what to do. */
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { main } from "../src/command.ts";
import { installed, Program } from "./program.ts";

const NAMES = 'name files by new URL("./x", import.meta.url), so that they are copied beside the bundle';

test.for<{ readonly name: string; readonly files: Readonly<Record<string, string>>; readonly want: readonly (string | RegExp)[] }>([
  {
    name: "a native addon of a package",
    files: {
      "operator.ts": `import "addon";`,
      ...installed("addon", `\nmodule.exports = require("./build/x.node");`),
      "node_modules/addon/build/x.node": "",
    },
    want: [
      `node_modules/addon/index.js:2: "./build/x.node" is a native addon, which cannot be in a bundle; replace the package addon, or leave it out by --omit addon if the program runs without it`,
    ],
  },
  {
    name: "an addon that is found by a path at run time",
    files: { "operator.ts": `import "addon";`, ...installed("addon", `module.exports = require("bindings")("x");`) },
    want: [/^node_modules\/addon\/index\.js:1: "bindings" is a native addon/],
  },
  {
    name: "a dynamic import by expression",
    files: { "operator.ts": `const name = process.argv[2] ?? "";\nawait import(name);` },
    want: ["operator.ts:2: import() has a name that is computed, so its module is not in the bundle; write each name as a text"],
  },
  {
    name: "a file that does not exist",
    files: { "operator.ts": `\n\nconsole.log(new URL("./chart", import.meta.url));` },
    want: [`operator.ts:3: it names "./chart", but chart does not exist; correct the name, or create the file`],
  },
  {
    name: "a folder that holds the program",
    files: {
      "src/a.ts": `export const a = new URL("..", import.meta.url);`,
      "operator.ts": `import { a } from "./src/a.ts"; console.log(a);`,
    },
    want: [`src/a.ts:1: it names "..", a folder that holds the program itself; correct the name, or create the file`],
  },
  {
    name: "a name of a file that is computed",
    files: { "operator.ts": "const x = process.argv[2];\nconsole.log(new URL(`./${x}`, import.meta.url));" },
    want: ["operator.ts:2: new URL() has a name that is computed; write each name as a text"],
  },
  {
    name: "CommonJS",
    files: { "operator.ts": `\nconst { x } = require("dep");\nmodule.exports = x;`, ...installed("dep", "exports.x = 1;") },
    want: ["operator.ts:2: the program is CommonJS; write import and export in place of require and module.exports"],
  },
  {
    name: "a require that is computed",
    files: {
      "operator.ts": `import { createRequire } from "node:module";\nconst load = createRequire(import.meta.url);\nconsole.log(load(String(process.argv[2])));`,
    },
    want: ["operator.ts:3: require() has a name that is computed, so its module is not in the bundle; write each name as a text"],
  },
  {
    name: "a syntax error",
    files: { "operator.ts": `import "./a.ts";`, "a.ts": `const a = 1;\nconst = 2;` },
    want: [/^a\.ts:2: .+; correct the source$/],
  },
  {
    name: "a name that a module does not export",
    files: { "operator.ts": `\nimport { b } from "./a.ts"; console.log(b);`, "a.ts": `export const a = 1;` },
    want: [/^operator\.ts:2: .*"?b"?.*; correct the source$/],
  },
  {
    name: "a package that is not installed",
    files: { "operator.ts": `\nimport "@scope/gone/part";` },
    want: [`operator.ts:2: "@scope/gone/part" does not exist; install @scope/gone`],
  },
  {
    name: "a part that an installed package does not have",
    files: { "operator.ts": `\nimport "dep/gone";`, ...installed("dep", "exports.x = 1;", { exports: "./index.js" }) },
    want: [`operator.ts:2: "dep/gone" does not exist; the package dep is installed, so correct the name of its part, or install it again`],
  },
  {
    name: "names of a module and of a package that do not exist",
    files: { "operator.ts": `import { x } from "./gone.ts";\nimport y, { z } from "gone"; console.log(x, y, z);` },
    want: [`operator.ts:1: "./gone.ts" does not exist; correct the path`, `operator.ts:2: "gone" does not exist; install gone`],
  },
  {
    name: "a module that does not exist",
    files: { "operator.ts": `\nimport "./gone.ts";` },
    want: [`operator.ts:2: "./gone.ts" does not exist; correct the path`],
  },
  {
    name: "a style sheet",
    files: { "operator.ts": `\nimport "./a.css";`, "a.css": "a { color: red }" },
    want: [`operator.ts:2: "./a.css" is a style sheet, and no module; remove the import; a file to be read is named by new URL()`],
  },
  {
    name: "names of modules that no package has",
    files: { "operator.ts": `import "node:gone";\nimport "https://example.com/a.js";\nimport "#gone";` },
    want: [
      `operator.ts:1: "node:gone" does not exist; Node ${process.version} has no such module: correct the name`,
      `operator.ts:2: "https://example.com/a.js" does not exist; put the module into a file, and import that`,
      `operator.ts:3: "#gone" does not exist; name it in the imports of package.json`,
    ],
  },
  {
    name: "names that are no URLs of files",
    files: { "operator.ts": `\nconsole.log(new URL("http://[", import.meta.url));\nconsole.log(new URL("./%zz", import.meta.url));` },
    want: [
      `operator.ts:2: it names "http://[", which is not the URL of a file; correct the name, or create the file`,
      `operator.ts:3: it names "./%zz", which is not the URL of a file; correct the name, or create the file`,
    ],
  },
  {
    name: "a decorator",
    files: {
      "operator.ts": `import "./a.ts";\nconsole.log(1);`,
      "a.ts": `const shown = "\\n @x";\nfunction d(..._: unknown[]) {}\n/** @type {x} */\nexport class A {\n  @d field = shown;\n}\nconsole.log(new A());`,
    },
    want: ["a.ts:5: Node has no decorators; call the function, or set experimentalDecorators in tsconfig.json if it is of that form"],
  },
  {
    name: "import.meta as a value",
    files: { "operator.ts": `\nconst { url } = import.meta;\nconsole.log(url);` },
    want: [`operator.ts:2: import.meta has the place of the bundle; write import.meta with the name of its field; ${NAMES}`],
  },
  {
    name: "the place of the bundle",
    files: { "operator.ts": `console.log(import.meta.dirname);\nconsole.log(import.meta.url);` },
    want: [
      `operator.ts:1: import.meta.dirname is the place of the bundle; ${NAMES}`,
      `operator.ts:2: import.meta.url is the place of the bundle; ${NAMES}; for "is this the program", use import.meta.main`,
    ],
  },
])("a build fails for $name", async ({ files, want }) => {
  using program = new Program(files);
  const problems = await program.problems();
  expect(problems).toEqual(want.map((each) => (typeof each === "string" ? each : expect.stringMatching(each))));
  expect(existsSync(join(program.dir, "dist"))).toBe(false);
});

test("a folder with links: they count as what they lead to, and none may lead nowhere", async () => {
  using program = new Program({
    "operator.ts": `\nconsole.log(new URL("./chart/", import.meta.url));`,
    "chart/b.txt": "b",
    "other/a.txt": "a",
  });
  symlinkSync("../other", join(program.dir, "chart/linked"));
  symlinkSync("../chart", join(program.dir, "chart/itself"));
  const files = [...(await program.build()).files.keys()].filter((path) => path.startsWith("files/"));
  expect(files.map((path) => path.replace(/^files\/\w+\//, ""))).toEqual(["chart/b.txt", "chart/linked/a.txt"]);

  rmSync(join(program.dir, "dist"), { recursive: true });
  symlinkSync("nowhere", join(program.dir, "chart/broken"));
  expect(await program.problems()).toEqual([
    `operator.ts:2: it names "./chart/", in which the link chart/broken leads nowhere; correct the name, or create the file`,
  ]);
});

test("a package that looks for another one and goes on without it is built", async () => {
  using program = new Program({
    "operator.ts": `import { has } from "looks"; console.log(has);`,
    ...installed("looks", `try { require("gone"); exports.has = true; } catch { exports.has = false; }`),
  });
  expect((await program.build()).warnings).toEqual([]);
  expect(program.run().stdout).toBe("false\n");
});

test("an addon that is left out fails at run time as if it were not installed", async () => {
  using program = new Program({
    "operator.ts": `import { has } from "looks"; console.log(has);`,
    ...installed("looks", `try { exports.has = require("addon").x; } catch ({ code }) { exports.has = code; }`),
    ...installed("addon", `module.exports = require("./x.node");`),
    "node_modules/addon/x.node": "",
  });
  await program.build({ omit: ["addon"] });
  expect(program.run().stdout).toBe("MODULE_NOT_FOUND\n");
});

test("a package that is imported by names can be left out", async () => {
  using program = new Program({
    "operator.ts": `console.log(await import("./lazy.ts").then(() => "loaded", ({ code }) => code));`,
    "lazy.ts": `import addon, { x } from "addon"; console.log(addon, x);`,
    ...installed("addon", `module.exports = require("./x.node");`),
    "node_modules/addon/x.node": "",
  });
  await program.build({ omit: ["addon"] });
  expect(program.run().stdout).toBe("MODULE_NOT_FOUND\n");
});

test("a part of a package that does not work in a bundle is a warning", async () => {
  using program = new Program({
    "operator.ts": `import { load } from "loads"; console.log(typeof load);`,
    ...installed("loads", `\nexports.load = (name) => require(name);`),
  });
  expect((await program.build()).warnings).toEqual([
    "node_modules/loads/index.js:2: require() has a name that is computed, so its module is not in the bundle; write each name as a text",
  ]);
});

test.for([
  { name: "no such file", entry: "gone.ts", want: /^gone\.ts does not exist; name the file that starts the operator/ },
  { name: "a folder", entry: ".", want: /^\. is not a file;/ },
  { name: "no program", entry: "package.json", want: /^package\.json is not a file of TypeScript or JavaScript;/ },
])("an entry that is $name is refused", async ({ entry, want }) => {
  using program = new Program({});
  expect(await program.problems({ entry })).toEqual([expect.stringMatching(want)]);
});

test("a folder with files of others is not touched, and one of an earlier build is replaced", async () => {
  using program = new Program({ "operator.ts": `console.log("one");\nawait import("./lazy.ts");`, "lazy.ts": "console.log(2);" });
  const dist = join(program.dir, "dist");
  mkdirSync(dist);
  writeFileSync(join(dist, "precious"), "x");
  expect(await program.problems()).toEqual([expect.stringMatching(/dist has files that treadle-build did not write, such as precious;/)]);
  expect(readFileSync(join(dist, "precious"), "utf8")).toBe("x");
  rmSync(join(dist, "precious"));

  const first = [...(await program.build()).files.keys()];
  writeFileSync(join(dist, "added"), "y");
  program.write({ "operator.ts": `console.log("two");` });
  const second = [...(await program.build()).files.keys()];
  expect(first.filter((path) => !second.includes(path) && existsSync(join(dist, path)))).toEqual([]);
  expect(readFileSync(join(dist, "added"), "utf8")).toBe("y");

  writeFileSync(join(dist, "treadle-build.json"), `{"files":["../operator.ts"]}`);
  expect(await program.problems()).toEqual([expect.stringMatching(/has a treadle-build\.json that is not of treadle-build/)]);
  expect(existsSync(join(program.dir, "operator.ts"))).toBe(true);
});

test("the command ends with 0, 1 or 2", async () => {
  using program = new Program({ "operator.ts": `console.log(1);` });
  const lines: string[] = [];
  const output = { log: (text: string) => void lines.push(text), error: (text: string) => void lines.push(`! ${text}`) };
  expect(await main([join(program.dir, "operator.ts"), "--out", join(program.dir, "dist")], output)).toBe(0);
  expect(await main([join(program.dir, "gone.ts")], output)).toBe(1);
  expect(await main(["--out"], output)).toBe(2);
  expect(await main([], output)).toBe(2);
  expect(await main(["--help"], output)).toBe(0);
  expect(lines[0]).toMatch(/operator\.mjs: \d+ files, \d\.\d MB, 1 packages, with V8's code for Node v/);
  expect(lines[1]).toMatch(/^! treadle-build: .*gone\.ts does not exist;/);
});
