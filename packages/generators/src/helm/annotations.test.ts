import type { Manifest, ObjectPolicies } from "@treadle/dependents";
import { describe, expect, test } from "vitest";
import { readAnnotations, withPolicies } from "./annotations.ts";

const job = (annotations: Readonly<Record<string, string>>, of: Partial<Manifest> = {}): Manifest => ({
  apiVersion: "batch/v1",
  kind: "Job",
  ...of,
  metadata: { name: "migrate", annotations },
});
const install = { isInstall: true, prefixes: ["shops.example.dev"], isCrdFile: false };
const upgrade = { ...install, isInstall: false };

/** The policies on install and on upgrade; `undefined`: the object is left out. */
interface Row {
  readonly hook: string;
  readonly weight?: string;
  readonly deletion?: string;
  readonly install: ObjectPolicies | undefined;
  readonly upgrade: ObjectPolicies | undefined;
}

const once = { reconcile: "once", update: "recreate" } as const;
const always = { reconcile: "on-object-or-component-change", update: "recreate" } as const;

const ROWS: readonly Row[] = [
  // The moment: before all other objects, after them, or both.
  { hook: "pre-install", install: { apply: -101, ...once }, upgrade: { apply: -101, ...once } },
  { hook: "post-install", install: { apply: 101, ...once }, upgrade: { apply: 101, ...once } },
  { hook: "pre-install,post-install", install: { apply: -101, ...once }, upgrade: { apply: -101, ...once } },
  { hook: "pre-upgrade", install: undefined, upgrade: { apply: -101, ...always } },
  { hook: "post-upgrade", install: undefined, upgrade: { apply: 101, ...always } },
  { hook: "pre-upgrade,post-upgrade", install: undefined, upgrade: { apply: -101, ...always } },
  { hook: "pre-install,pre-upgrade", install: { apply: -101, ...once }, upgrade: { apply: -101, ...always } },
  { hook: "post-install,post-upgrade", install: { apply: 101, ...once }, upgrade: { apply: 101, ...always } },
  { hook: "pre-install,post-upgrade", install: { apply: -101, ...once }, upgrade: { apply: 101, ...always } },
  { hook: " Pre-Install , post-upgrade", install: { apply: -101, ...once }, upgrade: { apply: 101, ...always } },
  // Rollbacks and tests.
  { hook: "pre-rollback", install: undefined, upgrade: undefined },
  { hook: "post-rollback", install: undefined, upgrade: undefined },
  { hook: "test", install: undefined, upgrade: undefined },
  { hook: "test-success", install: undefined, upgrade: undefined },
  { hook: "crd-install", install: undefined, upgrade: undefined },
  { hook: "test", deletion: "hook-failed", weight: "1000", install: undefined, upgrade: undefined },
  { hook: "test,post-install", install: { apply: 101, ...once }, upgrade: { apply: 101, ...once } },
  // The weight.
  { hook: "pre-install", weight: "-100", install: { apply: -201, ...once }, upgrade: { apply: -201, ...once } },
  { hook: "pre-install", weight: "100", install: { apply: -1, ...once }, upgrade: { apply: -1, ...once } },
  { hook: "post-install", weight: "-100", install: { apply: 1, ...once }, upgrade: { apply: 1, ...once } },
  { hook: "post-install", weight: "+100", install: { apply: 201, ...once }, upgrade: { apply: 201, ...once } },
  { hook: "post-install", weight: "first", install: { apply: 101, ...once }, upgrade: { apply: 101, ...once } },
  // The delete policy.
  {
    hook: "pre-install",
    deletion: "before-hook-creation",
    install: { apply: -101, ...once },
    upgrade: { apply: -101, ...once },
  },
  {
    hook: "pre-install,pre-upgrade",
    deletion: "hook-succeeded",
    install: { apply: -101, reconcile: "once", purge: -1 },
    upgrade: { apply: -101, reconcile: "on-object-or-component-change", purge: -1 },
  },
  {
    hook: "post-install,post-upgrade",
    deletion: "hook-succeeded",
    install: { apply: 101, reconcile: "once", purge: 201 },
    upgrade: { apply: 101, reconcile: "on-object-or-component-change", purge: 201 },
  },
  {
    hook: "pre-install,post-install",
    deletion: "before-hook-creation, Hook-Succeeded",
    install: { apply: -101, ...once, purge: 201 },
    upgrade: { apply: -101, ...once, purge: 201 },
  },
  { hook: "post-install", deletion: "", install: { apply: 101, reconcile: "once" }, upgrade: { apply: 101, reconcile: "once" } },
];

const annotationsOf = ({ hook, weight, deletion }: Omit<Row, "install" | "upgrade">): Readonly<Record<string, string>> => ({
  "helm.sh/hook": hook,
  ...(weight === undefined ? {} : { "helm.sh/hook-weight": weight }),
  ...(deletion === undefined ? {} : { "helm.sh/hook-delete-policy": deletion }),
});

const wanted = (policies: ObjectPolicies | undefined, absent: "dropped" | "later") =>
  policies === undefined ? { type: absent } : { type: "object", isHook: true, policies };

describe("a hook of a chart", () => {
  test.for(ROWS)("$hook with the weight $weight and the delete policy $deletion has the policies of its moment", (row) => {
    expect(readAnnotations(job(annotationsOf(row)), install)).toEqual(wanted(row.install, row.upgrade === undefined ? "dropped" : "later"));
    expect(readAnnotations(job(annotationsOf(row)), upgrade)).toEqual(wanted(row.upgrade, "dropped"));
  });

  test.for([
    { hook: "pre-delete", text: /is a hook for pre-delete/ },
    { hook: "test,post-delete", text: /is a hook for post-delete/ },
    { hook: "pre-instal", text: /the hook pre-instal, which Helm does not have: correct the template/ },
    { hook: "post-install,S3cret 1", text: /names in helm\.sh\/hook a hook, which Helm does not have/ },
    { hook: "pre-install", weight: "101", text: /the weight 101: write one from -100 to 100/ },
    { hook: "post-install", weight: "-101", text: /the weight -101/ },
    { hook: "post-install", deletion: "hook-succeeded,hook-failed", text: /the delete policy hook-failed/ },
  ])("$hook with the weight $weight and the delete policy $deletion is refused with what to do", ({ text, ...row }) => {
    for (const context of [install, upgrade])
      expect(readAnnotations(job(annotationsOf(row)), context)).toEqual({ type: "refused", problem: expect.stringMatching(text) });
  });

  test.for([
    { apiVersion: "v1", kind: "PersistentVolumeClaim" },
    { apiVersion: "v1", kind: "Namespace" },
    { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" },
  ])("of the kind $kind is updated in place, because its deletion deletes what users have in it", (of) => {
    expect(readAnnotations(job({ "helm.sh/hook": "pre-install" }, of), install)).toMatchObject({
      policies: { apply: -101, reconcile: "once" },
    });
    expect(readAnnotations(job({ "helm.sh/hook": "pre-install" }, of), install)).not.toHaveProperty("policies.update");
  });

  test("of the kind Namespace is not deleted when it succeeds: the chart is refused", () => {
    const annotations = { "helm.sh/hook": "pre-install", "helm.sh/hook-delete-policy": "hook-succeeded" };
    expect(readAnnotations(job(annotations, { apiVersion: "v1", kind: "Namespace" }), install)).toMatchObject({ type: "refused" });
    // Helm keeps CRDs of hooks.
    const crd = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
    expect(readAnnotations(job(annotations, crd), install)).toEqual({
      type: "object",
      isHook: true,
      policies: { apply: -101, reconcile: "once" },
    });
  });

  test("in a file of crds/ is an ordinary object", () => {
    expect(readAnnotations(job({ "helm.sh/hook": "crd-install" }), { ...install, isCrdFile: true })).toEqual({
      type: "object",
      isHook: false,
      policies: {},
    });
  });
});

describe("an annotation of a chart", () => {
  test("helm.sh/resource-policy: keep lets the object stay", () => {
    expect(readAnnotations(job({ "helm.sh/resource-policy": " Keep" }), install)).toEqual({
      type: "object",
      isHook: false,
      policies: { onRemoval: "orphan" },
    });
    expect(readAnnotations(job({ "helm.sh/hook": "post-install", "helm.sh/resource-policy": "keep" }), install)).toMatchObject({
      policies: { apply: 101, onRemoval: "orphan" },
    });
    expect(readAnnotations(job({ "helm.sh/resource-policy": "delete" }), install)).toMatchObject({ policies: {} });
  });

  test.for(["shops.example.dev/apply-order", "shops.example.dev/anything", "treadle.dev/apply-order", "treadle.dev/aply-order"])(
    "%s belongs to the operator: the chart is refused",
    (key) => {
      expect(readAnnotations(job({ [key]: "1" }), install)).toEqual({ type: "refused", problem: expect.stringContaining(key) });
    },
  );

  test("of another operator, or for another purpose, stays", () => {
    const annotations = { "treadle.dev/paused": "true", "other.example.dev/apply-order": "1", "shops.example.dev": "1" };
    expect(readAnnotations(job(annotations), install)).toMatchObject({ type: "object", policies: {} });
  });
});

test("policies become annotations beside those of the chart", () => {
  const annotated = withPolicies(job({ "helm.sh/hook": "pre-install" }), {
    apply: -101,
    reconcile: "once",
    purge: -1,
    onRemoval: "orphan",
  });
  expect(annotated.metadata.annotations).toEqual({
    "helm.sh/hook": "pre-install",
    "treadle.dev/apply-order": "-101",
    "treadle.dev/purge-order": "-1",
    "treadle.dev/reconcile-policy": "once",
    "treadle.dev/delete-policy": "orphan",
  });
  const plain = job({});
  expect(withPolicies(plain, {})).toBe(plain);
});
