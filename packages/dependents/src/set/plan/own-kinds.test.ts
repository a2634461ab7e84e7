import { crdOf, defineResource } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Manifest } from "./member.ts";
import { definedKindOf, definedKinds } from "./own-kinds.ts";

const Widget = defineResource({ group: "example.dev", version: "v1", kind: "Widget", scope: "Cluster", spec: z.object({}) });
const crd = (spec: unknown): Manifest =>
  ({ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", metadata: { name: "x" }, spec }) as Manifest;
const apiService = (spec: unknown): Manifest =>
  ({ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", metadata: { name: "v1beta1.metrics" }, spec }) as Manifest;

describe("definedKinds", () => {
  test("a CRD defines its kind in all versions, and serves some of them", () => {
    const own = definedKinds([crdOf(Widget)]);
    const widget = own.of({ group: "example.dev", version: "v2", kind: "Widget" });
    expect(widget).toEqual({
      type: "crd",
      definedBy: "CustomResourceDefinition.apiextensions.k8s.io widgets.example.dev",
      group: "example.dev",
      kind: "Widget",
      plural: "widgets",
      scope: "Cluster",
      versions: ["v1"],
    });
    expect(own.of({ group: "example.dev", version: "v1", kind: "Gadget" })).toBeUndefined();
    expect(own.of({ group: "other.dev", version: "v1", kind: "Widget" })).toBeUndefined();
  });

  test("only served versions count", () => {
    const versions = [{ name: "v1", served: true }, { name: "v1alpha1", served: false }, { name: "v2" }, null, "v3", { served: true }];
    const own = definedKinds([crd({ group: "example.dev", names: { kind: "Widget", plural: "widgets" }, versions })]);
    expect(own.all).toMatchObject([{ versions: ["v1"], scope: "Namespaced" }]);
  });

  test("an APIService defines every kind of its group and version", () => {
    const own = definedKinds([apiService({ group: "metrics.dev", version: "v1beta1" })]);
    expect(own.of({ group: "metrics.dev", version: "v1beta1", kind: "Anything" })).toMatchObject({
      type: "api-service",
      definedBy: "APIService.apiregistration.k8s.io v1beta1.metrics",
    });
    expect(own.of({ group: "metrics.dev", version: "v1", kind: "Anything" })).toBeUndefined();
  });

  test.for([
    undefined,
    null,
    7,
    "text",
    {},
    { group: 3 },
    { group: "" },
    { group: "x", names: null },
    { group: "x", names: { kind: 1, plural: "x" } },
    { group: "x", names: { kind: "X" } },
    { group: "x", version: 1 },
  ])("a malformed spec %j defines no kind", (spec) => {
    expect(definedKinds([crd(spec), apiService(spec)]).all).toEqual([]);
  });

  test("a CRD with malformed versions serves none", () => {
    for (const versions of [undefined, null, "v1", {}])
      expect(definedKinds([crd({ group: "x", names: { kind: "X", plural: "xs" }, versions })]).all).toMatchObject([{ versions: [] }]);
  });

  test("other kinds with these names define no kind", () => {
    const fake = { ...crd({ group: "x", names: { kind: "X", plural: "xs" } }), apiVersion: "example.dev/v1" };
    expect(definedKinds([fake]).all).toEqual([]);
  });
});

describe("kinds of instances", () => {
  const own = definedKinds([crdOf(Widget), apiService({ group: "metrics.dev", version: "v1" })]);

  test("kindOf has scope and plural of the CRD, in the version of the instance", () => {
    const widget = { group: "example.dev", kind: "Widget", plural: "widgets", scope: "Cluster" };
    expect(own.kindOf({ apiVersion: "example.dev/v1", kind: "Widget" })).toEqual({ ...widget, version: "v1" });
    expect(own.kindOf({ apiVersion: "example.dev/v2", kind: "Widget" })).toEqual({ ...widget, version: "v2" });
  });

  test("kindOf guesses scope and plural for an APIService", () => {
    expect(own.kindOf({ apiVersion: "metrics.dev/v1", kind: "Policy" })).toMatchObject({ plural: "policies", scope: "Namespaced" });
  });

  test("kindOf does not know other kinds", () => {
    expect(own.kindOf({ apiVersion: "apps/v1", kind: "Deployment" })).toBeUndefined();
  });

  test("definedKindOf has the first served version of a CRD", () => {
    expect(definedKindOf(crdOf(Widget))).toEqual({
      group: "example.dev",
      version: "v1",
      kind: "Widget",
      plural: "widgets",
      scope: "Cluster",
    });
    expect(definedKindOf(crd({ group: "x", names: { kind: "X", plural: "xs" } }))).toBeUndefined();
    expect(definedKindOf(apiService({ group: "a", version: "v1" }))).toBeUndefined();
  });
});
