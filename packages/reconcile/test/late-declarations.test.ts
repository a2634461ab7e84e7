/** Steps whose declarations are decided after they are made. */
import type { ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, one, type Step, step } from "@treadle/reconcile";
import { defineComposite, defineLateStep, type LateDeclarations, pipelineOf } from "@treadle/reconcile/unstable/engine";
import { expect, test } from "vitest";
import { Widget } from "./fixtures.ts";

type WidgetStep = Step<ObjectOf<typeof Widget>>;

/** A step that counts how often its declarations are asked for. */
function lateStep(declarations: () => LateDeclarations): { readonly late: WidgetStep; readonly asked: () => number } {
  let asked = 0;
  const late = defineLateStep(Widget, { name: "late", do: () => undefined }, () => {
    asked++;
    return declarations();
  });
  return { late: late as WidgetStep, asked: () => asked };
}

test("late declarations are those of the time of build()", () => {
  let name = "early";
  const { late } = lateStep(() => ({ reads: { [name]: one(ConfigMap, () => "a") }, events: ["Seen"], owns: [ConfigMap] }));
  const given = handler(Widget).step(late);
  name = "late";
  const [leaf] = pipelineOf(given.build()).leaves;
  expect(Object.keys(leaf?.reads ?? {})).toEqual(["late"]);
  expect(Object.keys(leaf?.cleanupReads ?? {})).toEqual(["late"]);
  expect(leaf?.events).toEqual(["Seen"]);
  expect(leaf?.owns).toEqual([ConfigMap]);
});

test("late declarations are asked for once, and not by a step or a group that refers to theirs", () => {
  const { late, asked } = lateStep(() => ({}));
  const user = step(Widget, { name: "user", needs: [late], do: (req) => req.next() });
  const group = defineComposite({ name: "group", parts: { steps: [late] } });
  expect(asked()).toBe(0);
  for (let i = 0; i < 2; i++)
    handler(Widget)
      .step(group as WidgetStep)
      .step(user)
      .build();
  expect(asked()).toBe(1);
});

test("wrong late declarations are an error of build() that names the step", () => {
  const { late } = lateStep(() => ({ events: "Seen" as never }));
  expect(() => handler(Widget).step(late).build()).toThrow(/step "late": events must be a list of reasons/);
});
