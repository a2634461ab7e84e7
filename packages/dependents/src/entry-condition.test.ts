import { expect, test } from "vitest";
import type { NewEntry } from "./core/entries.ts";
import { settingOf, type StepFacts } from "./entry-condition.ts";

const entry = (type: string, more: Partial<NewEntry> = {}): NewEntry => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  name: "web",
  type,
  reason: type,
  message: "",
  ...more,
});
const facts: StepFacts = { absence: undefined, isDone: false, isDeleting: false };
const released = { reason: "Released", clause: "is released" };

test.for<{ name: string; entries: readonly NewEntry[]; given?: Partial<StepFacts>; want: string | undefined }>([
  { name: "Ready is True", entries: [entry("Ready")], want: "True Ready: " },
  { name: "Pending is False", entries: [entry("Pending", { reason: "NotReady", message: "1 of 2" })], want: "False NotReady: 1 of 2" },
  { name: "Failed is False", entries: [entry("Failed", { reason: "NotOurs", message: "theirs" })], want: "False NotOurs: theirs" },
  {
    name: "Unknown is Unknown",
    entries: [entry("Unknown", { reason: "NotReached", message: "waiting" })],
    want: "Unknown NotReached: waiting",
  },
  {
    name: "a custom type of a step that continued is True",
    entries: [entry("Degraded")],
    given: { isDone: true },
    want: "True Degraded: ",
  },
  { name: "a custom type of a step that waits is Unknown", entries: [entry("Degraded")], want: "Unknown Degraded: " },
  {
    name: "a reason that Kubernetes refuses is replaced by the type",
    entries: [entry("Pending", { reason: "not yet" })],
    want: "False Pending: ",
  },
  { name: "without any valid word the reason follows the status", entries: [entry("so so", { reason: "?" })], want: "Unknown NotReady: " },
  {
    name: "of several the worst decides, and is named",
    entries: [entry("Ready"), entry("Pending", { name: "b", message: "soon" }), entry("Failed", { name: "c", message: "broken" })],
    want: "False Failed: ConfigMap c: broken",
  },
  {
    name: "of equals the first decides",
    entries: [entry("Pending", { name: "a", message: "one" }), entry("Pending", { name: "b", message: "two" })],
    want: "False Pending: ConfigMap a: one",
  },
  {
    name: "a step that keeps no object is True, with the reason",
    entries: [],
    given: { absence: released },
    want: "True Released: it is released",
  },
  { name: "no entry and no reason is left to the engine", entries: [], want: undefined },
  {
    name: "no entry while the owner is deleted is False",
    entries: [],
    given: { isDeleting: true },
    want: "False Deleted: it is deleted with its owner",
  },
])("the condition of a step: $name", ({ entries, given, want }) => {
  const setting = settingOf(entries, { ...facts, ...given });
  expect(setting && `${setting.status} ${setting.reason}: ${setting.message}`).toBe(want);
});
