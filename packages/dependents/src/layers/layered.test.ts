import type { KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, CronJob, Deployment, Pod } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { layered, withStep } from "./layered.ts";
import { containers, onPods } from "./pods.ts";
import type { Layer } from "./types.ts";

interface Owner extends KubernetesObject {
  readonly spec: { readonly tracing: boolean };
}
const owner = (tracing = true): Owner => ({
  apiVersion: "example.dev/v1",
  kind: "App",
  metadata: { name: "a", namespace: "default", uid: "u", resourceVersion: "1" } as KubernetesObject["metadata"],
  spec: { tracing },
});
type Data = Record<string, string | undefined>;
const INPUTS = { vars: { region: "eu" }, reads: {}, dependents: {} } as never;
const tracing = (app: Owner): boolean => app.spec.tracing;
const append = (text: string) => ({ name: text, merge: (draft: { data?: Data | undefined }) => add(draft, text) });
const add = (draft: { data?: Data | undefined }, text: string): void => {
  draft.data = { order: `${draft.data?.["order"] ?? ""}${text}` };
};

/** As dependentApply() calls it. */
function inStep<D extends object>(desired: D, kind: object = ConfigMap): D {
  return withStep({ name: "web", kind: kind as typeof ConfigMap, desired }).desired;
}

describe("layered", () => {
  test("layers apply by phase, then in list order", () => {
    const desired = layered(
      { data: { order: "" } },
      [
        { ...append("f"), layer: "final" },
        { ...append("c"), layer: "compat" },
        append("b"),
        { ...append("e"), layer: "overrides" },
        { ...append("a"), layer: "defaults" },
        { ...append("B"), layer: "feature" },
      ],
      { kind: ConfigMap },
    );
    expect(desired(owner(), INPUTS)).toEqual({ data: { order: "abBcef" } });
    expect(desired.layers).toEqual([
      { name: "a", layer: "defaults" },
      { name: "b", layer: "feature" },
      { name: "B", layer: "feature" },
      { name: "c", layer: "compat" },
      { name: "e", layer: "overrides" },
      { name: "f", layer: "final" },
    ]);
  });

  test("a layer whose gate does not hold changes nothing", () => {
    const desired = layered(
      { data: {} },
      [
        { name: "tracing", when: tracing, merge: { data: { tracing: "on" } } },
        { name: "unknown", when: () => undefined, merge: { data: { unknown: "on" } } },
        { name: "both", when: [tracing, () => true], merge: { data: { both: "on" } } },
      ],
      { kind: ConfigMap },
    );
    expect(desired(owner(true), INPUTS)).toEqual({ data: { tracing: "on", both: "on" } });
    expect(desired(owner(false), INPUTS)).toEqual({ data: {} });
    expect(desired.firing(owner(true))).toEqual(["tracing", "both"]);
    expect(desired.firing(owner(false))).toEqual([]);
  });

  test("firing() gives the gates the inputs, and empty ones if it gets none", () => {
    const desired = layered(
      { data: {} },
      [{ name: "eu", when: (_app: Owner, { vars }) => (vars as { region?: string }).region === "eu", merge: {} }],
      { kind: ConfigMap },
    );
    expect(desired.firing(owner())).toEqual([]);
    expect(desired.firing(owner(), INPUTS)).toEqual(["eu"]);
  });

  test("baseline, gates and merges get owner, inputs and item", () => {
    const seen: unknown[] = [];
    const desired = layered(
      (...args: readonly unknown[]) => {
        seen.push(args);
        return { data: {} };
      },
      [
        {
          name: "x",
          when: (...args) => seen.push(args) > 0,
          merge: (_draft, ...args) => void seen.push(args),
        },
      ],
      { kind: ConfigMap },
    );
    const args = [owner(), INPUTS, { key: "k" }] as const;
    expect(inStep(desired)(...args)).toEqual({ data: {} });
    expect(seen).toEqual([args, args, args]);
  });

  test("an object that the baseline does not desire is not desired, and no layer is asked", () => {
    const boom = (): never => {
      throw new Error("boom");
    };
    const desired = layered((_app: Owner): { data: object } | undefined => undefined, [{ name: "x", when: boom, merge: boom }]);
    expect(desired(owner(), INPUTS)).toBeUndefined();
  });

  test("neither the baseline nor a partial is modified", () => {
    const baseline = deepFreeze({ data: { a: "1" } });
    const partial = deepFreeze({ data: { b: "2" } });
    const edit = (draft: { data?: Data | undefined }): void => {
      (draft.data as Data)["c"] = "3";
    };
    const desired = layered(
      baseline,
      [
        { name: "x", merge: partial },
        { name: "y", merge: edit },
      ],
      { kind: ConfigMap },
    );
    for (let i = 0; i < 2; i++) expect(desired(owner(), INPUTS)).toEqual({ data: { a: "1", b: "2", c: "3" } });
    expect([baseline, partial]).toEqual([{ data: { a: "1" } }, { data: { b: "2" } }]);
  });

  test("later layers see the results of earlier ones", () => {
    const desired = layered(
      { data: { a: "1" } },
      [
        { name: "x", merge: { data: { a: "2" } } },
        { name: "y", merge: (draft) => void ((draft.data ?? {})["b"] = draft.data?.["a"] ?? "") },
      ],
      { kind: ConfigMap },
    );
    expect(desired(owner(), INPUTS)).toEqual({ data: { a: "2", b: "2" } });
  });

  test("the result carries nothing of the layers", () => {
    const desired = inStep(layered({ spec: {} }, [{ name: "x", merge: onPods({ containers: [{ name: "web" }] }) }]), Deployment);
    expect(Reflect.ownKeys(desired(owner(), INPUTS) ?? {})).toEqual(["spec"]);
  });
});

describe("mistakes in a program", () => {
  const layer = (change: object): Layer<object, never[]> => ({ name: "x", merge: {}, ...change }) as never;
  test.for([
    {
      name: "two layers of one name",
      layers: [layer({}), layer({})],
      want: `two layers have the name "x": give each layer a different name`,
    },
    { name: "a layer without a name", layers: [layer({ name: "" })], want: "each layer needs a name" },
    { name: "no layer", layers: [undefined], want: "each layer needs a name" },
    {
      name: "another phase",
      layers: [layer({ layer: "last" })],
      want: `layer "x": layer must be one of defaults, feature, compat, overrides, final, not "last"`,
    },
    {
      name: "a gate that is no function",
      layers: [layer({ when: true })],
      want: `layer "x": when must be a function, or a list of functions`,
    },
    {
      name: "no merge",
      layers: [layer({ merge: undefined })],
      want: `layer "x": merge must be a part of the object, a function that edits a draft`,
    },
    { name: "a merge that is no object", layers: [layer({ merge: ["a"] })], want: `layer "x": merge must be a part of the object` },
    {
      name: "a partial that is no JSON",
      layers: [layer({ merge: { data: { a: () => "1" } } })],
      want: `layer "x" holds at data.a a function, which is not JSON`,
    },
    { name: "no list", layers: {}, want: "the second argument must be a list of layers" },
  ])("$name is refused when the layers are declared", ({ layers, want }, { expect }) => {
    expect(() => layered({}, layers as never)).toThrow(`layered: ${want}`);
  });

  test("a baseline that is no object is refused", () => {
    expect(() => layered("x" as never, [])).toThrow("layered: the baseline must be an object, or a function that returns one");
  });

  test("layers for another kind are refused by the step", () => {
    expect(() => inStep(layered({}, [], { kind: Deployment }))).toThrow(
      `dependentApply "web": desired is layered for Deployment, but the kind of the step is ConfigMap: use one kind`,
    );
  });

  test("a partial that fits no object of the kind is refused by the step", () => {
    const desired = layered({}, [{ name: "x", merge: { spec: { template: { spec: { containers: [{ image: "a" }] } } } } }] as never);
    expect(() => inStep(desired, Deployment)).toThrow(`dependentApply "web": layer "x": spec.template.spec.containers[0] has no name`);
  });
});

describe("mistakes at run time", () => {
  const boom = (): never => {
    throw new Error("boom");
  };
  const later = (): unknown => Promise.reject(new Error("later"));
  test.for([
    { name: "a merge that throws", layer: { merge: boom }, want: `layer "x" threw: boom` },
    {
      name: "a merge that returns a promise",
      layer: { merge: later },
      want: `layer "x" returned a promise: edit the draft at once, without await`,
    },
    {
      name: "a merge that leaves a function",
      layer: { merge: (draft: { data?: unknown }) => void (draft.data = { a: boom }) },
      want: `layer "x" holds at data.a a function, which is not JSON`,
    },
    {
      name: "a merge that makes a circle",
      layer: { merge: (draft: { data?: unknown }) => void (draft.data = draft) },
      want: `layer "x" holds at data itself, a circle, which is not JSON`,
    },
    { name: "a gate that throws", layer: { when: boom, merge: {} }, want: `layer "x": when threw: boom` },
    {
      name: "a gate that returns a promise",
      layer: { when: later, merge: {} },
      want: `layer "x": when returned a promise, but must return`,
    },
    {
      name: "a gate that returns a text",
      layer: { when: () => "no", merge: {} },
      want: `layer "x": when returned a string, but must return`,
    },
    {
      name: "onPods for an object without pods",
      layer: { merge: onPods({}) },
      want: `layer "x": a ConfigMap has no pods: use onPods and containers only for kinds with pods`,
    },
  ])("$name is an error with step and layer", ({ layer, want }, { expect }) => {
    const desired = inStep(layered({}, [{ name: "x", ...layer }] as never));
    expect(() => desired(owner(), INPUTS)).toThrow(`step "web": ${want}`);
    expect(() => layered({}, [{ name: "x", ...layer }] as never, { kind: ConfigMap })(owner(), INPUTS)).toThrow(`layered: ${want}`);
  });

  test.for([
    { name: "that throws", baseline: boom, want: "the baseline threw: boom" },
    { name: "that returns a promise", baseline: later, want: "the baseline returned a promise, but must return an object or undefined" },
    { name: "that returns a text", baseline: () => "x", want: "the baseline returned a string, but must return" },
    {
      name: "that is no JSON",
      baseline: () => ({ data: { a: Number.NaN } }),
      want: "the baseline holds at data.a the number NaN",
    },
  ])("a baseline $name is an error with the step", ({ baseline, want }, { expect }) => {
    expect(() => inStep(layered(baseline as never, []))(owner(), INPUTS)).toThrow(`step "web": ${want}`);
  });

  test("the error of an edit of pods names the layer", () => {
    const run = (merge: unknown): unknown =>
      inStep(layered({ spec: { containers: [{ name: "web" }] } }, [{ name: "x", merge }] as never), Pod)(owner(), INPUTS);
    expect(() => run(onPods(boom))).toThrow(/^step "web": layer "x" threw: boom$/);
    expect(() => run(containers("web", boom))).toThrow(/^step "web": layer "x" threw: boom$/);
    expect(() => run(containers(boom, {}))).toThrow(/^step "web": layer "x": the predicate of containers threw: boom$/);
    const merge = onPods({ containers: [{ image: "a" }] });
    expect(() => inStep(layered({}, [{ name: "x", merge }] as never), CronJob)(owner(), INPUTS)).toThrow(
      /^step "web": layer "x": spec.jobTemplate.spec.template.spec.containers\[0\] has no name/,
    );
  });
});

function deepFreeze<T extends object>(value: T): T {
  for (const each of Object.values(value)) if (typeof each === "object" && each !== null) deepFreeze(each as object);
  return Object.freeze(value);
}
