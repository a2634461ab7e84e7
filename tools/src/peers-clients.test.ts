import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { CLIENTS, CRDS } from "../peers/src/client-programs.ts";
import { readSteps } from "../peers/src/clients.ts";
import { root } from "./workspaces.ts";

test("lines of a script that are not steps are not results", () => {
  const output = "WARN something\nok create\nnot ok watch: not in 20 s: the events\nit is not ok at all\n";
  expect([...readSteps(output, 3)]).toEqual([
    ["create", "passed"],
    ["watch", "failed: not in 20 s: the events"],
    ["the program ends with 0", expect.stringContaining("it ended with 3")],
  ]);
});

test("the examples of the page for other languages are the files that the suite runs", () => {
  const page = readFileSync(join(root, "docs/test-in-any-language.md"), "utf8");
  const quotes = [...page.matchAll(/^<!-- file: (\S+) -->\n\n```\w+\n(.*?)^```$/gms)];
  for (const [, path = "", code] of quotes) expect(code, path).toBe(readFileSync(join(root, path), "utf8"));
  const examples = CLIENTS.flatMap(({ example }) => example ?? []);
  const files = [join(relative(root, CRDS), "widgets.yaml"), ...examples];
  expect(quotes.map(([, path]) => path).toSorted()).toEqual(files.toSorted());
  expect(examples).toHaveLength(3);
});
