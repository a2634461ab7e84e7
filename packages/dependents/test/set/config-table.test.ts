/** Every combination of what an author decides in code about one object, in every phase. */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { fateOf, foundOf, isLegal, PHASES, ROWS, run } from "./config-table.ts";
import { Platform } from "./platforms.ts";

describe("an object with any switches", () => {
  test.for(PHASES)("in the phase: %s", async (phase) => {
    const rows = ROWS.filter(isLegal);
    const world = await run(rows, phase);
    const wrong: string[] = [];
    for (const row of rows) {
      const [found, wanted] = [await foundOf(world, row), fateOf(row, phase)];
      for (const field of Object.keys(wanted) as (keyof typeof wanted)[])
        if (found[field] !== wanted[field]) wrong.push(`${row.name}: ${field} is ${found[field]}, not ${wanted[field]}`);
    }
    expect(wrong).toEqual([]);
  });

  test("that no update would mark as the owner's is refused, and is not written", async () => {
    const rows = ROWS.filter((row) => !isLegal(row));
    expect(rows).toHaveLength(4);
    const world = await run(rows, "unowned");
    for (const { name } of rows) {
      expect((await world.get(ConfigMap, name))?.data).toEqual({ text: "theirs" });
      const message = (await world.get(Platform, name))?.status?.conditions?.find(({ type }) => type === "StackReady")?.message;
      expect(message).toContain("owned: true with created: false needs updated: true");
    }
  });
});
