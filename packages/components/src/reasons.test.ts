import { expect, test } from "vitest";
import { component } from "./component.ts";
import { componentReasons } from "./reasons.ts";

test("the reasons are listed by rank, the highest first, so that their names are a list for the rank of conditions()", () => {
  const ranks = Object.values(componentReasons).map(({ rank }) => rank);
  expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
});

test("only a reason of a component in its expected state is True", () => {
  const isTrue = Object.entries(componentReasons).flatMap(([reason, { status }]) => (status === "True" ? [reason] : []));
  expect(isTrue).toEqual(["Suspended", "Disabled", "Healthy", "Operational", "Completed"]);
});

test("all mistakes in the options of a component are in one error", () => {
  const options = { name: "web", resources: "none", graceMs: -1, blocked: "some", enabled: 1, after: [{}] };
  expect(() => component({} as never, options as never)).toThrow(
    'component "web": condition must be the type of a condition, e.g. "DatabaseReady"; resources must be a list of steps made by dependentApply(); ' +
      "enabled must be a function, or a list of functions; graceMs must be a number of milliseconds from 0, not -1: 0 means indefinitely; " +
      'blocked must be "rest" or "dependants", not "some"; after must list components, or steps made by step()',
  );
});
