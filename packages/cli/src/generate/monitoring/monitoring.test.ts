import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { ALERTS, alertRules } from "./alerts.ts";
import { COMPONENT_ALERTS } from "./component-alerts.ts";
import { dashboardText } from "./dashboard.ts";
import type { MetricFacts } from "./facts.ts";
import { PANELS } from "./panels.ts";

const docs = (...path: readonly string[]): string =>
  readFileSync(join(import.meta.dirname, "..", "..", "..", "..", "..", "docs", ...path), "utf8");

const NONE: MetricFacts = {
  ofExtensions: new Set(),
  isElected: false,
  hasCertificate: false,
  hasWebhooks: false,
  hasConversion: false,
  hasPlugins: false,
  hasTargets: false,
  hasConditions: false,
};
const METRIC = /\b(?:treadle|controller_runtime|workqueue|rest_client|leader_election|certwatcher|process|nodejs)_[a-z_]+/g;

test("docs/metrics.md or docs/components.md has each metric of the alerts and the dashboard", () => {
  const page = docs("metrics.md") + docs("components.md");
  const text = [...ALERTS.map(({ expr }) => expr), ...PANELS.flatMap(({ queries }) => queries.map(([expr]) => expr))].join("\n");
  const names = new Set([...text.matchAll(METRIC)].map(([name]) => name.replace(/_bucket$/, "")));
  expect(names.size).toBeGreaterThan(30);
  expect([...names].filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
});

test("the alerts for components are those of docs/monitoring", () => {
  const { groups } = parse(docs("monitoring", "components-alerts.yaml")) as {
    readonly groups: readonly [{ readonly rules: readonly object[] }];
  };
  const facts = { ...NONE, ofExtensions: new Set(["treadle_component_resource_applies_total"]), hasConditions: true };
  const names = new Set(COMPONENT_ALERTS.map(({ name }) => name));
  const rules = alertRules(facts, "x").filter((rule) => names.has((rule as { readonly alert: string }).alert));
  const withoutJob = JSON.stringify(rules)
    .replaceAll(/job=\\"x\\"(?:, )?/g, "")
    .replaceAll("{}", "");
  expect(JSON.parse(withoutJob)).toEqual(groups[0].rules);
});

test("an operator has the alerts and panels of its metrics, and no others", () => {
  const names = (facts: MetricFacts): readonly unknown[] =>
    alertRules(facts, "x").map((rule) => (rule as { readonly alert: string }).alert);
  expect(names(NONE)).not.toContain("TreadleNoLeader");
  expect(names({ ...NONE, isElected: true })).toContain("TreadleNoLeader");
  expect(names({ ...NONE, ofExtensions: new Set(["treadle_external_calls_total"]) })).toContain("TreadleExternalCallsFail");
  const titles = (facts: MetricFacts): string => dashboardText(facts, { name: "a", job: "a-metrics" });
  expect(titles(NONE)).not.toContain("Reviews per second");
  expect(titles({ ...NONE, hasWebhooks: true })).toContain("Reviews per second");
});

test("each expression selects the series of the operator", () => {
  const text = JSON.stringify(alertRules({ ...NONE, isElected: true }, "a-metrics")) + dashboardText(NONE, { name: "a", job: "a-metrics" });
  expect(text).not.toMatch(/\bJOB\b/);
  const bare = [...ALERTS.map(({ expr }) => expr), ...PANELS.flatMap(({ queries }) => queries.map(([expr]) => expr))].filter(
    (expr) => (expr.match(METRIC) ?? []).length !== (expr.match(/\bJOB\b/g) ?? []).length,
  );
  expect(bare).toEqual([]);
});
