import { expect, test } from "vitest";
import {
  camelOf,
  groupProblem,
  kebabOf,
  kindProblem,
  operatorNameProblem,
  partNameProblem,
  pascalOf,
  pluralOf,
  pluralVariableOf,
} from "./names.ts";

test.for([
  { kind: "Website", kebab: "website", plural: "websites", variable: "websites" },
  { kind: "RWExternal", kebab: "rw-external", plural: "rwexternals", variable: "rwExternals" },
  { kind: "HTTPProxy", kebab: "http-proxy", plural: "httpproxies", variable: "httpProxies" },
  { kind: "CronJob2", kebab: "cron-job2", plural: "cronjob2s", variable: "cronJob2s" },
  { kind: "Class", kebab: "class", plural: "classes", variable: "classes" },
  { kind: "AB", kebab: "ab", plural: "abs", variable: "abs" },
])("the kind $kind becomes $kebab, $plural and $variable", ({ kind, ...want }) => {
  expect({ kebab: kebabOf(kind), plural: pluralOf(kind), variable: pluralVariableOf(kind) }).toEqual(want);
  expect(kindProblem(kind)).toBeUndefined();
});

test("the name read-input becomes readInput and ReadInput", () => {
  expect([camelOf("read-input"), pascalOf("read-input")]).toEqual(["readInput", "ReadInput"]);
});

test.for([
  { check: operatorNameProblem, good: ["a", "website-operator", "a1", "x".repeat(55)] },
  { check: partNameProblem, good: ["a", "read-input", "a1-b2"] },
  { check: groupProblem, good: ["a.b", "apps.example.com", "k8s.example.com", "my-k8s.io"] },
])("$check.name accepts names of Kubernetes", ({ check, good }) => {
  expect(good.map(check)).toEqual(good.map(() => undefined));
});

test.for([
  {
    check: operatorNameProblem,
    bad: ["", "A", "1a", "-a", "a-", "a_b", "a.b", "@a/b", "../a", "x".repeat(64), "zod", "treadle", "ü", "a b"],
  },
  { check: partNameProblem, bad: ["", "A", "1a", "-a", "a-", "a--b", "a_b", "a/b", "../a", "delete", "x".repeat(41), "import"] },
  { check: kindProblem, bad: ["", "website", "A_b", "A-B", "A.b", "Map", "Object", "Promise", "Ä", "X".repeat(51), "A/../B"] },
  { check: groupProblem, bad: ["", "a", "A.b", "a..b", ".a.b", "a.b.", "a_b.c", "k8s.io", "apps.k8s.io", "a.kubernetes.io", "a b.c"] },
])("$check.name refuses other names, quotes them, and says what to write", ({ check, bad }) => {
  for (const name of bad)
    expect(check(name), name).toMatch(name === "" ? /write/ : new RegExp(`"${name}".*(write|choose|it needs|at most)`));
});
