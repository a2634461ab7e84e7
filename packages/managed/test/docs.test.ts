/** docs/operations.md names every reason and event of a managed step, and no other. */
import { glob, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { EVENT_REASONS } from "../src/flow/changed.ts";
import { type Reason, REASONS } from "../src/reasons.ts";

const ROOT = join(import.meta.dirname, "..");

async function section(): Promise<string> {
  const page = await readFile(join(ROOT, "..", "..", "docs", "operations.md"), "utf8");
  return page.split(/^## /m).find((part) => part.startsWith("External resources\n")) ?? "";
}

/** The words in backticks of one column. */
async function column(pattern: RegExp): Promise<ReadonlySet<string>> {
  const cells = [...(await section()).matchAll(pattern)].map(([, cell = ""]) => cell);
  return new Set(cells.flatMap((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)));
}

/** The literal reasons that the sources give to a condition. */
async function reasonsInSource(): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for await (const file of glob(join(ROOT, "src/**/*.ts"))) {
    if (file.includes(".test")) continue;
    const text = await readFile(file, "utf8");
    for (const [, name = ""] of text.matchAll(/(?:conditions\s*\.(?:true|false|unknown)\([^,]+, |notSynced\(run, )"(\w+)"/g))
      found.add(name);
  }
  return found;
}

test("every reason of a condition is in the table, and no other", async () => {
  const listed = await column(/^\| `\w+`[^|]* \| ((?:`\w+`(?:, )?)+) \|/gm);
  const events = new Set(EVENT_REASONS);
  expect([...listed].filter((name) => !events.has(name) && name !== "Normal").toSorted()).toEqual(REASONS.toSorted());
  expect([...(await reasonsInSource())].filter((name) => !REASONS.includes(name as Reason))).toEqual([]);
});

test("every event is in the table, and no other", async () => {
  const listed = await column(/^\| ((?:`\w+`(?:, )?)+) \| (?:Normal|Warning) \|/gm);
  expect([...listed].toSorted()).toEqual(EVENT_REASONS.toSorted());
});
