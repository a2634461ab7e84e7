import * as apimachineryKinds from "@treadle/apimachinery/kinds";
import * as treadle from "treadle";
import * as kinds from "treadle/kinds";
import { expect, test } from "vitest";

test("every name of the façade is there, and there are not too many of them", () => {
  expect(Object.entries(treadle).filter(([, value]) => value === undefined)).toEqual([]);
  expect(Object.keys(treadle).length).toBeLessThanOrEqual(45);
  expect(Object.keys(treadle)).toEqual(
    expect.arrayContaining(["defineResource", "step", "handler", "all", "one", "many", "anyKind", "createManager"]),
  );
});

test("no built-in kind is missing", () => {
  expect(Object.keys(kinds).sort()).toEqual(Object.keys(apimachineryKinds).sort());
});
