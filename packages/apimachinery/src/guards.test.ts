import { expect, test } from "vitest";
import { DefinitionError, isDefinitionError } from "./definition-error.ts";
import { isSelectorError, SelectorError } from "./label-selectors.ts";
import { isPatchError, PatchError } from "./patches.ts";

const GUARDS = [
  { name: "DefinitionError", guard: isDefinitionError, own: new DefinitionError("resource X", []) },
  { name: "SelectorError", guard: isSelectorError, own: new SelectorError("m") },
  { name: "PatchError", guard: isPatchError, own: new PatchError("ERR_PATCH_TEST", "m") },
];

test.for(GUARDS)("the guard of $name accepts it, also from another copy of the package, and nothing else", ({ name, guard, own }) => {
  const foreign = Object.defineProperty(new Error("m"), Symbol.for(`treadle.apimachinery.${name}`), { value: true });
  expect(guard(own)).toBe(true);
  expect(guard(foreign)).toBe(true);
  const others = GUARDS.filter((one) => one.name !== name).map((one) => one.own);
  for (const other of [...others, new Error("m"), { name }, undefined, null, "x"]) expect(guard(other)).toBe(false);
});
