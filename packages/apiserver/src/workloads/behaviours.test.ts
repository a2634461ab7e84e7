import { expect, test } from "vitest";
import { Behaviours, type PodProblem } from "./behaviours.ts";

test.for<unknown>(["CrashLoop", null, undefined, {}, { exitCode: Number.NaN }, { exitCode: -1 }, { exitCode: 256 }, { exitCode: 1.5 }])(
  "an unknown problem is refused at once: %j",
  (problem) => {
    let changes = 0;
    const behaviours = new Behaviours(() => changes++);
    expect(() => behaviours.fail(problem as PodProblem)).toThrow(RangeError); // as a program without types has it
    expect(changes).toBe(0);
  },
);

test.for<PodProblem>(["Hangs", "CrashLoopBackOff", { exitCode: 0 }, { exitCode: 255 }])(
  "a known problem is accepted, and recovered once: %j",
  (problem) => {
    let changes = 0;
    const mishap = new Behaviours(() => changes++).fail(problem);
    mishap.recover();
    mishap.recover();
    expect(changes).toBe(2);
  },
);

test("a selection with an unknown field is refused, because it would select everything", () => {
  const behaviours = new Behaviours(() => undefined);
  const misspelt = { label: { app: "web" } } as object; // as a program without types has it
  expect(() => behaviours.fail("NotReady", misspelt)).toThrow('unknown field "label"; use one of namespace, name, matchLabels');
  expect(() => behaviours.stall(misspelt)).toThrow(RangeError);
});
