import { describe, expect, test } from "vitest";
import { type Condition, namingOf, withCondition } from "./names.ts";

const ENGINE = { plural: "engines", singular: "engine", kind: "Engine", listKind: "EngineList", shortNames: ["en"] };

function definition(wanted: object, accepted: object = { plural: "", kind: "" }): object {
  return { spec: { names: wanted }, status: { acceptedNames: accepted } };
}

const first = definition(ENGINE, ENGINE);

describe("the names of a definition", () => {
  test("are all accepted when no other CRD has one of them", () => {
    const mine = definition({ ...ENGINE, categories: ["all"] });
    expect(namingOf(mine, [mine])).toEqual({
      names: { ...ENGINE, categories: ["all"] },
      condition: { type: "NamesAccepted", status: "True", reason: "NoConflicts", message: "no conflicts found" },
    });
  });

  test.for([
    { name: "kind", wanted: { kind: "Engine", listKind: "MotorList" }, reason: "KindConflict", message: '"Engine" is already in use' },
    {
      name: "kind and list kind: the last conflict is reported",
      wanted: { kind: "Engine", listKind: "EngineList" },
      reason: "ListKindConflict",
      message: '"EngineList" is already in use',
    },
    { name: "singular", wanted: { singular: "engine" }, reason: "SingularConflict", message: '"engine" is already in use' },
    { name: "plural that is a short name", wanted: { plural: "en" }, reason: "PluralConflict", message: '"en" is already in use' },
    { name: "short name", wanted: { shortNames: ["mo", "en"] }, reason: "ShortNamesConflict", message: '"en" is already in use' },
    {
      name: "two short names",
      wanted: { shortNames: ["engine", "en"] },
      reason: "ShortNamesConflict",
      message: '["engine" is already in use, "en" is already in use]',
    },
  ])("$name: what is taken is not accepted, the rest is", ({ wanted, reason, message }) => {
    const all = { plural: "motors", singular: "motor", kind: "Motor", listKind: "MotorList", ...wanted };
    const mine = definition(all);
    const { names, condition } = namingOf(mine, [first, mine]);
    expect(condition).toEqual({ type: "NamesAccepted", status: "False", reason, message });
    const refused = Object.keys(wanted).filter((field) => field !== "listKind" || wanted.listKind === "EngineList");
    const left = Object.entries(all).filter(([field]) => !refused.includes(field));
    expect(names).toEqual({
      ...(refused.includes("plural") ? { plural: "" } : {}),
      ...(refused.includes("kind") ? { kind: "" } : {}),
      ...Object.fromEntries(left),
    });
  });

  test("stay accepted when the CRD asks for names that are taken", () => {
    const has = { plural: "motors", singular: "motor", kind: "Motor", listKind: "MotorList", shortNames: ["mo"] };
    const mine = definition({ ...has, shortNames: ["mo", "en"] }, has);
    expect(namingOf(mine, [first, mine]).names).toEqual(has);
  });
});

test("the time of a condition changes only with its status", () => {
  const condition: Condition = { type: "Established", status: "True", reason: "A", message: "a" };
  const once = { status: { conditions: withCondition({}, condition, "1") } };
  const again = { status: { conditions: withCondition(once, { ...condition, reason: "B" }, "2") } };
  expect(again.status.conditions).toMatchObject([{ reason: "B", lastTransitionTime: "1" }]);
  expect(withCondition(again, { ...condition, status: "False" }, "3")).toMatchObject([{ lastTransitionTime: "3" }]);
});
