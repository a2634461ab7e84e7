import { defineResource, kind } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, one, step } from "@treadle/reconcile";
import { webhooks, webhookServer } from "@treadle/webhooks";
import { expect, test } from "vitest";
import { z } from "zod";
import { crdsOf } from "./crds.ts";
import { declaredKinds, reconciledKinds } from "./kinds.ts";

const definition = { group: "example.dev", version: "v1", scope: "Namespaced", spec: z.object({}) } as const;
const Widget = defineResource({ ...definition, kind: "Widget" });
const Config = defineResource({ ...definition, kind: "Config" });
const Foreign = kind({ group: "other.dev", version: "v1", kind: "Foreign" });

const widgets = handler(Widget)
  .step(step(Widget, { name: "s", reads: { config: one(Config, () => "a"), foreign: one(Foreign, () => "a") }, owns: [ConfigMap] }))
  .build();
const unnamed = handler(kind({ group: "example.dev", version: "v1", kind: "Config" }))
  .step(step(kind({ group: "example.dev", version: "v1", kind: "Config" }), { name: "s" }))
  .build();
const reader = {
  name: "reader",
  start() {},
  reads: [one(Foreign, () => "a")],
  permissions: [{ kind: ConfigMap, verbs: ["get"] as const }],
};

test("a program has the CRDs of the kinds that it reconciles and reads, sorted and each once", () => {
  const crds = crdsOf({ handlers: [widgets, unnamed], runnables: [reader] });
  expect(crds.map(({ metadata }) => metadata.name)).toEqual(["configs.example.dev", "widgets.example.dev"]);
});

test("the kinds of a program are in the order of their declaration, each once", () => {
  const program = { handlers: [widgets, unnamed], runnables: [reader] };
  expect(reconciledKinds(program).map((each) => each.kind)).toEqual(["Widget", "Config"]);
  expect(declaredKinds(program).map((each) => each.kind)).toEqual(["Widget", "Config", "Foreign", "ConfigMap"]);
});

test("a kind that only webhooks review has its CRD", () => {
  const server = webhookServer([webhooks(Config, { problems: () => [] })], { service: { name: "hooks", namespace: "ops" } });
  expect(crdsOf({ handlers: [], runnables: [server] }).map(({ metadata }) => metadata.name)).toEqual(["configs.example.dev"]);
});
