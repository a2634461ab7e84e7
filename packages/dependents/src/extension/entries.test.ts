import { expect, test } from "vitest";
import { type DependentEntry, entriesOfStep } from "../core/entries.ts";
import { underPresentName } from "./entries.ts";
import { ConfigMap } from "@treadle/apimachinery/kinds";

const entry: DependentEntry = {
  step: "page",
  handler: "old",
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "a",
  type: "Ready",
  reason: "Ready",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
};
/** What a user may write with an editor, where the schema does not forbid it. */
const stored = [null, "text", entry, { ...entry, step: 1 }] as readonly DependentEntry[];

test("elements that are not entries do not hide the entries of a former name", () => {
  const renamed = underPresentName({ kind: ConfigMap, names: ["new", "old"] }, stored);
  expect(entriesOfStep(renamed, { handler: "new", step: "page" })).toEqual([{ ...entry, handler: "new" }]);
});

test("elements that are not entries belong to no step", () => {
  expect(entriesOfStep(stored, { handler: "old", step: "page" })).toEqual([entry]);
});
