import * as apimachineryKinds from "@treadle/apimachinery/kinds";
import * as treadle from "treadle";
import * as kinds from "treadle/kinds";
import * as sources from "treadle/sources";
import { expect, test } from "vitest";

test("every name of the façade is there, and there are not too many of them", () => {
  expect(Object.entries(treadle).filter(([, value]) => value === undefined)).toEqual([]);
  expect(Object.keys(treadle).length).toBeLessThanOrEqual(50);
  expect(Object.keys(treadle)).toEqual(
    expect.arrayContaining(["defineResource", "step", "handler", "all", "one", "many", "anyKind", "createManager"]),
  );
});

test("every option of manager.add can be named and made from here", () => {
  const predicate: treadle.Predicate = treadle.or(treadle.generationChanged, treadle.and(treadle.labelsChanged, treadle.not(onlyNoise)));
  const { channel, cron, poll } = sources;
  const own: sources.Source = { name: "own", start() {} };
  const nightly = poll({ name: "nightly", schedule: cron("0 3 * * *"), refs: () => [] });
  const options: treadle.ControllerOptions = { predicate, backoff: "external", concurrency: 2, sources: [channel(), nightly, own] };
  const widgets = treadle.kind({ group: "g", version: "v1", kind: "Widget", plural: "widgets", scope: "Namespaced" });
  const manager = treadle.createManager({ log: { debug() {}, info() {}, warn() {}, error() {} } });
  expect(() =>
    manager.add(
      treadle
        .handler(widgets)
        .step(treadle.step(widgets, { name: "idle", do() {} }))
        .build(),
      options,
    ),
  ).not.toThrow();

  function onlyNoise(event: Parameters<treadle.Predicate>[0]): boolean {
    return event.object.metadata.annotations?.["noise"] !== undefined;
  }
});

test("no built-in kind is missing", () => {
  expect(Object.keys(kinds).sort()).toEqual(Object.keys(apimachineryKinds).sort());
});
