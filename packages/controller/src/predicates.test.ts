import type { KubernetesObject, ObjectMeta } from "@treadle/apimachinery";
import type { InformerEvent } from "@treadle/informer";
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

test("events of a deletion are mandatory", () => {
  expect(isMandatory(deleted)).toBe(true);
  expect(isMandatory(updated({}, { deletionTimestamp: "2026-01-01T00:00:00Z" }))).toBe(true);
  expect(isMandatory({ ...added, object: object({ deletionTimestamp: "2026-01-01T00:00:00Z" }) })).toBe(true);
  expect(isMandatory(added)).toBe(false);
});
