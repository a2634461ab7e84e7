/** `treadle graph`: charts of two examples, odd names, bad modules, and the schema of the JSON. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { describeHandler } from "@treadle/reconcile/unstable/engine";
import { conditions, handler, one, step } from "treadle";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pipelineGraph } from "../scripts/graph-schemas.ts";
import { flowchartOf } from "../src/graph/mermaid.ts";
import { labelText } from "../src/graph/mermaid-text.ts";
import { svgOf } from "../src/graph/svg.ts";
import { runTreadle } from "../src/index.ts";
import { type FakeTerminal, fakeTerminal } from "./fake-terminal.ts";

let dir: string;
beforeAll(() => void (dir = mkdtempSync(join(import.meta.dirname, "..", ".results-graph-"))));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const example = (name: string): string => join(import.meta.dirname, "..", "..", "..", "examples", name, "controller.ts");

async function graph(...args: readonly string[]): Promise<FakeTerminal["output"] & { readonly code: number }> {
  const terminal = fakeTerminal();
  const code = await runTreadle(["graph", ...args], terminal);
  return { code, ...terminal.output };
}

test.for(["simple", "websites"])("the chart of the example %s is as in its snapshot", async (name) => {
  const { code, out, err } = await graph(example(name));
  expect([code, err]).toEqual([0, ""]);
  await expect(out).toMatchFileSnapshot(`graphs/${name}.mmd`);
});

test("docs/cli/graph.md shows the chart of the example websites", async () => {
  const page = readFileSync(join(import.meta.dirname, "..", "..", "..", "docs", "cli", "graph.md"), "utf8");
  expect(page).toContain(`\`\`\`mermaid\n${(await graph(example("websites"))).out}\`\`\`\n`);
});

test("a second run gives the same chart", async () => {
  expect(await graph(example("web-app"))).toEqual(await graph(example("web-app")));
});

test.for(["simple", "web-app", "object-store", "capabilities"])("-o json of the example %s has the documented schema", async (name) => {
  const { code, out } = await graph(example(name), "-o", "json");
  expect(code).toBe(0);
  expect(pipelineGraph.parse(JSON.parse(out)).handlers.length).toBeGreaterThan(0);
});

test("-o svg draws every step and kind of the example web-app, with one arrow for a kind that a step owns and reads", async () => {
  const { code, out, err } = await graph(example("web-app"), "-o", "svg");
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^<\?xml [^>]*>\n<!DOCTYPE svg [^>]*>[^]*<\/svg>\n$/);
  const texts = [...out.matchAll(/>([^<>\n]+)<\/text>/g)].map(([, text = ""]) => text.replaceAll("&#45;", "-"));
  for (const text of ["database", "credentials", "web-server", "StatefulSet", "vars user", "before", "owns"]) expect(texts).toContain(text);
  // The Secret is read only.
  expect(texts.filter((text) => text === "reads dependent:live")).toHaveLength(1);
  expect(out).not.toMatch(/<title>|https?:\/\/fonts/);
  expect((await graph(example("web-app"), "-o", "svg")).out).toBe(out);
});

test("an arrow goes from the step that provides vars to the step that uses them, with the names that are known", async () => {
  const { out } = await graph(example("web-app"));
  const idOf = (step: string): string => new RegExp(`(\\w+)\\["<b>${step}</b>`).exec(out)?.[1] ?? step;
  expect(out).toContain(`${idOf("credentials")} ==>|"vars user"| ${idOf("store")}\n`);
  expect(out).toContain(`${idOf("settings")} -->|"before"| ${idOf("web-server")}\n`);
  expect(out).toContain(`${idOf("conditions")} --> ${idOf("components")}\n`);
});

const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });

test.for([
  { has: "a quote and a bracket", name: 'a"]b' },
  { has: "a word of Mermaid", name: "end" },
  { has: "tags and entities", name: "<b>&amp;#quot;" },
  { has: "Markdown", name: "`code`" },
  { has: "a directive", name: "%%{init: {}}%%" },
  { has: "a style", name: "style:x#a;" },
  { has: "a line break and an arrow", name: "a\nb --> c" },
  { has: "other brackets", name: "{a}|b|(c)" },
  { has: "a backslash", name: "\\" },
  { has: "a change of direction", name: "\u202Ereverse" },
  { has: "half a sign", name: "\uD800" },
  { has: "signs of other alphabets", name: "名前 🎉" },
  { has: "5,000 signs", name: "x".repeat(5000) },
])("a name with $has stays inside its label", async ({ name }) => {
  const reads = { [name]: one(Widget, () => undefined) };
  const built = handler(Widget)
    .step(conditions())
    .step(step(Widget, { name: "a", reads }))
    .build();
  const { text } = flowchartOf([describeHandler(built)]);
  const lines = text.trimEnd().split("\n");
  // The grammar of the lines that the writer makes: whatever a name has, no line has another form.
  const quoted = String.raw`"(?:[^"\\%\x60<>#]|<br\/>|<\/?b>|#\d+;)*"`;
  const forms = [
    "flowchart TD",
    String.raw`\s+direction TB`,
    String.raw`\s+end`,
    String.raw`\s+subgraph \w+\[${quoted}\]`,
    String.raw`\s+\w+\[${quoted}\]`,
    String.raw`\s+\w+\(\[${quoted}\]\)`,
    String.raw`\s+\w+ (-->|==>|-\.->)(\|${quoted}\|)? \w+`,
  ].map((form) => new RegExp(`^${form}$`, "u"));
  expect(lines.filter((line) => !forms.some((form) => form.test(line)))).toEqual([]);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(700);
  // Graphviz parses the label, and refuses what is no XML.
  const shown = (await svgOf([describeHandler(built)])).match(/>reads [^<]*<\/text>/g);
  expect(shown).toHaveLength(1);
});

test("a label shows the signs of a name by their numbers, and a long name is cut between signs", () => {
  expect(labelText('a"b#c')).toBe("a#34;b#35;c");
  expect(labelText("🎉".repeat(100))).toBe(`${"🎉".repeat(79)}…`);
  expect(labelText("a\n\u202E b")).toBe("a  b");
});

const written = (name: string, text: string): string => {
  writeFileSync(join(dir, name), text);
  return join(dir, name);
};

test.for([
  { name: "a file that does not exist", module: () => join(dir, "no.ts"), text: /no\.ts is not a file: name the module/ },
  { name: "a module without handlers", module: () => written("none.ts", "export const a = 1;"), text: /exports no handler, and runs none/ },
  {
    name: "a module that throws",
    module: () => written("throws.ts", `throw new Error("boom");`),
    text: /throws\.ts: boom\n  at .*throws\.ts:1/,
  },
])("$name ends with 2 and says what to do", async ({ module, text }) => {
  const { code, out, err } = await graph(module());
  expect([code, out]).toEqual([2, ""]);
  expect(err).toMatch(text);
});

test("--export that names no handler ends with 2", async () => {
  expect(await graph(example("simple"), "--export", "nothing")).toMatchObject({ code: 2, err: expect.stringContaining('"nothing"') });
});

test("a chart that renderers refuse is written, with the way to show it", async () => {
  const module = written(
    "many.ts",
    `
import { handler, kind, step } from "treadle";
const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
let all = handler(Widget);
for (let i = 0; i < 600; i++) all = all.step(step(Widget, { name: "s" + i }));
export const widgets = all.build();
`,
  );
  const { code, out, err } = await graph(module);
  expect([code, out.match(/ --> /g)?.length]).toEqual([0, 599]);
  expect(err).toMatch(/599 arrows\. Renderers refuse more than 50000 and 500: raise maxTextSize and maxEdges/);
});
