import type { KubernetesObject } from "@treadle/apimachinery";
import { Registry } from "prom-client";
import { expect, test } from "vitest";
import type { ExternalChange } from "./change.ts";
import { externalMetrics } from "./external-metrics.ts";

const object: KubernetesObject = { apiVersion: "store.test/v1", kind: "Bucket", metadata: { name: "a" } };
const CHANGE: ExternalChange = {
  verb: "update",
  kind: "Bucket",
  object,
  name: "default-a",
  before: { sizeGb: 1 },
  changes: { sizeGb: 2 },
  isDrift: false,
  error: undefined,
  durationMs: 250,
};

test("the change log gives counts, durations and drift by kind and verb", async () => {
  const registry = new Registry();
  const onChange = externalMetrics(registry);
  onChange(CHANGE);
  onChange({ ...CHANGE, isDrift: true });
  onChange({ ...CHANGE, verb: "delete", error: new Error("boom") });
  const text = await registry.metrics();
  expect(text).toContain('external_calls_total{kind="Bucket",verb="update",result="success"} 2');
  expect(text).toContain('external_calls_total{kind="Bucket",verb="delete",result="error"} 1');
  expect(text).toContain('external_call_duration_seconds_sum{kind="Bucket",verb="update"} 0.5');
  expect(text).toContain('external_drift_total{kind="Bucket"} 1');
});
