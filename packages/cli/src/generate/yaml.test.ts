import { expect, test } from "vitest";
import { parse } from "yaml";
import { dataOf, yamlOf } from "./yaml.ts";

test("what YAML 1.1 takes for a line break is escaped, so that kubectl reads no second object in a description", () => {
  const data = { a: "x\u2028\u2029---\u0085kind: Evil", b: "line\n\u2028kind: Evil\n", "k\u2028e": 1, c: "\u007f\u009f\ufeff" };
  const text = dataOf(data);
  expect(text).not.toMatch(/[\u007f-\u009f\u2028\u2029\ufeff]/);
  expect(text).toContain('a: "x\\u2028\\u2029---\\u0085kind: Evil"\n');
  expect(parse(text, { version: "1.1" })).toEqual(data);
});

test("a comment of a rule stays a comment", () => {
  const manifest = { apiVersion: "v1", kind: "A", metadata: { name: "a" }, rules: [{ verbs: ["get"] }] };
  const text = yamlOf({ manifest, ruleComments: [["a\u2028- verbs: [all]", "b\nc"]] });
  expect(text.split("\n").filter((line) => /verbs: \[all\]|c$/.test(line)).every((line) => /^ *#/.test(line))).toBe(true);
  expect(parse(text)).toEqual(manifest);
});
