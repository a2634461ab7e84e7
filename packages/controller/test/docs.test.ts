/** The pages that people look things up in name what the code has, all of it and nothing else. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { kind } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { createPrometheus } from "../src/metrics/prometheus.ts";
import { SETTINGS, variableOf } from "../src/settings/table.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..");

/** The cells of the rows that begin with a name, of one section or of all. */
async function rows(page: string, section?: string): Promise<readonly (readonly string[])[]> {
  const text = await readFile(join(ROOT, "docs", page), "utf8");
  const part = section === undefined ? text : (text.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? "");
  return [...part.matchAll(/^\| (`\w+` .*) \|$/gm)].map(([, row = ""]) => row.split(/ ?\| ?/));
}

/** Every match in the sources of the packages that an operator runs, but of their tests. */
async function inSources(packages: readonly string[], pattern: RegExp): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const file of glob(packages.map((name) => join(ROOT, "packages", name, "src/**/*.ts")))) {
    if (file.includes(".test")) continue;
    for (const [, name = ""] of (await readFile(file, "utf8")).matchAll(pattern)) found.add(name);
  }
  return found;
}

const names = (cells: readonly (readonly string[])[]): string[] => cells.map(([name = ""]) => name.replaceAll("`", "")).toSorted();

test("docs/metrics.md lists every metric with its type and labels", async () => {
  const { registry, controller } = createPrometheus();
  controller("w", kind({ group: "test.treadle.dev", version: "v1", kind: "Widget", plural: "widgets" }));
  const served = registry.getMetricsAsArray().map((metric) => {
    const { name, type, labelNames } = metric as unknown as { readonly name: string; readonly type: string; readonly labelNames: string[] };
    return `${name} ${type} ${labelNames.toSorted().join(" ")}`.trim();
  });
  // Tests of the webhooks, the targets and the plugins compare their sections with what they register.
  const others = [...Object.keys(EXTENSIONS), "Webhooks", "Targets", "Plugins"];
  const sections = await Promise.all(others.map((section) => rows("metrics.md", section)));
  const ofExtensions = new Set(sections.flat().map(([name]) => name));
  const listed = (await rows("metrics.md")).filter(([name]) => !ofExtensions.has(name)).map(metricOf);
  expect(listed.toSorted()).toEqual(served.toSorted());
});

/** The sections of docs/metrics.md about extensions, and their packages. */
const EXTENSIONS = { Sets: "dependents", "External resources": "managed" };

test.for(Object.entries(EXTENSIONS))("docs/metrics.md, %s, lists every metric of %s with its type and labels", async ([section, name]) => {
  const definitions = await inSources([name], /^export const \w+: ((?:Counter|(?:Object)?Gauge|Histogram)Definition = \{[^}]+)/gm);
  const defined = [...definitions].map((text) => {
    const type = (/^(?:Object)?(\w+?)Definition/.exec(text)?.[1] ?? "").toLowerCase();
    const labels = [...(/labels: \[([^\]]*)\]/.exec(text)?.[1] ?? "").matchAll(/"(\w+)"/g)].map(([, label = ""]) => label);
    // The engine adds the label of the controller.
    return [/name: "(\w+)"/.exec(text)?.[1], type, ...["controller", ...labels].toSorted()].join(" ");
  });
  expect(defined.length).toBeGreaterThan(0);
  expect((await rows("metrics.md", section)).map(metricOf).toSorted()).toEqual(defined.toSorted());
});

/** Name, type and sorted labels in a row. */
function metricOf([name = "", type = "", labels = ""]: readonly string[]): string {
  const sorted = [...labels.matchAll(/`(\w+)`/g)].map(([, label = ""]) => label).toSorted();
  return [name, type, ...sorted].join(" ").replaceAll("`", "").trim();
}

test("docs/operations.md lists every code of an error, each with what happened", async () => {
  const packages = ["apimachinery", "client", "informer", "workqueue", "reconcile", "dependents", "controller"];
  // Those of OpenSSL and Node are not ours.
  const foreign = /^ERR_(?:O?SSL|TLS_|SCRIPT_|MODULE_|UNSUPPORTED_TYPESCRIPT_)/;
  const codes = [...(await inSources(packages, /"(ERR_[A-Z_]+)"/g))].filter((code) => !foreign.test(code));
  const listed = await rows("operations.md", "Errors");
  expect(names(listed)).toEqual(codes.toSorted());
  expect(listed.filter(([, happened = ""]) => happened.trim() === "")).toEqual([]);
});

test("docs/operations.md lists every setting with its variable", async () => {
  const text = await readFile(join(ROOT, "docs", "operations.md"), "utf8");
  const listed = [...text.matchAll(/^\| `([a-zA-Z.]+)` \| `(TREADLE_[A-Z_]+)` \|/gm)].map(([, path, variable]) => [path, variable]);
  expect(listed).toEqual(Object.keys(SETTINGS).map((path) => [path, variableOf(path)]));
});

test("docs/operations.md lists every reason that the engine and plugins give a condition or an event", async () => {
  const reasons = await inSources(
    ["reconcile", "dependents"],
    /(?:reason: |unknown\(|code: |code = |code \?\? |_REASON = )"([A-Z][a-z][A-Za-z]+)"/g,
  );
  // The table of what a reason means for the condition of a set.
  const ofSets = await inSources(["dependents"], /^ {2}([A-Z]\w+): "(?:True|False|Unknown)",$/gm);
  const ofPlugins = await inSources(["plugins"], /(?:new NoAnswer\(|super\(|unknown\(CONDITION, |\), \{ code: )"([A-Z]\w+)"/g);
  const listed = [...(await rows("operations.md", "Reasons of conditions")), ...(await rows("operations.md", "Events"))];
  expect([...new Set(names(listed))]).toEqual(
    [...reasons, ...ofSets, ...ofPlugins, ...(await warningReasons())].filter(isFirst).toSorted(),
  );
});

test("docs/operations.md lists every reason of a Warning event, each with what to do", async () => {
  const listed = await rows("operations.md", "Events");
  expect(names(listed)).toEqual((await warningReasons()).toSorted());
  expect(listed.filter(([, , fix = ""]) => fix.trim() === "")).toEqual([]);
});

/** The closed lists of the packages that record such events. */
async function warningReasons(): Promise<readonly string[]> {
  const lists = await inSources(["reconcile", "dependents"], /WARNING_REASONS[^=]*= \[([^\]]+)\]/g);
  return [...lists].flatMap((list) => [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name));
}

const isFirst = (name: string, at: number, all: readonly string[]): boolean => all.indexOf(name) === at;

test("of the steps of the framework only sets and dependents in targets record events, and docs/operations.md lists them", async () => {
  const declared = await inSources(["reconcile", "dependents", "controller"], /\bevents: (\[[^\]]+\]|\w*EVENTS)/g);
  expect([...declared].filter((found) => !found.includes("${")).toSorted()).toEqual(["TARGET_EVENTS", "[...EVENTS, ...TARGET_EVENTS]"]);
  const lists = await inSources(["dependents"], /\b(?:TARGET_)?EVENTS = \[([^\]]+)\]/g);
  const events = [...lists].flatMap((list) => [...list.matchAll(/"(\w+)"/g)].map(([, name = ""]) => name));
  expect(names(await rows("operations.md", "Events of sets"))).toEqual(events.toSorted());
});
