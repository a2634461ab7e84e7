import { expect, test } from "vitest";
import { Behaviours, type PodProblem } from "./behaviours.ts";

test.for<unknown>(["CrashLoop", null, undefined, {}, { exitCode: Number.NaN }, { exitCode: -1 }, { exitCode: 256 }, { exitCode: 1.5 }])(
  "a problem that is none is refused at once: %j",
  (problem) => {
    let changes = 0;
    const behaviours = new Behaviours(() => changes++);
    expect(() => behaviours.fail(problem as PodProblem)).toThrow(RangeError); // as a program without types has it
    expect(changes).toBe(0);
  },
);

test.for<PodProblem>(["Hangs", "CrashLoopBackOff", { exitCode: 0 }, { exitCode: 255 }])(
  "a problem is taken, and taken back once: %j",
  (problem) => {
    let changes = 0;
    const mishap = new Behaviours(() => changes++).fail(problem);
    mishap.recover();
    mishap.recover();
    expect(changes).toBe(2);
  },
);

test("a selection by what there is not is refused: it would mean all", () => {
  const behaviours = new Behaviours(() => undefined);
  const misspelt = { label: { app: "web" } } as object; // as a program without types has it
  expect(() => behaviours.fail("NotReady", misspelt)).toThrow('there is no "label"; there are namespace, name, matchLabels');
  expect(() => behaviours.stall(misspelt)).toThrow(RangeError);
});
