import { type Kind, kind } from "@treadle/apimachinery";
import { CronJob, DaemonSet, Deployment, Job, Pod, ReplicaSet, StatefulSet } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { layered } from "./layered.ts";
import { containers, onPods } from "./pods.ts";
import type { ContainerPart } from "./types.ts";

const inPod = (spec: object): object => ({ spec });
const inTemplate = (spec: object): object => ({ spec: { template: { spec } } });
const inCronJob = (spec: object): object => ({ spec: { jobTemplate: { spec: { template: { spec } } } } });
const KINDS: readonly { readonly name: string; readonly of: Kind; readonly at: (spec: object) => object }[] = [
  ...[Deployment, StatefulSet, DaemonSet, ReplicaSet, Job].map((of) => ({ name: of.kind, of, at: inTemplate })),
  { name: "CronJob", of: CronJob, at: inCronJob },
  { name: "Pod", of: Pod, at: inPod },
  { name: "Rollout, a custom kind", of: kind({ group: "example.dev", version: "v1", kind: "Rollout" }), at: inTemplate },
];

/** Applies merges in one layer each. */
function applied(of: Kind | undefined, object: object, ...merges: readonly unknown[]): unknown {
  const layers = merges.map((merge, i) => ({ name: String(i), merge }));
  return layered(object, layers as never, of === undefined ? {} : { kind: of })({} as never, { vars: {} } as never);
}

describe("onPods", () => {
  test.for(KINDS)("merges a part of the pods of a $name", ({ of, at }, { expect }) => {
    const before = at({ containers: [{ name: "web", image: "web:1" }], hostNetwork: true });
    const merge = onPods({ containers: [{ name: "web", args: ["-a"] }, { name: "jaeger" }], hostNetwork: null });
    expect(applied(of, before, merge)).toEqual(at({ containers: [{ name: "web", image: "web:1", args: ["-a"] }, { name: "jaeger" }] }));
    expect(applied(undefined, before, merge)).toEqual(applied(of, before, merge));
  });

  test.for(KINDS.slice(0, -1))("adds what a $name lacks", ({ of, at }, { expect }) => {
    expect(applied(of, {}, onPods({ serviceAccountName: "a" }))).toEqual(at({ serviceAccountName: "a" }));
  });

  test("edits the pods by a function, with owner and inputs", () => {
    const merge = onPods((pod, owner: object, inputs: object) => void (pod.hostname = JSON.stringify([owner, inputs])));
    expect(applied(Pod, { spec: {} }, merge)).toEqual({ spec: { hostname: '[{},{"vars":{}}]' } });
  });

  test("of an object that shows no kind is refused", () => {
    expect(() => applied(undefined, { spec: {} }, onPods({}))).toThrow(
      `layered: layer "0": the object has no pods yet: give layered() the kind, as in { kind: Deployment }`,
    );
  });

  test("without a part is refused", () => {
    expect(() => onPods(undefined as never)).toThrow("onPods: give a part of the object, or a function that edits it");
  });
});

describe("containers", () => {
  const list = [{ name: "a" }, { name: "b" }, { name: "c" }];
  const EDIT = { image: "x" };
  test.for([
    { name: "all", predicate: () => true, want: ["a", "b", "c"] },
    { name: "all but one", predicate: ({ name }: ContainerPart) => name !== "b", want: ["a", "c"] },
    { name: "one by name", predicate: "b", want: ["b"] },
    { name: "one by index", predicate: 2, want: ["c"] },
    { name: "some by index", predicate: (_: ContainerPart, index: number) => index < 2, want: ["a", "b"] },
    { name: "no container of that name", predicate: "d", want: [] },
    { name: "no container at that index", predicate: 3, want: [] },
    { name: "no container, if the answer is not known", predicate: () => undefined as never, want: [] },
  ])("chooses $name", ({ predicate, want }, { expect }) => {
    const result = applied(Deployment, inTemplate({ containers: list }), containers(predicate, EDIT));
    expect(result).toEqual(inTemplate({ containers: list.map((each) => (want.includes(each.name) ? { ...each, ...EDIT } : each)) }));
  });

  test.for(KINDS)("fits a $name", ({ of, at }, { expect }) => {
    expect(applied(of, at({ containers: [{ name: "a" }] }), containers(0, EDIT))).toEqual(at({ containers: [{ name: "a", image: "x" }] }));
  });

  test("chooses init containers", () => {
    const spec = { containers: [{ name: "a" }], initContainers: [{ name: "a" }] };
    expect(applied(Pod, inPod(spec), containers("a", EDIT, { list: "initContainers" }))).toEqual(
      inPod({ ...spec, initContainers: [{ name: "a", image: "x" }] }),
    );
  });

  test("merges the lists of a container by their keys", () => {
    const spec = { containers: [{ name: "a", env: [{ name: "A", value: "1" }] }] };
    const merge = containers("a", { env: { A: null, B: { value: "2" } } });
    expect(applied(Pod, inPod(spec), merge)).toEqual(inPod({ containers: [{ name: "a", env: [{ name: "B", value: "2" }] }] }));
  });

  test("sees the list as it was before the layer, so that a rename does not change later matches", () => {
    const swap = [containers("a", { name: "b" }), containers("b", { name: "a" }), containers("a", EDIT)];
    const spec = { containers: [{ name: "a" }, { name: "b" }] };
    const want = inPod({ containers: [{ name: "b", image: "x" }, { name: "a" }] });
    expect(applied(Pod, inPod(spec), swap)).toEqual(want);
    const inFunction = (draft: never): void => swap.forEach((merge) => (merge as (draft: never) => void)(draft));
    expect(applied(Pod, inPod(spec), inFunction)).toEqual(want);
  });

  test("sees the results of earlier layers", () => {
    const spec = { containers: [{ name: "a" }] };
    expect(applied(Pod, inPod(spec), containers("a", { name: "b" }), containers("b", EDIT))).toEqual(
      inPod({ containers: [{ name: "b", image: "x" }] }),
    );
  });

  test("sees containers that its layer added, as they are", () => {
    const merges = [onPods({ containers: [{ name: "b" }] }), containers(() => true, EDIT)];
    expect(applied(Pod, inPod({ containers: [{ name: "a" }] }), merges)).toEqual(
      inPod({
        containers: [
          { name: "a", image: "x" },
          { name: "b", image: "x" },
        ],
      }),
    );
  });

  test("a predicate cannot change the container that it sees", () => {
    const predicate = (container: ContainerPart): boolean => {
      (container as { image?: string }).image = "y";
      return false;
    };
    expect(applied(Pod, inPod({ containers: [{ name: "a" }] }), containers(predicate, {}))).toEqual(inPod({ containers: [{ name: "a" }] }));
  });

  test("mistakes are refused", () => {
    expect(() => containers({} as never, {})).toThrow("containers: the predicate must be a name, an index or a function");
    expect(() => containers("a", undefined as never)).toThrow("containers: give a part of the object, or a function that edits it");
    const run = (predicate: unknown): unknown => applied(Pod, inPod({ containers: [{ name: "a" }] }), containers(predicate as never, {}));
    expect(() => run(async () => true)).toThrow(`layer "0": the predicate of containers returned a promise, but must return true or false`);
    expect(() => run(() => "yes")).toThrow("returned a string, but must return true or false");
  });
});
