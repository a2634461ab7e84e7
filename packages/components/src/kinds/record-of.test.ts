import { apiVersionOf, kind } from "@treadle/apimachinery";
import { health } from "@treadle/apimachinery/health";
import { Deployment, HorizontalPodAutoscaler, Job } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { integrationRecords } from "./integrations.ts";
import type { AnyKindRecord } from "./kind-record.ts";
import { recordOf } from "./record-of.ts";
import { requireRecord } from "./require-record.ts";
import { resourceStateOf } from "./state-of.ts";
import { staticRecords } from "./statics.ts";
import { taskRecords } from "./tasks.ts";
import { workloadRecords } from "./workloads.ts";

const BUILT_IN = [...workloadRecords, ...taskRecords, ...integrationRecords, ...staticRecords];

test.for(BUILT_IN)("the record of $kind.kind is found, and is valid", (record) => {
  expect(recordOf(record.kind)).toBe(record);
  expect(requireRecord("test", record)).toBe(record);
});

test("there is one built-in record of each kind", () => {
  expect(new Set(BUILT_IN.map((record) => record.kind)).size).toBe(BUILT_IN.length);
  expect(BUILT_IN).toHaveLength(23);
});

test("a record is found by group and kind, in any version", () => {
  const v1 = kind({ group: "autoscaling", version: "v1", kind: "HorizontalPodAutoscaler" });
  expect(recordOf(v1)).toBe(recordOf(HorizontalPodAutoscaler));
  expect(recordOf(kind({ group: "example.dev", version: "v1", kind: "Deployment" })).category).toBe("integration");
});

test("the first custom record of a kind comes before the built-in one", () => {
  const first: AnyKindRecord = { kind: Deployment, category: "static" };
  const second: AnyKindRecord = { kind: Deployment, category: "task" };
  expect(recordOf(Deployment, [second, first])).toBe(second);
  expect(recordOf(Job, [first, second]).kind).toBe(Job);
});

test("a kind without a record is an integration without functions", () => {
  const Widget = kind({ group: "example.dev", version: "v1", kind: "Widget" });
  expect(recordOf(Widget)).toEqual({ kind: Widget, category: "integration" });
});

test("the static kinds are those of the table", () => {
  expect(staticRecords.map((record) => record.kind.kind)).toEqual([
    "ConfigMap",
    "Secret",
    "ServiceAccount",
    "Role",
    "RoleBinding",
    "ClusterRole",
    "ClusterRoleBinding",
    "PodDisruptionBudget",
    "NetworkPolicy",
  ]);
});

test.for(staticRecords)("an applied $kind.kind is Healthy, is not graded and cannot be suspended", (record) => {
  expect(record).toEqual({ kind: record.kind, category: "static" });
  const live = { apiVersion: apiVersionOf(record.kind), kind: record.kind.kind, metadata: { name: "a" } };
  const facts = { operation: "created", changed: [], previous: undefined } as const;
  const state = resourceStateOf(record, live, { judged: health(live), isReady: true, isJudgedByAuthor: false, facts });
  expect(state).toEqual({ reason: "Healthy", message: "" });
});
