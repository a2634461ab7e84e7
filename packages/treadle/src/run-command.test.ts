import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { commandFrom, installText } from "./run-command.ts";

const find = (place: string): string => {
  if (place.startsWith("/without/")) throw new Error("not found");
  return `${place} found`;
};

test("the command is found from the first place that has it", () => {
  expect(commandFrom(["/without/a.js", "/with/b.js", "/with/c.js"], find)).toBe("/with/b.js found");
});

test("no command is found where it is not installed", () => {
  expect(commandFrom(["/without/a.js"], find)).toBeUndefined();
});

test("without the command, the text has the words of the user for a shell", () => {
  expect(installText(["explain", "shop/a", "--as", "it's me"])).toBe(
    `treadle: the command is in the package @treadle/cli, which is not installed here
Install it for this project: npm install -D @treadle/cli
Or run it once:              npx -p @treadle/cli treadle explain shop/a --as 'it'\\''s me'`,
  );
  expect(installText([])).toMatch(/npx -p @treadle\/cli treadle --help$/);
});

test.for(["rbac-bin.ts", "treadle-bin.ts"])("%s checks Node before it loads anything else", async (name) => {
  const bin = await readFile(new URL(`./${name}`, import.meta.url), "utf8");
  expect(bin.match(/^import .*$/gm)).toEqual(['import { nodeProblem } from "@treadle/apimachinery/unstable/node-version";']);
});
