import "@treadle/testing/matchers";
import { configMap, fakeReq } from "@treadle/testing";
import { expect, test } from "vitest";
import { TemplateKind } from "./template-kind.ts";
import { templateStep } from "./template-step.ts";

const given = (data: Record<string, string>) => ({ objects: [configMap("a-template-step", data)] });

test("the step template-step hands over the data of its ConfigMap", async () => {
  const req = fakeReq(TemplateKind, { metadata: { name: "a" }, spec: {} }, given({ color: "blue" }));
  expect(await req.run(templateStep)).toContinue({ templateStep: { color: "blue" } });
  expect(req).toHaveCondition("TemplateStepReady", "True");
});

test("the step template-step continues without its ConfigMap", async () => {
  const req = fakeReq(TemplateKind, { metadata: { name: "a" }, spec: {} });
  expect(await req.run(templateStep)).toContinue({ templateStep: {} });
});

test("the step template-step waits while its ConfigMap has paused", async () => {
  const req = fakeReq(TemplateKind, { metadata: { name: "a" }, spec: {} }, given({ paused: "true" }));
  expect(await req.run(templateStep)).toWait("the ConfigMap has paused: true");
  expect(req).toHaveCondition("TemplateStepReady", { status: "False", reason: "Paused" });
});
