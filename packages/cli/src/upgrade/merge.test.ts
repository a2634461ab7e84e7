import { expect, test } from "vitest";
import { mergeProject, type Sides } from "./merge.ts";

const lines = (...each: string[]): string => each.map((line) => `${line}\n`).join("");
const TEN = Array.from("abcdefghij");
const changed = (...changes: readonly [index: number, line: string][]): string =>
  lines(...TEN.map((line, index) => new Map(changes).get(index) ?? line));

const merged = ({ base, mine, next, path = "f.ts" }: { base?: string; mine?: string; next?: string; path?: string }) => {
  const files = (text: string | undefined): Sides["base"] => (text === undefined ? {} : { [path]: text });
  return mergeProject({ base: files(base), next: files(next), mine: () => mine, label: "treadle 2.0.0" });
};

test.for([
  { name: "a file that nobody changed", given: { base: "a\n", mine: "a\n", next: "a\n" }, want: [] },
  { name: "a file that only the user changed", given: { base: "a\n", mine: "b\n", next: "a\n" }, want: [] },
  { name: "a file that only the templates changed", given: { base: "a\n", mine: "a\n", next: "b\n" }, want: [["updated", "b\n"]] },
  { name: "the same change on both sides", given: { base: "a\n", mine: "b\n", next: "b\n" }, want: [] },
  { name: "a new file", given: { next: "a\n" }, want: [["added", "a\n"]] },
  { name: "a new file that the user has already", given: { mine: "a\n", next: "a\n" }, want: [] },
  { name: "a file that left the templates", given: { base: "a\n", mine: "a\n" }, want: [["removed", undefined]] },
  { name: "a changed file that left the templates", given: { base: "a\n", mine: "b\n" }, want: [["kept", undefined]] },
  { name: "a file that both sides removed", given: { base: "a\n" }, want: [] },
  { name: "a file that the user removed", given: { base: "a\n", next: "b\n" }, want: [["absent", undefined]] },
  { name: "a file that the user removed and nobody changed", given: { base: "a\n", next: "a\n" }, want: [] },
  {
    name: "changes in different places",
    given: { base: changed(), mine: changed([1, "mine"]), next: changed([8, "new"]) },
    want: [["merged", changed([1, "mine"], [8, "new"])]],
  },
])("$name", ({ given, want }) => {
  expect(merged(given).map(({ type, text }) => [type, text])).toEqual(want);
});

test("changes of one place get the marks of git around both", () => {
  expect(merged({ base: lines("a", "b", "c"), mine: lines("a", "mine", "c"), next: lines("a", "new", "c") })).toEqual([
    { path: "f.ts", type: "conflict", text: lines("a", "<<<<<<< yours", "mine", "=======", "new", ">>>>>>> treadle 2.0.0", "c") },
  ]);
});

test("two different new files of one name are a conflict with both texts", () => {
  const [found] = merged({ mine: lines("mine"), next: lines("new") });
  expect(found?.type).toBe("conflict");
  expect(found?.text).toMatch(/^<<<<<<< yours\nmine\n(?:.*\n)*=======\nnew\n/);
});

test("line breaks of Windows stay, and are no change", () => {
  const windows = (text: string): string => text.replaceAll("\n", "\r\n");
  expect(merged({ base: changed(), mine: windows(changed()), next: changed([8, "new"]) })).toEqual([
    { path: "f.ts", type: "updated", text: windows(changed([8, "new"])) },
  ]);
  expect(merged({ base: changed(), mine: windows(changed([1, "mine"])), next: changed([8, "new"]) })[0]?.text).toBe(
    windows(changed([1, "mine"], [8, "new"])),
  );
});

const json = (value: object): string => `${JSON.stringify(value, undefined, 2)}\n`;

test("a dependency of the user beside one of the templates is no conflict", () => {
  const base = { name: "a", dependencies: { treadle: "^1.0.0", zod: "^4.0.0" } };
  const mine = { ...base, dependencies: { pg: "^8.0.0", ...base.dependencies } };
  const next = { ...base, dependencies: { treadle: "^2.0.0", zod: "^4.0.0", more: "^1.0.0" } };
  expect(merged({ path: "package.json", base: json(base), mine: json(mine), next: json(next) })).toEqual([
    {
      path: "package.json",
      type: "merged",
      text: json({ name: "a", dependencies: { pg: "^8.0.0", treadle: "^2.0.0", zod: "^4.0.0", more: "^1.0.0" } }),
    },
  ]);
});

test("a value that both sides changed is a conflict, in JSON too", () => {
  const of = (range: string): string => json({ dependencies: { treadle: range } });
  const [found] = merged({ path: "package.json", base: of("^1.0.0"), mine: of("1.0.7"), next: of("^2.0.0") });
  expect(found).toMatchObject({ type: "conflict", text: expect.stringContaining("<<<<<<< yours") });
});

test("a dependency that the user removed, and the templates changed, is a conflict", () => {
  const found = merged({ path: "package.json", base: json({ a: 1, b: 1 }), mine: json({ b: 1 }), next: json({ a: 2, b: 1 }) });
  expect(found).toMatchObject([{ type: "conflict" }]);
});

test("JSON with comments is merged as text", () => {
  const of = (a: number): string => `{\n  // why\n  "a": ${a}\n}\n`;
  expect(merged({ path: "tsconfig.json", base: of(1), mine: of(2), next: of(3) })).toMatchObject([{ type: "conflict" }]);
});
