import { expect, test } from "vitest";
import { type StoredObject, Store } from "./store.ts";
import { View } from "./representation.ts";

const object = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", uid: "1", resourceVersion: "2", creationTimestamp: "2026-01-01T00:00:00Z" },
} as StoredObject;

test("a released view says the same and keeps nothing of it", () => {
  const view = new View(object);
  const textsOf = (): readonly string[] => [
    view.json,
    view.itemJson,
    view.event("ADDED"),
    view.metadataOnly.json,
    view.departedAt("9").json,
  ];
  const before = textsOf();
  expect(view.metadataOnly).toBe(view.metadataOnly);
  view.release();
  expect(textsOf()).toEqual(before);
  expect(view.metadataOnly).not.toBe(view.metadataOnly);
});

test("a view knows what was noted for each version, also after it was released", () => {
  const view = new View(object);
  const [one, two] = [new View(object), new View(object)];
  const versions = [{}, {}, {}] as const;
  expect(view.as(versions[0])).toBeUndefined();
  view.noteAs(versions[0], view);
  view.noteAs(versions[1], one);
  view.noteAs(versions[1], two);
  view.release();
  expect(versions.map((version) => view.as(version))).toEqual([view, two, undefined]);
});

test("of a big collection those who are told of a change share its texts, and the next change ends that", () => {
  const collection = new Store(10).collection("things");
  const create = (i: number) =>
    collection.create({ apiVersion: "v1", kind: "Thing", metadata: { name: `thing-${i}`, uid: `${i}`, creationTimestamp: "" } });
  for (let i = 0; i <= 20_000; i++) create(i);
  const { view } = create(20_001);
  expect(view.metadataOnly).toBe(view.metadataOnly);
  create(20_002);
  expect(view.metadataOnly).not.toBe(view.metadataOnly);
});
