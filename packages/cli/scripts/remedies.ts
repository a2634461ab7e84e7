/**
 * `node scripts/remedies.ts`: writes `src/explain/remedies-data.ts` from the tables of docs/operations.md, which tests compare with
 * the code. So the page is the only source of the remedies, and `explain` shows the same words.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..", "..", "..");
const TARGET = join(import.meta.dirname, "..", "src", "explain", "remedies-data.ts");

/** Returns the remedy of each reason. A reason of several sections has the words of the first one. */
export function remediesIn(page: string): ReadonlyMap<string, string> {
  const remedies = new Map<string, string>();
  const add = (name: string, remedy: string): void => {
    const text = plain(remedy);
    if (!remedies.has(name) && text !== "" && !AMBIGUOUS.has(name)) remedies.set(name, text);
  };
  for (const [section, columns] of Object.entries(SECTIONS)) {
    const part = page.split(/^## /m).find((each) => each.startsWith(`${section}\n`)) ?? "";
    for (const cells of rowsOf(part)) {
      if (cells.length !== columns.count) continue;
      for (const [, name = ""] of (cells[columns.name] ?? "").matchAll(/`(\w+)`/g)) {
        const reason = section === "Errors" ? camelCase(name) : name;
        add(reason, cells.at(-1) ?? "");
      }
    }
  }
  return remedies;
}

/** A step that throws an `Error`, or to which the server answers 422, has such a reason as well. The page explains those of sets and plugins. */
const AMBIGUOUS: ReadonlySet<string> = new Set(["Error", "Invalid"]);

/** Which column has the names; the last one has the remedy. */
const SECTIONS = {
  "Reasons of conditions": { count: 3, name: 0 },
  "External resources": { count: 4, name: 1 },
  Events: { count: 3, name: 0 },
  Errors: { count: 3, name: 0 },
} as const;

function rowsOf(part: string): readonly (readonly string[])[] {
  return [...part.matchAll(/^\| (`.*) \|$/gm)].map(([, row = ""]) => row.split(/ ?\| ?/));
}

/** A condition shows the code of an error in CamelCase: `ERR_STEP_TIMEOUT` is `StepTimeout`. */
function camelCase(code: string): string {
  return code
    .replace(/^ERR_/, "")
    .toLowerCase()
    .replaceAll(/(^|_)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}

/** A terminal has no links. "Nothing" is no remedy. */
function plain(cell: string): string {
  const text = cell.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, "$1").trim();
  return /^nothing\b(?!.*;)/.test(text) ? "" : text;
}

/** Returns the text of the generated file. */
export function fileOf(remedies: ReadonlyMap<string, string>): string {
  const lines = [...remedies].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => `  ${name}: ${JSON.stringify(text)},`);
  return `/** Generated from docs/operations.md by \`node packages/cli/scripts/remedies.ts\`. Do not edit. */

/** What to do about each reason of a condition or an event, and each error. */
export const REMEDIES: Readonly<Record<string, string>> = {
${lines.join("\n")}
};
`;
}

/** Returns what the file should be. */
export function expectedFile(): string {
  return fileOf(remediesIn(readFileSync(join(ROOT, "docs", "operations.md"), "utf8")));
}

if (import.meta.main) writeFileSync(TARGET, expectedFile());
