/** What a built program does, run by Node alone in a folder with nothing else. */
import { createHash } from "node:crypto";
import { cpSync, globSync, readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { installed, Program } from "./program.ts";

test("a program in TypeScript runs without node_modules, from another folder, on a read-only file system", async () => {
  using program = new Program({
    "operator.ts": `
      import { greet, type Greeting } from "./greet.ts";
      import { shout } from "shout";
      const greeting: Greeting = await greet("world");
      console.log(shout(greeting.text), import.meta.main, process.argv.slice(2).join());
      export const exported = greeting;
      export default class {}
    `,
    "greet.ts": `
      import { basename } from "node:path";
      export interface Greeting { readonly text: string }
      export async function greet(name: string): Promise<Greeting> { return { text: \`hello \${basename(name)} \${import.meta.main}\` }; }
      export const unused = () => "this is not needed";
    `,
    ...installed("shout", "exports.shout = (text) => text.toUpperCase() + '!';"),
  });
  const result = await program.build();
  expect(result).toMatchObject({ hasCode: true, packages: 2, warnings: [] });
  expect(program.run(["a", "b"])).toMatchObject({ stdout: "HELLO WORLD FALSE! true a,b\n", stderr: "", status: 0 });
  expect(readFileSync(join(program.dir, "dist/app/operator.cjs"), "utf8")).not.toContain("this is not needed");
});

test("parts that are imported lazily are chunks, which are not loaded before", async () => {
  using program = new Program({
    "operator.mjs": `
      console.log("first");
      const { second } = await import("./second.mjs");
      console.log(second, (await import("node:os")).EOL === "\\n", await import("optional").catch(({ code }) => code));
    `,
    "second.mjs": `console.log("loaded"); export const second = "second";`,
    ...installed("optional", "exports.x = 1;"),
  });
  await program.build({ entry: "operator.mjs", omit: ["optional"] });
  expect(program.run().stdout).toBe("first\nloaded\nsecond true MODULE_NOT_FOUND\n");
});

test("an await at the top of another module gives modules, which Node imports", async () => {
  using program = new Program({
    "operator.ts": `import { value } from "./late.ts"; console.log(value, import.meta.main); throw new Error("at the end");`,
    "late.ts": `export const value: number = await Promise.resolve(7);`,
  });
  expect((await program.build()).hasCode).toBe(false);
  const { stdout, stderr, status } = program.run();
  expect(stdout).toBe("7 true\n");
  expect(stderr).toContain("at operator.ts:1:");
  expect(status).toBe(1);
});

test("a stack names files and lines of the sources", async () => {
  using program = new Program({
    "operator.ts": `
import { fail } from "./src/fail.ts";
interface Nothing { readonly gone: string }

process.on("exit", () => console.log("ended"));
await fail({ gone: "x" } satisfies Nothing);
`,
    "src/fail.ts": `
type Input = { readonly gone: string };

export async function fail({ gone }: Input): Promise<void> {
  await undefined;
  throw new TypeError(\`no \${gone}\`, { cause: new Error("inner") });
}
`,
  });
  await program.build();
  const { stderr, stdout, status } = program.run();
  expect(stderr).toMatch(/TypeError: no x\n {4}at fail \(src\/fail\.ts:6:\d+\)\n {4}at async operator\.ts:6:1\n/);
  expect(stderr).toMatch(/Error: inner\n +at fail \(src\/fail\.ts:6:\d+\)/);
  expect({ stdout, status }).toEqual({ stdout: "ended\n", status: 1 });
});

test("files and folders that new URL() names are copied, and two of one name do not collide", async () => {
  using program = new Program({
    "operator.ts": `
      import { readFileSync, readdirSync } from "node:fs";
      import { spawnSync } from "node:child_process";
      import { fileURLToPath } from "node:url";
      import { other } from "./other/other.ts";
      const text = (url: URL): string => readFileSync(url, "utf8");
      console.log(text(new URL("./data file.txt", import.meta.url)), other());
      console.log(readdirSync(new URL("chart/", import.meta.url), { recursive: true }).toSorted().join());
      console.log(text(new URL("templates/a.yaml", new URL("./chart/", import.meta.url))));
      console.log(spawnSync(process.execPath, [fileURLToPath(new URL("./child.ts", import.meta.url))], { encoding: "utf8" }).stdout.trim());
      console.log(new URL("https://example.com/x", import.meta.url).host);
    `,
    "other/other.ts": `
      import { readFileSync } from "node:fs";
      export const other = () => readFileSync(new URL("../other/data file.txt", import.meta.url), "utf8");
    `,
    "child.ts": `import { word } from "./word.ts"; const said: string = word; console.log(said, import.meta.main);`,
    "word.ts": `export const word = "bundled";`,
    "data file.txt": "one",
    "other/data file.txt": "two",
    "chart/Chart.yaml": "name: x",
    "chart/templates/a.yaml": "a: 1",
  });
  await program.build();
  expect(program.run().stdout.split("\n")).toEqual([
    "one two",
    "Chart.yaml,templates,templates/a.yaml",
    "a: 1",
    "bundled true",
    "example.com",
    "",
  ]);
});

test("createRequire() of a literal name is part of the bundle", async () => {
  using program = new Program({
    "operator.ts": `
      import { createRequire } from "node:module";
      const require = createRequire(import.meta.url);
      const { x } = require("dep") as { x: number };
      console.log(x, createRequire(import.meta.url)("dep").x, typeof createRequire(import.meta.url));
    `,
    ...installed("dep", "exports.x = 4;"),
  });
  await program.build();
  expect(program.run()).toMatchObject({ stdout: "4 4 function\n", stderr: "" });
});

test.for([
  { name: "no flags", flags: [], limit: "default" },
  { name: "a size of the heap", flags: ["--max-old-space-size=200"], limit: "given" },
  {
    name: "a part of the memory and a longer stack",
    flags: ["--max-old-space-size-percentage=1", "--stack-trace-limit=40"],
    limit: "given",
  },
])("V8 accepts the kept code with $name, and the flags still hold", async ({ flags, limit }) => {
  using program = new Program({
    "operator.ts": `
      import { getHeapStatistics } from "node:v8";
      export function neverCalled(): string { return "x".repeat(2); }
      if (process.argv[2] === "call") console.log(neverCalled());
      console.log(getHeapStatistics().heap_size_limit < 6e8 ? "given" : "default", Error.stackTraceLimit);
    `,
  });
  await program.build();
  const kept = readFileSync(join(program.dir, "dist/code", `${process.version}-${process.arch}`, "operator.cjs.code"));
  expect(kept.includes("neverCalled")).toBe(true);
  const { stdout, stderr } = program.run([], flags, { NODE_DEBUG: "treadle-build" });
  expect(stdout).toBe(`${limit} ${flags.includes("--stack-trace-limit=40") ? 40 : 10}\n`);
  expect(stderr).toMatch(/^treadle-build: the kept code of \S+operator\.cjs is used\n$/);
  expect(program.run([], ["--optimize-for-size"], { NODE_DEBUG: "treadle-build" }).stderr).toContain("operator.cjs is refused");
});

test("a debug line says that there is no kept code for this version of Node", async () => {
  using program = new Program({ "operator.ts": "console.log(1);" });
  await program.build();
  rmSync(join(program.dir, "dist/code"), { recursive: true });
  const { stdout, stderr } = program.run([], [], { NODE_DEBUG: "treadle-build" });
  expect(stdout).toBe("1\n");
  expect(stderr).toContain(`operator.cjs is missing for ${process.version} on ${process.arch}`);
});

test("V8 accepts the kept code of a script that is loaded when a manager runs", async () => {
  using program = new Program({
    "operator.ts": `
      import { setFlagsFromString } from "node:v8";
      const flag = "--semi-space-growth-factor=1";
      setFlagsFromString(flag);
      Reflect.set(globalThis, Symbol.for("treadle.dev/young-space-flag"), flag); // As the manager does.
      console.log((await import("./lazy.ts")).lazy);`,
    "lazy.ts": "export const lazy = 1;",
  });
  await program.build();
  const { stdout, stderr } = program.run([], [], { NODE_DEBUG: "treadle-build" });
  expect(stdout).toBe("1\n");
  expect(stderr.split("\n").filter((line) => line.endsWith(" is used"))).toHaveLength(2);
});

test("two builds in two folders give the same bytes", async () => {
  const files = {
    "operator.ts": `import { x } from "dep"; import { readFileSync } from "node:fs";
      console.log(x, readFileSync(new URL("./a.txt", import.meta.url), "utf8"), await import("./lazy.ts"));`,
    "lazy.ts": "export const lazy = 1;",
    "a.txt": "a",
    ...installed("dep", "exports.x = 4;"),
  };
  using first = new Program(files);
  using second = new Program({});
  cpSync(first.dir, second.dir, { recursive: true });
  const bytes = async (program: Program): Promise<Record<string, string>> => {
    await program.build();
    const dist = join(program.dir, "dist");
    const paths = globSync("**/*", { cwd: dist })
      .filter((path) => statSync(join(dist, path)).isFile())
      .toSorted();
    return Object.fromEntries(
      paths.map((path) => [
        path,
        createHash("sha256")
          .update(readFileSync(join(dist, path)))
          .digest("hex"),
      ]),
    );
  };
  expect(await bytes(first)).toEqual(await bytes(second));
  expect(Object.keys(await bytes(first))).toContain(`code/${process.version}-${process.arch}/operator.cjs.code`);
});

test("the list of contents names the packages whose code is in the bundle, and no others", async () => {
  using program = new Program({
    "operator.ts": `import { used } from "@scope/used"; import { unused } from "unused"; console.log(used);
      console.log(new URL("./node_modules/data/index.js.txt", import.meta.url).pathname);`,
    ...installed("@scope/used", `export { used } from "./deep/used.js"; `, { type: "module" }),
    "node_modules/@scope/used/deep/used.js": "export const used = () => process.pid;",
    "node_modules/@scope/used/deep/package.json": `{ "type": "module" }`,
    ...installed("unused", "export const unused = 1;", { type: "module", sideEffects: false }),
    ...installed("data", "", { license: "(MIT OR Apache-2.0)" }),
    "node_modules/data/index.js.txt": "",
  });
  await program.build();
  const { bomFormat, metadata, components, dependencies } = JSON.parse(readFileSync(join(program.dir, "dist/sbom.cdx.json"), "utf8"));
  expect({ bomFormat, name: metadata.component.name }).toEqual({ bomFormat: "CycloneDX", name: "program" });
  expect(components).toMatchObject([
    { group: "@scope", name: "used", version: "2.0.0", licenses: [{ license: { id: "ISC" } }], purl: "pkg:npm/%40scope/used@2.0.0" },
    { group: "@treadle", name: "build" },
    { name: "data", licenses: [{ expression: "(MIT OR Apache-2.0)" }], purl: "pkg:npm/data@2.0.0" },
  ]);
  expect(dependencies).toEqual([{ ref: "pkg:npm/program@1.2.3", dependsOn: components.map((each: { purl: string }) => each.purl) }]);
});
