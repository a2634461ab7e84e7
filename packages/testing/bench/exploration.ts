/**
 * Explores every example, and what is explored here beside them, and writes the figures into docs/exploration.md: `npm run bench --
 * exploration`. The figures are those that the tests print; a test that fails leaves the document as it was, and ends with 1.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { basename, dirname, join } from "node:path";
import { stripVTControlCharacters } from "node:util";

const root = join(import.meta.dirname, "../../..");
const DOCUMENT = join(root, "docs/exploration.md");
const [BEGIN, END] = ["<!-- figures: npm run bench -- exploration -->", "<!-- end of figures -->"] as const;
const FIGURES = /^([a-z][a-z -]*): (\d+) points \(.*\) in (\d+) runs, [\d.]+ s \(([\d.]+) s of CPU\): (\d+) failed/;

const files = globSync(["examples/*/explore.test.ts", "packages/testing/test/explore/{neighbours,workloads}.test.ts"], { cwd: root });
const rows = files.toSorted().flatMap((file) => explored(file));
const table = [
  "| explored | points | runs | seconds of CPU | failed |",
  "|---|---|---|---|---|",
  ...rows.map((row) => `| ${row.join(" | ")} |`),
  "",
  `Node ${process.versions.node}, ${cpus().length} cores, one run after the other on one of them.`,
].join("\n");
console.log(table);
if (process.exitCode === undefined) {
  const text = readFileSync(DOCUMENT, "utf8");
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT}: the lines ${BEGIN} and ${END} are not there: the table has no place`);
  writeFileSync(DOCUMENT, `${text.slice(0, from + BEGIN.length)}\n${table}\n${text.slice(to)}`);
}

/** The figures that the tests of a file print. */
function explored(file: string): readonly (readonly string[])[] {
  const isExample = file.startsWith("examples");
  const cwd = join(root, isExample ? dirname(file) : "packages/testing");
  const test = isExample ? basename(file) : join("test/explore", basename(file));
  const { status, stdout, stderr } = spawnSync("vitest", ["run", "--config", join(root, "vitest.config.ts"), test], {
    cwd,
    encoding: "utf8",
  });
  const found = stripVTControlCharacters(stdout)
    .split("\n")
    .flatMap((line) => {
      const figures = FIGURES.exec(line);
      return figures === null ? [] : [figures.slice(1)];
    });
  if (status === 0 && found.length > 0) return found;
  console.error(`${file}: ${status === 0 ? "printed no figures" : `ended with ${status}`}\n${stdout}${stderr}`);
  process.exitCode = 1;
  return [];
}
