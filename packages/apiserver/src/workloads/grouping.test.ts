import type { KubernetesObject } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { Grouping } from "./grouping.ts";

const object = (name: string, ...finalizers: string[]) => ({ metadata: { name, finalizers } }) as unknown as KubernetesObject;

test("an object is in the groups of its current words", () => {
  const grouping = new Grouping(({ metadata }) => metadata.finalizers ?? []);
  const [first, second, other] = [object("a", "x", "y"), object("a", "y", "z"), object("b", "y")];
  grouping.replace("a", undefined, first);
  grouping.replace("b", undefined, other);
  expect([grouping.of("x"), grouping.of("y"), grouping.of("z")]).toEqual([[first], [first, other], []]);
  grouping.replace("a", first, second);
  expect([grouping.of("x"), grouping.of("y"), grouping.of("z")]).toEqual([[], [second, other], [second]]);
  grouping.replace("a", second, undefined);
  expect([grouping.of("y"), grouping.of("z")]).toEqual([[other], []]);
});

test("a returned group does not change, so a loop over it may change its objects", () => {
  const grouping = new Grouping(() => ["all"]);
  const a = object("a");
  grouping.replace("a", undefined, a);
  const before = grouping.of("all");
  grouping.replace("b", undefined, object("b"));
  expect(before).toEqual([a]);
});
