/** `req.conditions.of`: what a step sees of the conditions of another one, in the middle of a pass. */
import type { Condition } from "@treadle/apimachinery";
import { all, conditions, handler, type Step, step } from "@treadle/reconcile";
import { beforeEach, describe, expect, test } from "vitest";
import { boom, Widget, widget } from "./fixtures.ts";
import { type Harness, startHarness } from "./harness.ts";

const KEY = "default/a";
const REF = { namespace: "default", name: "a" };

let harness: Harness;
beforeEach(async () => {
  harness = await startHarness([Widget]);
  await harness.user.create(Widget, widget());
});

type Act = "true" | "false" | "keep" | "wait" | "stop" | "throw" | "nothing";

/** A step that does something else in each pass. */
function acting(acts: readonly Act[]): Step<Widget, {}, {}, "Acted"> {
  let pass = 0;
  return step(Widget, {
    name: "acting",
    conditions: ["Acted"],
    do(req) {
      switch (acts[pass++]) {
        case "true":
          return req.conditions.true("Acted");
        case "false":
          return void req.conditions.false("Acted", "Refused", "no");
        case "keep":
          return req.conditions.keep("Acted");
        case "wait":
          return req.wait("not yet");
        case "stop":
          return req.stop("no more");
        case "throw":
          throw boom;
        default:
          return undefined;
      }
    },
  });
}

/** The last text that a step beside it sees. */
async function seen(acts: readonly Act[]): Promise<string> {
  const first = acting(acts);
  let last: Condition | undefined;
  const asking = step(Widget, { name: "asking", do: (req) => void (last = req.conditions.of(first)) });
  const operator = harness.operator(
    handler(Widget)
      .step(conditions())
      .step(all("both", [first, asking]))
      .build(),
  );
  for (const _ of acts) await operator.pass(KEY);
  return last === undefined ? "none" : `${last.status}/${last.reason}: ${last.message}`;
}

describe("the condition of an earlier step", () => {
  test.for<{ name: string; acts: readonly Act[]; want: string }>([
    { name: "is absent before it is set", acts: ["nothing"], want: "none" },
    { name: "is as this pass has set it", acts: ["true"], want: "True/Acted: " },
    { name: "is as this pass has set it, not as stored", acts: ["true", "false"], want: "False/Refused: no" },
    { name: "is as stored if the step keeps it", acts: ["false", "keep"], want: "False/Refused: no" },
    { name: "is as stored if the step has not set it", acts: ["false", "nothing"], want: "False/Refused: no" },
    { name: "shows that the step waits", acts: ["true", "wait"], want: "Unknown/Waiting: not yet" },
    { name: "shows that the step stopped", acts: ["true", "stop"], want: "Unknown/Stopped: no more" },
    { name: "shows that the step failed", acts: ["true", "throw"], want: "False/Error: boom" },
  ])("$name", async ({ acts, want }) => {
    expect(await seen(acts)).toBe(want);
  });

  test("has the transition time and the generation that will be stored", async () => {
    const first = acting(["true", "true"]);
    const found: (Condition | undefined)[] = [];
    const asking = step(Widget, { name: "asking", do: (req) => void found.push(req.conditions.of(first)) });
    const operator = harness.operator(handler(Widget).step(conditions()).step(first).step(asking).build());
    await operator.pass(KEY);
    const [stored] = (await harness.user.get(Widget, REF))?.status?.conditions ?? [];
    expect(found[0]).toEqual(stored);
    await harness.clock.advance(5_000);
    await operator.pass(KEY);
    expect(found[1]).toEqual(stored);
  });

  test("is named by its type where a step has several, and is seen in a post and in a gate", async () => {
    const found: unknown[] = [];
    const first = step(Widget, {
      name: "first",
      conditions: ["One", "Two"],
      do(req) {
        req.conditions.true("One");
        void req.conditions.false("Two", "No", "no");
      },
    });
    const asking = step(Widget, {
      name: "asking",
      gate: (req) => void found.push(req.conditions.of(first, "One")?.status),
      post: (req) => void found.push(req.conditions.of(first, "Two")?.status),
    });
    await harness.operator(handler(Widget).step(conditions()).step(first).step(asking).build()).pass(KEY);
    expect(found).toEqual([undefined, "False"]);
  });
});

describe("a condition that cannot be asked for fails the step with the fix", () => {
  const one = step(Widget, { name: "one", conditions: ["One"], do() {} });
  const two = step(Widget, { name: "two", conditions: ["Two", "Three"], do() {} });
  const none = step(Widget, { name: "none", do() {} });
  const absent = step(Widget, { name: "absent", conditions: ["Absent"], do() {} });
  test.for<{ name: string; given: readonly unknown[]; message: string }>([
    {
      name: "of a step that is not in the handler",
      given: [absent],
      message:
        'step "asking": conditions.of: step "absent" is not in handler "widgets.test.treadle.dev": add it to the list before "asking"',
    },
    {
      name: "of a step with several conditions, without a type",
      given: [two],
      message: 'step "asking": conditions.of: step "two" declares several conditions: name one of "Two", "Three"',
    },
    {
      name: "of a type that the step does not declare",
      given: [one, "Two"],
      message: 'step "asking": conditions.of: step "one" does not declare "Two": name one of "One"',
    },
    {
      name: "of a step without conditions",
      given: [none],
      message: 'step "asking": conditions.of: step "none" declares no condition: ask for another step, or add conditions to it',
    },
    {
      name: "of something else",
      given: ["one"],
      message: 'step "asking": conditions.of: the first argument must be a step that step() made',
    },
  ])("$name", async ({ given, message }) => {
    const asking = step(Widget, { name: "asking", do: (req) => void req.conditions.of(...(given as [typeof one])) });
    const operator = harness.operator(handler(Widget).step(conditions()).step(one).step(two).step(none).step(asking).build());
    expect((await operator.pass(KEY)).error).toMatchObject({ message, code: expect.any(String) });
  });
});
