import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { handler, step } from "@treadle/reconcile";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handlersIn } from "./handlers-in.ts";
import { importFailure } from "./import-failure.ts";
import { loadProgram } from "./load-program.ts";

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const widgets = handler(Widget)
  .step(step(Widget, { name: "s" }))
  .build();
const others = handler(Widget, { name: "others.example.dev" })
  .step(step(Widget, { name: "s" }))
  .build();

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(import.meta.dirname, "..", "..", ".results-program-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const written = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

test("handlers are found in arrays and plain objects, each once, in their order", () => {
  const circle: unknown[] = [others, { widgets, again: [others] }];
  circle.push(circle);
  expect(handlersIn(circle)).toEqual([others, widgets]);
});

test("the search for handlers calls no getter, and looks into no instance of a class", () => {
  const trap = {
    get handler(): never {
      throw new Error("called");
    },
  };
  expect(handlersIn([trap, new Map([["a", widgets]]), () => widgets, null, "a", { at: { most: { four: { deep: widgets } } } }])).toEqual(
    [],
  );
});

test("a program has the handlers in its exports, and then those that its manager runs", async () => {
  const module = written(
    "lists.ts",
    `
import { kind } from "@treadle/apimachinery";
import { handler, step } from "@treadle/reconcile";
import { createManager } from "../src/index.ts";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
const named = (name: string) => handler(Widget, { name }).step(step(Widget, { name: "s" })).build();
export const all = [named("b.example.dev"), named("a.example.dev")];
export const record = { again: all[0], c: named("c.example.dev") };
export const other = { name: "d" };
await createManager().add(named("e.example.dev")).run();
`,
  );
  const { handlers, managers } = await loadProgram(module);
  expect(handlers.map(({ name }) => name[0])).toEqual(["b", "a", "c", "e"]);
  expect(managers).toHaveLength(1);
  expect((await loadProgram(module, { exports: ["record"] })).handlers.map(({ name }) => name[0])).toEqual(["b", "c"]);
  await expect(loadProgram(module, { exports: ["other"] })).rejects.toMatchObject({ code: "ERR_PROGRAM_EMPTY" });
});

test.for(["nothing.ts", "."])("a module %s that is no file is refused", async (name) => {
  await expect(loadProgram(join(dir, name))).rejects.toMatchObject({ code: "ERR_PROGRAM_NOT_FOUND" });
});

test("what a module throws is the cause of an error that names the module", async () => {
  const module = written("throws.ts", `throw new Error("boom");`);
  await expect(loadProgram(module)).rejects.toMatchObject({
    code: "ERR_PROGRAM_FAILED",
    message: expect.stringMatching(/^cannot load .*throws\.ts: boom\n  at .*throws\.ts:1/),
    cause: { message: "boom" },
  });
});

const errorOf = (message: string, stack: string, more: object = {}): Error => Object.assign(new Error(message), { stack }, more);

test.for([
  {
    name: "an error has the first frame in a module of the user",
    error: errorOf(
      "boom",
      "Error: boom\n    at f (file:///w/node_modules/x/a.js:9:1)\n    at file:///w/src/b.ts:3:7\n    at ModuleJob.run (node:x:1:2)",
    ),
    text: "boom\n  at src/b.ts:3:7",
  },
  {
    name: "an error in a package alone has a frame of the package",
    error: errorOf("boom", "Error: boom\n    at Object.f (/w/node_modules/x/a.js:9:1)\n    at ModuleJob.run (node:x:1:2)"),
    text: "boom\n  at node_modules/x/a.js:9:1",
  },
  {
    name: "an error in a package of Treadle alone has no place",
    error: errorOf(
      "boom",
      "Error: boom\n    at resolve (file:///w/node_modules/@treadle/cli/dist/x.js:17:24)\n    at f (/w/node_modules/treadle/y.js:1:2)",
    ),
    text: "boom",
  },
  {
    name: "an error of syntax has the line in front of its stack",
    error: errorOf(
      "Unexpected token",
      "/w/src/c.ts:4\nexport const x: = 1;\n   ^\n\nSyntaxError: Unexpected token\n    at parse (node:x:1:2)",
    ),
    text: "Unexpected token\n  at src/c.ts:4",
  },
  {
    name: "an enum is explained",
    error: errorOf("enum is not supported", "/w/h.ts:1\n\nSyntaxError: x\n    at node:x:1:2", {
      code: "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX",
    }),
    text: "enum is not supported\n  at h.ts:1\nNode removes types and compiles nothing else: write it in other words, or name the compiled module.",
  },
  {
    name: "an import of a missing file names both files",
    error: errorOf("Cannot find module '/w/no.ts' imported from /w/f.ts", "Error: x\n    at node:x:1:2", { code: "ERR_MODULE_NOT_FOUND" }),
    text: "Cannot find module 'no.ts' imported from f.ts\nCorrect the name in the import, or create the file.",
  },
  { name: "a thrown text is shown", error: "text", text: "text" },
])("$name", ({ error, text }) => expect(importFailure(error, "/w")).toBe(text));
