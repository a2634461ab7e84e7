import { expect, test } from "vitest";
import { lacksOption, withAdded, withImport, withStep, withWebhook } from "./edits.ts";
import { identifiersIn } from "./source.ts";

test.for([
  {
    name: "after the last import",
    text: `import a from "a";\nimport { b } from "b";\nb(a);\n`,
    want: `import a from "a";\nimport { b } from "b";\nimport { x } from "./x.ts";\nb(a);\n`,
  },
  { name: "at the beginning without an import", text: "b();\n", want: `import { x } from "./x.ts";\nb();\n` },
  { name: "in the import of the module", text: `import { y } from "./x.ts";\n`, want: `import { y, x } from "./x.ts";\n` },
  { name: "not twice", text: `import { x } from "./x.ts";\n`, want: `import { x } from "./x.ts";\n` },
  {
    name: "beside an import of types",
    text: `import type { X } from "./x.ts";\n`,
    want: `import type { X } from "./x.ts";\nimport { x } from "./x.ts";\n`,
  },
  {
    name: "with the line breaks of Windows",
    text: `import a from "a";\r\na();\r\n`,
    want: `import a from "a";\r\nimport { x } from "./x.ts";\r\na();\r\n`,
  },
  {
    name: "after signs of more than one unit",
    text: `// 🎉 ü\nimport a from "a";\na();\n`,
    want: `// 🎉 ü\nimport a from "a";\nimport { x } from "./x.ts";\na();\n`,
  },
  { name: "nowhere in a module that does not parse", text: "import {", want: undefined },
])("an import is added $name", ({ text, want }) => {
  expect(withImport(text, "x", "./x.ts")).toBe(want);
});

test.for([
  {
    name: "at the end of the chain",
    text: "export const w = handler(W).step(a).build();",
    want: "export const w = handler(W).step(a).step(x).build();",
  },
  { name: "in a handler without steps", text: "const w = handler(W).build();", want: "const w = handler(W).step(x).build();" },
  {
    name: "before the comment of the last call",
    text: "const w = handler(W, { name })\n  .step(a) // why\n  .build();",
    want: "const w = handler(W, { name })\n  .step(a).step(x) // why\n  .build();",
  },
  {
    name: "on a line of its own",
    text: "const w = handler(W)\n  .step(a)\n  .build();",
    want: "const w = handler(W)\n  .step(a)\n  .step(x)\n  .build();",
  },
  {
    name: "in a chain that a function returns",
    text: "const f = () => handler(W).step(a).build();",
    want: "const f = () => handler(W).step(a).step(x).build();",
  },
  {
    name: "in the chain of its kind",
    text: "const v = handler(V).build(); const w = handler(W).build();",
    want: "const v = handler(V).build(); const w = handler(W).step(x).build();",
  },
  { name: "nowhere with two chains of the kind", text: "const v = handler(W).build(); const w = handler(W).build();", want: undefined },
  { name: "nowhere in another kind", text: "const v = handler(V).build();", want: undefined },
  { name: "nowhere in a comment", text: "// handler(W).build()\n", want: undefined },
  {
    name: "nowhere in a chain of several statements",
    text: "let w = handler(W); w = w.step(a); export const b = w.build();",
    want: undefined,
  },
])("a step is added $name", ({ text, want }) => {
  expect(withStep(text, "W", "x")).toBe(want);
});

test.for([
  {
    name: "before the manager runs",
    text: "const m = createManager();\nm.add(a);\nawait m.run();\n",
    want: "const m = createManager();\nm.add(a);\nm.add(x);\nawait m.run();\n",
  },
  {
    name: "before the manager starts",
    text: "export const m = createManager({ a }).add(a);\nawait m.start();\n",
    want: "export const m = createManager({ a }).add(a);\nm.add(x);\nawait m.start();\n",
  },
  { name: "in a chain", text: "await createManager().add(a).run();", want: "await createManager().add(a).add(x).run();" },
  {
    name: "in a chain of lines",
    text: "await createManager()\n  .add(a)\n  .run();",
    want: "await createManager()\n  .add(a)\n  .add(x)\n  .run();",
  },
  {
    name: "nowhere with two managers",
    text: "const m = createManager(); const n = createManager(); await m.run(); await n.run();",
    want: undefined,
  },
  { name: "nowhere in a condition", text: "const m = createManager(); if (a) await m.run();", want: undefined },
  { name: "nowhere for something else that runs", text: "const m = other(); await m.run();", want: undefined },
])("a handler is added $name", ({ text, want }) => {
  expect(withAdded(text, "x")).toBe(want);
});

test.for([
  { name: "at the end of the list", text: "const s = webhookServer([a], {});", want: "const s = webhookServer([a, x], {});" },
  { name: "in an empty list", text: "const s = webhookServer([], {});", want: "const s = webhookServer([x], {});" },
  { name: "nowhere in a list that is elsewhere", text: "const s = webhookServer(list, {});", want: undefined },
  { name: "nowhere with two servers", text: "const s = webhookServer([]); const t = webhookServer([]);", want: undefined },
])("a webhook is added $name", ({ text, want }) => {
  expect(withWebhook(text, "x")).toBe(want);
});

test("keys of objects, properties and texts are no identifiers, and what a pattern binds is one", () => {
  const text = `import { a } from "b"; const { c, d: e } = a.f; interface G { h: string } export const i = { j: "k", l: a["m"] };`;
  expect([...identifiersIn(text)].toSorted()).toEqual(["G", "a", "c", "e", "h", "i"]);
});

test.for([
  { text: "export const W = defineResource({ kind: 'W' });", want: true },
  { text: "export const W = defineResource({ kind: 'W', dependents: true });", want: false },
  { text: "export const W = defineResource({ ...traits, kind: 'W' });", want: false },
  { text: "export const V = defineResource({ kind: 'V' });", want: false },
  { text: "export const W = defineResource(options);", want: false },
])("that an option is missing is certain or not: $text", ({ text, want }) => {
  expect(lacksOption(text, "W", "dependents")).toBe(want);
});
