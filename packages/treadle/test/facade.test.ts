import { execFileSync } from "node:child_process";
import * as apimachineryKinds from "@treadle/apimachinery/kinds";
import * as apimachinerySchemas from "@treadle/apimachinery/schemas";
import * as treadle from "treadle";
import * as kinds from "treadle/kinds";
import * as schemas from "treadle/schemas";
import * as sources from "treadle/sources";
import { expect, test } from "vitest";

test("every name of the façade is there, and there are not too many of them", () => {
  expect(Object.entries(treadle).filter(([, value]) => value === undefined)).toEqual([]);
  // What makes a set is next to dependentApply and component, where authors look for it: a subpath would split one feature in two.
  expect(Object.keys(treadle).length).toBeLessThanOrEqual(70);
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

test("no schema of a built-in shape is missing", () => {
  expect(Object.keys(schemas).sort()).toEqual(Object.keys(apimachinerySchemas).sort());
});

test("importing treadle and its kinds loads no schema of a built-in shape, and nothing of webhooks, certificates, generators and plugins", () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
    await import("treadle");
    await import("treadle/kinds");
    console.log(JSON.stringify(loaded));`;
  const args = ["--conditions=@treadle/source", "--input-type=module", "-e", script];
  const loaded: readonly string[] = JSON.parse(execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }));
  expect(loaded.length).toBeGreaterThan(100);
  expect(
    loaded.filter((url) =>
      /\/src\/schemas|packages\/(webhooks|generators|plugins)|cdk8s|@grpc|protobufjs|tar-stream|@peculiar|reflect-metadata/.test(url),
    ),
  ).toEqual([]);
});
