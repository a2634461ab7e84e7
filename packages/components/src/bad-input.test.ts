import { defineResource, type Kind } from "@treadle/apimachinery";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { dependentApply, dependentApplyAll } from "@treadle/dependents";
import { all, type AnyStep, BuildError, conditions, handler, step } from "@treadle/reconcile";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { component } from "./component.ts";
import type { AnyComponent } from "./types.ts";

const names = { group: "test.treadle.dev", version: "v1", scope: "Namespaced", spec: z.object({}) } as const;
const App = defineResource({ ...names, kind: "App", dependents: true, stepState: true });

/** Untyped code: most of what is tried here does not compile. */
const make = component as (kind: unknown, options: unknown) => AnyComponent;
const object = (name: string, options: object = {}): AnyStep =>
  dependentApply(App, { name, kind: ConfigMap, objectName: name, desired: {}, ...options } as never);
const plain = (name: string, types: readonly string[] = []): AnyStep =>
  step(App, { name, conditions: types as never, do: () => undefined });
const web = (options: object = {}): AnyComponent =>
  make(App, { name: "web", condition: "WebReady", resources: [object("page")], ...options });
const database = web({ name: "database", condition: "DatabaseReady", resources: [object("store")] });

/** The problems that `build()` reports. */
function problemsOf(steps: readonly AnyStep[], kind: Kind = App): readonly string[] {
  let builder = handler(kind).step(conditions());
  for (const each of steps) builder = builder.step(each as never) as never;
  try {
    builder.build();
    return [];
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    return error.message
      .split("\n")
      .slice(1)
      .map((line) => line.replace(/^ {2}- /, ""));
  }
}

describe("component() refuses", () => {
  test.for([
    { name: "no options", given: undefined, want: "component: the options need a name" },
    { name: "no name", given: { name: undefined }, want: "component: the options need a name" },
    { name: "an empty name", given: { name: "" }, want: "component: the options need a name" },
    { name: "no condition", given: { condition: undefined }, want: 'condition must be the type of a condition, e.g. "DatabaseReady"' },
    { name: "a list of conditions", given: { condition: ["A"] }, want: 'condition must be the type of a condition, e.g. "DatabaseReady"' },
    { name: "no resources", given: { resources: undefined }, want: "resources must be a list of steps made by dependentApply()" },
    { name: "a plain step", given: { resources: [plain("x")] }, want: notDependent() },
    { name: "a component as a resource", given: { resources: [database] }, want: notDependent() },
    { name: "a group", given: { resources: [dependentApplyAll("x", [object("y") as never])] }, want: notDependent() },
    { name: "a kind as a resource", given: { resources: [ConfigMap] }, want: notDependent() },
    { name: "after that is not a list", given: { after: database }, want: "after must be a list of components or steps" },
    { name: "a kind in after", given: { after: [ConfigMap] }, want: "after must list components, or steps made by step()" },
    {
      name: "a step without a condition in after",
      given: { after: [plain("none")] },
      want: 'after lists "none", which has 0 conditions: a step with one is needed',
    },
    {
      name: "a step with two conditions in after",
      given: { after: [plain("two", ["One", "Two"])] },
      want: 'after lists "two", which has 2 conditions: a step with one is needed',
    },
    { name: "negative graceMs", given: { graceMs: -1 }, want: grace("-1") },
    { name: "graceMs as a text", given: { graceMs: "5" }, want: grace('"5"') },
    { name: "graceMs that is not a number", given: { graceMs: Number.NaN }, want: grace("NaN") },
    { name: "infinite graceMs", given: { graceMs: Number.POSITIVE_INFINITY }, want: grace("Infinity") },
    { name: "warnOfGrace as a number", given: { warnOfGrace: 1 }, want: "warnOfGrace must be true or false, not 1" },
    { name: "another word for blocked", given: { blocked: "all" }, want: 'blocked must be "rest" or "dependants", not "all"' },
    { name: "enabled that is not a function", given: { enabled: true }, want: "enabled must be a function, or a list of functions" },
    { name: "suspended with a value", given: { suspended: [true] }, want: "suspended must be a function, or a list of functions" },
    { name: "until that is not a function", given: { until: "later" }, want: "until must be a function" },
    { name: "kinds that are not a list", given: { kinds: {} }, want: "kinds must be a list of kind records" },
    {
      name: "a kind record without a category",
      given: { kinds: [{ kind: Deployment }] },
      want: "kinds: the record of the kind Deployment: category must be one of workload, task, integration, static",
    },
  ])("$name", ({ given, want }) => {
    const text = want.startsWith("component") ? want : `component "web": ${want}`;
    expect(() => (given === undefined ? make(App, undefined) : web(given))).toThrow(new TypeError(text));
  });

  test("a value that is not a kind", () => {
    expect(() => make(undefined, { name: "web", condition: "WebReady", resources: [] })).toThrow(
      new TypeError(
        'component "web": the first argument must be a kind: what defineResource(), kind() or anyKind() gave, or a built-in kind',
      ),
    );
  });
});

describe("build() reports", () => {
  const page = object("page");
  const role = object("role");

  test.for([
    {
      name: "a name that cannot be stored",
      steps: [web({ name: "Web Interface" })],
      want: 'step "Web Interface": a name is made of lower case letters, digits and "-", 63 characters at most',
    },
    {
      name: "a condition that is not a word",
      steps: [web({ condition: "web ready" })],
      want: 'step "web": "web ready" is not a condition type: use CamelCase letters and digits',
    },
    {
      name: "an empty condition",
      steps: [web({ condition: "" })],
      want: 'step "web": "" is not a condition type: use CamelCase letters and digits',
    },
    {
      name: "two components with one condition",
      steps: [web(), web({ name: "other", resources: [] })],
      want: 'condition "WebReady" is declared by "web" and by "other": give one of them another condition',
    },
    {
      name: "two resources of one name",
      steps: [web({ resources: [page, object("page", { objectName: "b" })] })],
      want: 'two steps are named "page": rename one of them',
    },
    {
      name: "a resource with the name of its component",
      steps: [web({ name: "page" })],
      want: 'two steps are named "page": rename one of them',
    },
    {
      name: "two resources with one object",
      steps: [web({ resources: [page, object("twin", { objectName: "page" })] })],
      want: 'steps "page" and "twin" keep the same ConfigMap, the one with the name "page": set another objectName for at least one of them',
    },
    {
      name: "two components with one object",
      steps: [web(), web({ name: "other", condition: "Other", resources: [object("twin", { objectName: "page" })] })],
      want: 'steps "page" and "twin" keep the same ConfigMap, the one with the name "page": set another objectName for at least one of them',
    },
    {
      name: "two resources with one object in a given namespace",
      steps: [web({ resources: [object("a", { objectName: "x", namespace: "n" }), object("b", { objectName: "x", namespace: "n" })] })],
      want: 'steps "a" and "b" keep the same ConfigMap, the one with the name "x" in the namespace "n": set another objectName for at least one of them',
    },
    {
      name: "after a component that is later in the list",
      steps: [web({ after: [database] }), database],
      want: 'component "web" comes after "database", which is later in the list: place "database" before "web"',
    },
    {
      name: "after a component that is later in the same all()",
      steps: [all("components", [web({ after: [database] }), database])],
      want: 'component "web" comes after "database", which is later in the list: place "database" before "web"',
    },
    {
      name: "after a component that is not in the list",
      steps: [web({ after: [database] })],
      want: 'component "web" comes after "database", which is not in the list: add it before "web"',
    },
    {
      name: "after a component that has the name of another one",
      steps: [database, web({ after: [web({ name: "database" })] })],
      want: 'component "web" comes after "database", which is not in the list: add it before "web"',
    },
    { name: "a component after itself", steps: [web({ after: [web()] })], want: 'component "web" is in its own after: remove it' },
    {
      name: "dependsOn outside of the component",
      steps: [role, web({ resources: [object("page", { dependsOn: [role] })] })],
      want: 'step "page" of component "web" depends on "role", which is not in the component: put both into one component, or use after',
    },
  ])("$name", ({ steps, want }) => {
    expect(problemsOf(steps)).toContain(want);
  });

  test("a resource in two components", () => {
    expect(problemsOf([web({ resources: [page] }), web({ name: "other", condition: "Other", resources: [page] })])).toEqual([
      'step "page" is in the handler twice: remove one of them',
      'step "page" is in the components "web" and "other": remove it from one of them',
    ]);
  });

  test("a resource that a component lists twice", () => {
    expect(problemsOf([web({ resources: [page, page] })])).toEqual([
      'step "page" is in the handler twice: remove one of them',
      'component "web" lists "page" twice: remove one of them',
    ]);
  });

  test("a resource that is in the list of the handler, too", () => {
    expect(problemsOf([page, web({ resources: [page] })])).toEqual([
      'step "page" is in the handler twice: remove one of them',
      'step "page" is in component "web", and in the list of the handler: remove it from one of them',
    ]);
  });

  test("a component after its own resource", () => {
    const ready = object("ready", { conditions: ["PageReady"] });
    expect(problemsOf([web({ resources: [ready], after: [ready] })])).toEqual([
      'component "web" comes after "ready", which is one of its resources: remove it from after',
    ]);
  });

  test("a var that no step gives", () => {
    const giver = object("giver", { created: false, gives: { arn: () => "a" } });
    expect(problemsOf([web({ resources: [object("page", { needs: [giver] })] })])).toEqual([
      'step "page" needs "giver", which is not in the list: add it before "page"',
    ]);
  });

  test("a kind without status.dependents, and one without room for state", () => {
    const Bare = defineResource({ ...names, kind: "Bare" });
    const bare = dependentApply(Bare as never, { name: "page", kind: ConfigMap, desired: {} } as never);
    const options = { name: "web", condition: "WebReady", graceMs: 5, resources: [bare] };
    expect(problemsOf([make(Bare, options)], Bare)).toEqual([
      'step "web" has state, but Bare has no room for it: add stepState: true to its defineResource()',
      'step "page" reports its object in status.dependents, which Bare does not have: add dependents: true to its defineResource()',
    ]);
  });

  test("a component of another kind", () => {
    const Other = defineResource({ ...names, kind: "Other", dependents: true });
    expect(problemsOf([web()], Other)).toContain(
      'step "web" is for App.test.treadle.dev, this handler for Other.test.treadle.dev: make the step for this kind, or for anyKind<Shape>()',
    );
  });
});

test("objects of different names, namespaces or kinds, and foreign objects, are not the same object", () => {
  const resources = [
    object("a", { objectName: "x" }),
    object("b", { objectName: "x", namespace: "n" }),
    object("c", { objectName: "x", kind: Deployment }),
    object("d", { objectName: "x", created: false }),
    object("e", { objectName: () => "x" }),
    object("f", { objectName: undefined }),
    object("g", { each: () => [], objectName: undefined }),
  ];
  expect(problemsOf([web({ resources })])).toEqual([]);
});

test("a component without resources is built", () => {
  expect(problemsOf([web({ resources: [] })])).toEqual([]);
});

test("components after each other, alone and in one all(), are built", () => {
  const after = web({ after: [database] });
  expect(problemsOf([database, after])).toEqual([]);
  expect(problemsOf([all("components", [database, after])])).toEqual([]);
});

function notDependent(): string {
  return "resources must list steps made by dependentApply(): place other steps next to the component";
}

function grace(given: string): string {
  return `graceMs must be a number of milliseconds from 0, not ${given}: 0 means indefinitely`;
}
