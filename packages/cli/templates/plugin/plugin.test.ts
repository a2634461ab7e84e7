import { planOf } from "@treadle/plugins/author";
import { expect, test } from "vitest";
import { databases } from "./plugin.ts";

test("a plan uses the requested storage", () =>
  expect(planOf(databases, { spec: { type: "postgresql", parameters: { storageGb: 5 } } })).toMatchObject({
    server: { spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: "5Gi" } } } }] } },
  }));

test("a redis has the requested replicas", () =>
  expect(planOf(databases, { spec: { type: "redis", parameters: { replicas: 3 } } })).toMatchObject({ server: { spec: { replicas: 3 } } }));

test("storage of no gigabyte is refused", () =>
  expect(() => planOf(databases, { spec: { type: "postgresql", parameters: { storageGb: 0 } } })).toThrow("spec.parameters.storageGb"));
