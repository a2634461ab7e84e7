/** A component alone, without a handler, as authors test a single step. */
import { kind } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { dependentApply } from "@treadle/dependents";
import { fakeReq } from "@treadle/testing";
import { expect, test } from "vitest";
import { App, configMap, main, page } from "./stage.ts";

const boom = (): never => {
  throw new Error("boom");
};

test("a component that runs alone applies its objects, and sets its condition", async () => {
  const req = fakeReq(App, { spec: {} });
  expect(await req.run(main([page("one"), page("two")]) as never)).toMatchObject({ type: "continue" });
  expect((await req.list(ConfigMap)).map(({ metadata }) => metadata.name)).toEqual(["one", "two"]);
  expect(req.conditions).toMatchObject([{ type: "MainReady", status: "True", reason: "Healthy" }]);
});

test("a component that runs alone returns what it waits for", async () => {
  const req = fakeReq(App, { spec: {} }, { objects: [configMap("one")] });
  const result = await req.run(main([page("one"), page("two")]) as never);
  expect(result).toMatchObject({ type: "wait", reason: expect.stringContaining("one: ConfigMap one is not ours") });
  expect(req.conditions).toMatchObject([{ type: "MainReady", status: "False", reason: "Blocked" }]);
});

test("a component that runs alone throws the error of a resource, after the others were applied", async () => {
  const req = fakeReq(App, { spec: {} });
  await expect(req.run(main([page("one", { desired: boom }), page("two")]) as never)).rejects.toThrow("boom");
  expect((await req.list(ConfigMap)).map(({ metadata }) => metadata.name)).toEqual(["two"]);
});

test("a component that runs alone keeps its state between runs", async () => {
  let asked = 0;
  const steps = main([page("one")], { until: () => (asked++, true) });
  const req = fakeReq(App, { spec: {} });
  await req.run(steps as never);
  await req.run(steps as never);
  expect(asked).toBe(1);
});

test("a component that runs alone reports its gate and its barrier", async () => {
  const off = fakeReq(App, { spec: { on: false } });
  await off.run(main([page("one")]) as never);
  expect(off.conditions).toMatchObject([{ type: "MainReady", status: "True", reason: "Disabled" }]);
  const barred = fakeReq(App, { spec: {} });
  expect(await barred.run(main([page("one")], { until: () => "not yet" }) as never)).toMatchObject({ type: "wait" });
  expect(barred.conditions).toMatchObject([{ type: "MainReady", status: "False", reason: "PrerequisiteNotMet" }]);
  await expect(barred.run(main([page("one")], { enabled: boom }) as never)).rejects.toThrow("boom");
});

test("a component that runs alone waits for a kind that the server does not serve", async () => {
  const Thing = kind({ group: "missing.dev", version: "v1", kind: "Thing", plural: "things" });
  const req = fakeReq(App, { spec: {} }, { missing: [Thing] });
  const thing = dependentApply(App, { name: "thing", kind: Thing, objectName: "thing", desired: {} });
  expect(await req.run(main([thing, page("one")]) as never)).toMatchObject({ type: "wait" });
  expect(req.conditions).toMatchObject([{ type: "MainReady", status: "False", reason: "Error" }]);
  expect((await req.list(ConfigMap)).map(({ metadata }) => metadata.name)).toEqual(["one"]);
});

test("a resource of a component runs alone as it does in a list", async () => {
  const req = fakeReq(App, { spec: {} });
  const one = page("one");
  main([one]);
  expect(await req.run(one as never)).toMatchObject({ type: "continue" });
  expect((await req.list(ConfigMap)).map(({ metadata }) => metadata.name)).toEqual(["one"]);
});
