import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

test("the operator takes at most 40 lines of code with its resource and its test; its rights are generated", () => {
  const lines = ["redis.ts", "main.ts", "redis.programs.test.ts"].flatMap((file) =>
    readFileSync(path.join(import.meta.dirname, file), "utf8").split("\n"),
  );
  expect(lines.filter((line) => line.trim() !== "").length).toBeLessThanOrEqual(40);
});
