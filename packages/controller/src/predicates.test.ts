import type { KubernetesObject, ObjectMeta } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
import type { PauseState } from "@treadle/reconcile/unstable/engine";
import { describe, expect, test } from "vitest";
import {
  annotationsChanged,
  deletionChanged,
  generationChanged,
  isMandatory,
  labelsChanged,
  resourceVersionChanged,
} from "./predicates.ts";

const object = (metadata: Partial<ObjectMeta> = {}): KubernetesObject => ({
  apiVersion: "v1",
  kind: "Widget",
  metadata: { name: "a", resourceVersion: "1", generation: 1, ...metadata },
});
const updated = (before: Partial<ObjectMeta>, after: Partial<ObjectMeta>): InformerEvent<KubernetesObject> => ({
  type: "updated",
  previous: object(before),
  object: object(after),
});
const added: InformerEvent<KubernetesObject> = { type: "added", object: object(), initial: false };
const deleted: InformerEvent<KubernetesObject> = { type: "deleted", object: object() };

describe("predicates of updates", () => {
  const all = { generationChanged, labelsChanged, annotationsChanged, deletionChanged, resourceVersionChanged };
  test.for([
    {
      name: "the spec",
      event: updated({}, { generation: 2, resourceVersion: "2" }),
      want: ["generationChanged", "resourceVersionChanged"],
    },
    { name: "the status alone", event: updated({}, { resourceVersion: "2" }), want: ["resourceVersionChanged"] },
    { name: "nothing", event: updated({}, {}), want: [] },
    { name: "a label", event: updated({ labels: { a: "1" } }, { labels: { a: "2" } }), want: ["labelsChanged"] },
    { name: "the order of labels", event: updated({ labels: { a: "1", b: "2" } }, { labels: { b: "2", a: "1" } }), want: [] },
    { name: "no labels to empty labels", event: updated({}, { labels: {} }), want: [] },
    { name: "an annotation", event: updated({}, { annotations: { a: "" } }), want: ["annotationsChanged"] },
    { name: "its deletion", event: updated({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), want: ["deletionChanged"] },
    { name: "its finalizers", event: updated({}, { finalizers: ["a/b"] }), want: ["deletionChanged"] },
  ])("$name", ({ event, want }, { expect }) => {
    const found = Object.entries(all).filter(([, predicate]) => predicate(event) === true);
    expect(found.map(([name]) => name)).toEqual(want);
  });

  test.for(Object.entries(all))("%s has no opinion of creations and deletions", ([, predicate], { expect }) => {
    expect([predicate(added), predicate(deleted)]).toEqual([undefined, undefined]);
  });
});

const running = (): PauseState => ({ type: "running" });

test.for<{ name: string; before: PauseState; after: PauseState; want: boolean }>([
  { name: "no pause", before: { type: "running" }, after: { type: "running" }, want: false },
  { name: "the begin of a pause", before: { type: "running" }, after: { type: "paused", by: "when", message: "a" }, want: true },
  { name: "the end of a pause", before: { type: "paused", by: "annotation", message: "a" }, after: { type: "running" }, want: true },
  {
    name: "another reason of a pause",
    before: { type: "paused", by: "when", message: "a" },
    after: { type: "paused", by: "when", message: "b" },
    want: true,
  },
  {
    name: "a function that fails as before",
    before: { type: "undecided", error: new Error("boom") },
    after: { type: "undecided", error: new Error("boom") },
    want: false,
  },
])("for an update, $name is mandatory: $want", ({ before, after, want }, { expect }) => {
  const event = updated({ name: "before" }, { name: "after" });
  expect(isMandatory(event, ({ metadata }) => (metadata.name === "before" ? before : after))).toBe(want);
});

test("events of a deletion are mandatory", () => {
  expect(isMandatory(deleted, running)).toBe(true);
  expect(isMandatory(updated({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }), running)).toBe(true);
  expect(isMandatory({ ...added, object: object({ deletionTimestamp: "2026-01-01T00:00:00Z" }) }, running)).toBe(true);
  expect(isMandatory(added, running)).toBe(false);
});
