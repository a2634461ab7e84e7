import type { ManagedFieldsEntry } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { capUpdaters } from "./cap.ts";

function entry(i: number, operation: "Apply" | "Update" = "Update"): ManagedFieldsEntry {
  const time = `2026-01-01T00:00:${String(i).padStart(2, "0")}Z`;
  return { manager: `m${i}`, operation, apiVersion: "v1", time, fieldsType: "FieldsV1", fieldsV1: { [`f:x${i}`]: {} } };
}

test("the oldest entries of updates are merged into one, entries of applies are not", () => {
  const entries = [entry(99, "Apply"), ...Array.from({ length: 12 }, (_, i) => entry(i))];
  const capped = capUpdaters(entries);
  expect(capped.filter((one) => one.operation === "Update")).toHaveLength(10);
  expect(capped.find((one) => one.manager === "ancient-changes")).toMatchObject({
    time: "2026-01-01T00:00:02Z",
    fieldsV1: { "f:x0": {}, "f:x1": {}, "f:x2": {} },
  });
  expect(capped).toContain(entries[0]);
  expect(capUpdaters(entries.slice(0, 11))).toEqual(entries.slice(0, 11));
});
