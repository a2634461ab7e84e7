import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Store } from "./store.ts";
import type { StoredObject } from "./stored-object.ts";
import { Representation } from "./representation.ts";

const object = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", namespace: "default", uid: "1", resourceVersion: "2", creationTimestamp: "2026-01-01T00:00:00Z" },
} as StoredObject;

test("a released representation returns the same texts without keeping them", () => {
  const representation = new Representation(object);
  const textsOf = (): readonly string[] => [
    representation.json,
    representation.itemJson,
    representation.event("ADDED"),
    representation.metadataOnly.json,
    representation.departedAt("9").json,
  ];
  const before = textsOf();
  expect(representation.metadataOnly).toBe(representation.metadataOnly);
  representation.release();
  expect(textsOf()).toEqual(before);
  expect(representation.metadataOnly).not.toBe(representation.metadataOnly);
});

test("a representation returns what was noted for each version, also after its release", () => {
  const representation = new Representation(object);
  const [one, two] = [new Representation(object), new Representation(object)];
  const versions = [{}, {}, {}] as const;
  expect(representation.as(versions[0])).toBeUndefined();
  representation.noteAs(versions[0], representation);
  representation.noteAs(versions[1], one);
  representation.noteAs(versions[1], two);
  representation.release();
  expect(versions.map((version) => representation.as(version))).toEqual([representation, two, undefined]);
});

test("the listeners of a big collection share the texts of a change until the next change", () => {
  const collection = new Store(fakeClock(), { limit: 10, isCompacted: false }).collection("things");
  const create = (i: number) =>
    collection.create({ apiVersion: "v1", kind: "Thing", metadata: { name: `thing-${i}`, uid: `${i}`, creationTimestamp: "" } });
  for (let i = 0; i <= 20_000; i++) create(i);
  const { representation } = create(20_001);
  expect(representation.metadataOnly).toBe(representation.metadataOnly);
  create(20_002);
  expect(representation.metadataOnly).not.toBe(representation.metadataOnly);
});
