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
  expect(
    text
      .split("\n")
      .filter((line) => /verbs: \[all\]|c$/.test(line))
      .every((line) => /^ *#/.test(line)),
  ).toBe(true);
  expect(parse(text)).toEqual(manifest);
});

test("texts that YAML 1.1 takes for other values are quoted, and others are not", () => {
  const values = [
    "on",
    "off",
    "y",
    "n",
    "no",
    "1_000",
    "0b11",
    "1:30",
    "190:20:30.15",
    "685_230.15",
    "2020-01-01",
    "2001-12-14t21:59:43Z",
    "=",
    "<<",
    "yes",
    "017",
    "1e3",
  ];
  const data = { values, "2020-01-01": "a", on: "b" };
  const text = dataOf(data);
  expect(parse(text, { version: "1.1" })).toEqual(data);
  for (const value of values) expect(text).toContain(`- "${value}"\n`);
  expect(dataOf({ a: "1.2.3", b: "50m", c: "a:b", d: "shop:1.0" })).toBe("a: 1.2.3\nb: 50m\nc: a:b\nd: shop:1.0\n");
});
