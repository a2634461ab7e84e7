import { expect, test } from "vitest";
import { tableText } from "./table.ts";

const HEADERS = ["NAME", "STATE", "AGE"];
const ROWS = [
  { cells: [{ text: "shop" }, { text: "Ready" }, { text: "3m" }] },
  { cells: [{ text: "a-long-name" }, { text: "Failed" }, { text: "" }], note: "the image web:1 cannot be pulled" },
];
const options = { hasColors: false };

test("columns are aligned where they fit, with the note of a row below it", () => {
  expect(tableText(HEADERS, ROWS, { ...options, columns: 80 })).toBe(
    "NAME         STATE   AGE\nshop         Ready   3m\na-long-name  Failed\n  the image web:1 cannot be pulled\n",
  );
});

test("a narrow terminal has a block of lines for each row, and no empty cells", () => {
  expect(tableText(HEADERS, ROWS, { ...options, columns: 20 })).toBe(
    "shop\n  state  Ready\n  age    3m\na-long-name\n  state  Failed\n  the image web:1\n  cannot be pulled\n",
  );
});

test("a table without rows has its headers only", () => {
  expect(tableText(HEADERS, [], { ...options, columns: 80 })).toBe("NAME  STATE  AGE\n");
});
