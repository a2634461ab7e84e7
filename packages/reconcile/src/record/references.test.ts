import { ConfigMap } from "@treadle/apimachinery/kinds";
import fc from "fast-check";
import { expect, test } from "vitest";
import { one, type OneRead } from "../reads.ts";
import { References } from "./references.ts";

const reads = ["x", "y"].map((name) => one(ConfigMap, () => name) as unknown as OneRead);
const [x, y] = reads as [OneRead, OneRead];
const s = { name: "s", namespace: "ns" };

test("a note replaces the earlier one of the same primary and read, and tells whether it is new", () => {
  const references = new References();
  expect(references.note("ns/a", x, s)).toBe(true);
  expect(references.note("ns/a", x, { ...s })).toBe(false);
  expect(references.note("ns/b", x, s)).toBe(true);
  expect(references.primariesOf(x, s)).toEqual(["ns/a", "ns/b"]);
  expect(references.primariesOf(y, s)).toEqual([]);
  expect(references.note("ns/a", x, { name: "s" })).toBe(true);
  expect(references.primariesOf(x, s)).toEqual(["ns/b"]);
  expect(references.named("ns/a", x)).toEqual({ name: "s" });
  expect(references.note("ns/b", x, undefined)).toBe(true);
  expect(references.note("ns/b", x, undefined)).toBe(false);
  expect(references.primariesOf(x, s)).toEqual([]);
});

/** For any notes: a read of a primary has the last noted reference, and the way back finds exactly those that have it. */
test("the primaries of an object are those whose last note names it", () => {
  const note = fc.record({
    type: fc.constantFrom("note" as const, "forget" as const),
    primary: fc.constantFrom("a", "b", "c"),
    read: fc.constantFrom(...reads),
    name: fc.constantFrom("s", "t", undefined),
  });
  fc.assert(
    fc.property(fc.array(note, { maxLength: 40 }), (notes) => {
      const references = new References();
      const model = new Map<string, string>();
      for (const { type, primary, read, name } of notes) {
        const id = `${primary} ${reads.indexOf(read)}`;
        if (type === "forget") {
          references.forget(primary);
          for (const key of model.keys()) if (key.startsWith(`${primary} `)) model.delete(key);
        } else {
          references.note(primary, read, name === undefined ? undefined : { name });
          if (name === undefined) model.delete(id);
          else model.set(id, name);
        }
      }
      for (const [at, read] of reads.entries())
        for (const name of ["s", "t"])
          expect(references.primariesOf(read, { name }).toSorted()).toEqual(
            ["a", "b", "c"].filter((primary) => model.get(`${primary} ${at}`) === name),
          );
    }),
  );
});
