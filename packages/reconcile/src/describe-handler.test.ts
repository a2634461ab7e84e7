import { kind, type KubernetesObject } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { all, type AnyHandler, conditions, handler, many, one, optional, type Step, step, through } from "./index.ts";
import { defineExtension, defineStep, describeHandler } from "./unstable/engine.ts";

const Widget = kind({ group: "test.treadle.dev", version: "v1", kind: "Widget" });
const ConfigMap = kind({ group: "", version: "v1", kind: "ConfigMap" });
const Secret = kind({ group: "", version: "v1", kind: "Secret", cachedAs: "metadata" });
const config = one(ConfigMap, () => "a");

const shelves = defineExtension<{ readonly shelf: string; readonly behind: readonly object[] }>({
  name: "shelves",
  describe: ({ name, data }) => [{ type: "shelf", name: `${name} on ${data.shelf}`, kinds: [ConfigMap] }, { type: "row" }],
});

const first = step(Widget, {
  name: "first",
  conditions: ["Found", { type: "Extra", ready: "ignored" }],
  reads: {
    config,
    secret: one(
      Secret,
      through(config, () => "c"),
      { ifNotServed: "skip" },
    ),
    live: many(ConfigMap, () => ({ matchLabels: {} }), { watch: false }),
  },
  owns: [{ kind: Secret, ifNotServed: "skip" }],
  writes: ["labels"],
  events: ["Sold"],
  gate() {},
  do() {},
  cleanup() {},
  post() {},
});

test("a description has the phases, conditions, reads, owned kinds and watches of a handler", () => {
  const built = handler(Widget)
    .step(conditions())
    .step(first)
    .watch(ConfigMap, { label: "widget" })
    .watch(Secret, { map: () => [] })
    .build();
  const { steps, ...rest } = describeHandler(built);
  expect(rest).toEqual({
    name: "widgets.test.treadle.dev",
    kind: { apiVersion: "test.treadle.dev/v1", kind: "Widget" },
    finalizer: "test.treadle.dev/widgets.test.treadle.dev",
    computesReady: true,
    watches: [
      { kind: { apiVersion: "v1", kind: "ConfigMap" }, form: "whole", by: "label", label: "widget" },
      { kind: { apiVersion: "v1", kind: "Secret" }, form: "metadata", by: "map" },
    ],
  });
  expect(steps.map(({ name }) => name)).toEqual(["conditions", "first"]);
  expect(steps[1]).toMatchObject({
    phases: ["gate", "do", "cleanup", "post"],
    conditions: [
      { type: "Found", counts: true },
      { type: "Extra", counts: false },
    ],
    owns: [{ kind: { kind: "Secret" }, ifNotServed: "skip" }],
    writes: ["labels"],
    events: ["Sold"],
    finalizer: "before-do",
    reads: [
      { name: "config", type: "one", source: "cache", watches: "whole", ifNotServed: "wait" },
      { name: "secret", type: "one", source: "fetch", watches: "metadata", ifNotServed: "skip", through: "config" },
      { name: "live", type: "many", source: "live" },
    ],
  });
  expect(steps[1]?.reads[2]).not.toHaveProperty("watches");
});

test("a description is data that JSON keeps, and is equal for equal handlers", () => {
  const built = (): AnyHandler => handler(Widget).step(conditions()).step(first).build();
  const description = describeHandler(built());
  expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  expect(describeHandler(built())).toEqual(description);
});

test("a description has what extensions say of a step, and the vars that a step gives late", () => {
  const given = defineStep(Widget, {
    name: "given",
    gives: { names: ["token"], of: () => "a store" },
    uses: [shelves.use({ shelf: "top", behind: [] })],
    do() {},
  }) as Step<KubernetesObject, {}, { token: string }>;
  const user = step(Widget, { name: "user", needs: [optional(given)], do() {} });
  const group = all("group", [given, user]);
  const after = step(Widget, { name: "after", needs: [group], do() {} });
  const [composite, last] = describeHandler(handler(Widget).step(group).step(after).build()).steps;
  expect(composite).toMatchObject({ name: "group", phases: [], parts: { maker: "all", concurrency: 1 } });
  expect(composite?.parts?.steps).toMatchObject([
    {
      name: "given",
      gives: ["token"],
      facts: [
        { extension: "shelves", type: "shelf", name: "given on top", kinds: [{ apiVersion: "v1", kind: "ConfigMap" }] },
        { extension: "shelves", type: "row", kinds: [] },
      ],
    },
    { name: "user", needs: [{ step: "given", isOptional: true, vars: ["token"] }] },
  ]);
  expect(last?.needs).toEqual([{ step: "group", isOptional: false, vars: ["token"] }]);
});
