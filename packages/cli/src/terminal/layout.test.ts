import { expect, test } from "vitest";
import { duration, painter, shortened, widthOf, wrapped } from "./layout.ts";

test.for([
  [-5000, "0s"],
  [119_000, "119s"],
  [125_000, "2m5s"],
  [540_000, "9m"],
  [660_000, "11m"],
  [4 * 3_600_000 + 300_000, "4h5m"],
  [9 * 3_600_000, "9h"],
  [72 * 3_600_000, "3d"],
] as const)("a duration of %i ms is shown as %s, as kubectl does", ([ms, want]) => {
  expect(duration(ms)).toBe(want);
});

test("a text is broken at the width, with its indents, and long words are cut", () => {
  const text = wrapped("the image registry.example/aaaaaaaaaaaaaaaaaaaaaaaaaaaa is missing", 20, { first: "- ", rest: "  " });
  expect(text.split("\n").every((line) => line.length <= 20)).toBe(true);
  expect(text.split("\n")[0]).toBe("- the image");
});

test("without a width no line is broken", () => {
  expect(wrapped(`${"a".repeat(200)} b`, undefined, { first: "  ", rest: "  " })).toBe(`  ${"a".repeat(200)} b`);
});

test("a long name is cut in the middle, and wide characters count twice", () => {
  expect(shortened("a-database-79f7584655-kvzp9", 13)).toBe("a-data…-kvzp9".slice(0, 13));
  expect(shortened("web", 3)).toBe("web");
  expect(widthOf("名前")).toBe(4);
});

test("without colours a text stays as it is", () => {
  expect(painter(false)("bad", "x")).toBe("x");
  expect(painter(true)("bad", "x")).toBe("\u001B[31mx\u001B[39m");
});
