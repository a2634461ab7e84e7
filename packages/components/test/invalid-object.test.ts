/** An object that the server refuses because of its schema. */
import "@treadle/testing/matchers";
import { expect, test } from "vitest";
import { type App, change, entries, main, mainOf, page, settled } from "./stage.ts";

test("an object that breaks the schema of its kind is an Error at once, and leaves the others", async () => {
  const invalid = { desired: ({ spec }: App) => ({ data: { text: spec.text === "bad" ? 5 : spec.text } }) };
  const world = await settled(main([page("one", invalid), page("two")]), { spec: { text: "bad" } });
  expect(await mainOf(world)).toMatch(/^False Error: one: .*expected string/);
  expect(await entries(world)).toEqual({ one: "Failed Error", two: "Ready Healthy" });

  await change(world, { text: "good" });
  expect(await mainOf(world)).toBe("True Healthy: Component is ready.");
});
