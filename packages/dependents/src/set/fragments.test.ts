import { crdOf, defineResource, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { fillsStatus, fromSpec, setStatus, specFields } from "./fragments.ts";

const common = { group: "t.treadle.dev", version: "v1", kind: "Platform", scope: "Namespaced" } as const;
const specShape = { ...specFields.placement, ...specFields.suspend, ...specFields.policies, ...specFields.timeout };
const Platform = defineResource({ ...common, spec: z.object(specShape), status: z.object({ ...setStatus, mine: z.string().optional() }) });
type Platform = ObjectOf<typeof Platform>;

function platform(spec: Partial<Platform["spec"]>): Platform {
  return { apiVersion: "t.treadle.dev/v1", kind: "Platform", metadata: { name: "a" }, spec: { suspend: false, ...spec } } as Platform;
}

describe("setStatus", () => {
  test("becomes fields of the CRD with descriptions", () => {
    const status = crdOf(Platform).spec.versions[0]?.schema?.openAPIV3Schema?.properties?.["status"]?.properties;
    expect(status).toMatchObject({
      state: {
        type: "string",
        enum: ["Ready", "Pending", "Processing", "DeletionPending", "Deleting", "Error"],
        description: expect.any(String),
      },
      revision: { type: "integer", minimum: 0, description: expect.any(String) },
      appliedGeneration: { type: "integer", minimum: 0, description: expect.any(String) },
      lastAppliedAt: { type: "string", format: "date-time", description: expect.any(String) },
      mine: { type: "string" },
    });
  });

  test.for<[string, z.ZodObject | undefined, readonly string[]]>([
    ["all of them", z.object(setStatus), ["state", "revision", "appliedGeneration", "lastAppliedAt"]],
    ["one of them", z.object({ revision: setStatus.revision }), ["revision"]],
    ["one with another description", z.object({ state: setStatus.state.describe("Mine.") }), ["state"]],
    ["a state of the author", z.object({ state: z.enum(["Up", "Down"]).optional(), revision: z.string().optional() }), []],
    ["no field", z.object({ url: z.string().optional() }), []],
    ["no status", undefined, []],
  ])("is found in a status with %s", ([, status, want]) => {
    const kind =
      status === undefined ? defineResource({ ...common, spec: z.object({}) }) : defineResource({ ...common, spec: z.object({}), status });
    expect([...fillsStatus(kind)]).toEqual(want);
    expect(fillsStatus(kind)).toBe(fillsStatus(kind));
  });

  test("is not found in a built-in kind", () => {
    expect(fillsStatus(ConfigMap).size).toBe(0);
  });
});

describe("specFields", () => {
  test.for(Object.entries(specFields))("%s is usable alone", ([, shape]) => {
    expect(() => crdOf(defineResource({ ...common, spec: z.object(shape as z.ZodRawShape) }))).not.toThrow();
  });

  test("have the defaults of an empty spec", () => {
    expect(Platform.resource?.withDefaults({ ...platform({}), spec: {} } as Platform)).toMatchObject({ spec: { suspend: false } });
  });

  test.for<[string, object, boolean]>([
    ["an empty spec", {}, true],
    [
      "all fields",
      {
        namespace: "a",
        name: "b",
        suspend: true,
        adoptionPolicy: "force",
        updatePolicy: "replace",
        deletePolicy: "orphan",
        missingNamespacesPolicy: "fail",
        timeout: "1h30m",
      },
      true,
    ],
    ["an empty namespace", { namespace: "" }, true],
    ["a delete policy of objects", { deletePolicy: "orphan-on-apply" }, false],
    ["a duration with a fraction", { timeout: "1.5h" }, true],
    ["a number as duration", { timeout: "90" }, false],
    ["a negative duration", { timeout: "-5s" }, false],
  ])("check %s", ([, spec, isValid]) => {
    expect(Platform.resource?.problems(platform(spec))?.length === 0).toBe(isValid);
  });
});

describe("fromSpec", () => {
  test("returns the defaults of an empty spec", () => {
    expect(fromSpec.placement(platform({}))).toEqual({ namespace: undefined, name: undefined });
    expect(fromSpec.suspended(platform({}))).toBe(false);
    expect(fromSpec.policies(platform({}))).toEqual({});
    expect(fromSpec.timeoutMs(platform({}))).toBe(600_000);
  });

  test("returns what the spec has", () => {
    const given = platform({ namespace: "a", name: "b", suspend: true, timeout: "1h30m" });
    expect(fromSpec.placement(given)).toEqual({ namespace: "a", name: "b" });
    expect(fromSpec.suspended(given)).toBe(true);
    expect(fromSpec.timeoutMs(given)).toBe(5_400_000);
    const policies = platform({
      adoptionPolicy: "force",
      updatePolicy: "replace",
      deletePolicy: "orphan",
      missingNamespacesPolicy: "fail",
    });
    expect(fromSpec.policies(policies)).toEqual({ adopt: "force", update: "replace", onRemoval: "orphan", missingNamespaces: "fail" });
  });

  test("refuses a duration that no number holds", () => {
    expect(() => fromSpec.timeoutMs(platform({ timeout: "9999999999h" }))).toThrow(
      'spec.timeout is "9999999999h", not a duration: write it as 90s or 1h30m',
    );
  });
});
