import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { annotationsOf, readPolicies, withoutMarks } from "./annotations.ts";
import type { ObjectPolicies } from "./policies.ts";

const read = (annotations: Readonly<Record<string, string>>, prefixes: readonly string[] = ["my-op", "old-op"]) =>
  readPolicies(annotations, { prefixes });

describe("readPolicies", () => {
  const accepted: readonly { readonly key: string; readonly text: string; readonly policies: ObjectPolicies }[] = [
    { key: "apply-order", text: "1", policies: { apply: 1 } },
    { key: "apply-order", text: "-32768", policies: { apply: -32_768 } },
    { key: "apply-order", text: "+32767", policies: { apply: 32_767 } },
    { key: "apply-order", text: "-0", policies: { apply: 0 } },
    { key: "purge-order", text: "2", policies: { purge: 2 } },
    { key: "delete-order", text: "-1", policies: { remove: -1 } },
    { key: "adoption-policy", text: "never", policies: { adopt: "never" } },
    { key: "adoption-policy", text: "if-unowned", policies: { adopt: "ifUnowned" } },
    { key: "adoption-policy", text: "ifUnowned", policies: { adopt: "ifUnowned" } },
    { key: "adoption-policy", text: "IfUnowned", policies: { adopt: "ifUnowned" } },
    { key: "adoption-policy", text: "always", policies: { adopt: "force" } },
    { key: "adoption-policy", text: "Force", policies: { adopt: "force" } },
    { key: "update-policy", text: "ApplyAndReclaim", policies: { update: "apply-and-reclaim" } },
    { key: "update-policy", text: "apply", policies: { update: "apply" } },
    { key: "update-policy", text: "Replace", policies: { update: "replace" } },
    { key: "update-policy", text: "recreate", policies: { update: "recreate" } },
    { key: "update-policy", text: "ssa-merge", policies: { update: "apply" } },
    { key: "update-policy", text: "SsaMerge", policies: { update: "apply" } },
    { key: "update-policy", text: "SSAOverride", policies: { update: "apply-and-reclaim" } },
    { key: "update-policy", text: "default", policies: {} },
    { key: "reconcile-policy", text: "OnObjectChange", policies: { reconcile: "on-object-change" } },
    { key: "reconcile-policy", text: "onObjectOrComponentChange", policies: { reconcile: "on-object-or-component-change" } },
    { key: "reconcile-policy", text: "once", policies: { reconcile: "once" } },
    { key: "delete-policy", text: "orphan", policies: { onRemoval: "orphan" } },
    { key: "delete-policy", text: "OrphanOnApply", policies: { onRemoval: "orphan-on-apply" } },
    { key: "delete-policy", text: "orphanOnDelete", policies: { onRemoval: "orphan-on-delete" } },
    { key: "delete-policy", text: "default", policies: {} },
    { key: "reapply-interval", text: "1h30m", policies: { reapplyMs: 5_400_000 } },
    { key: "reapply-interval", text: "90s", policies: { reapplyMs: 90_000 } },
    { key: "reapply-interval", text: "500ms", policies: { reapplyMs: 500 } },
    { key: "reapply-interval", text: "1.5h", policies: { reapplyMs: 5_400_000 } },
    { key: "status-hint", text: "has-observed-generation", policies: { statusHint: { hasObservedGeneration: true } } },
    {
      key: "status-hint",
      text: "HasObservedGeneration, has-ready-condition ,conditions=Synced;example.dev/Ok,",
      policies: {
        statusHint: { hasObservedGeneration: true, hasReadyCondition: true, conditions: ["Synced", "example.dev/Ok"] },
      },
    },
    { key: "status-hint", text: "", policies: {} },
    { key: "after", text: "Job.batch/migrate", policies: { after: ["Job.batch/migrate"] } },
    {
      key: "after",
      text: "ConfigMap/a/b, ClusterRole.rbac.authorization.k8s.io/system:x,ConfigMap/a/b",
      policies: { after: ["ConfigMap/a/b", "ClusterRole.rbac.authorization.k8s.io/system:x"] },
    },
    { key: "after", text: "", policies: {} },
  ];

  test.for(accepted)("$key: $text is read", ({ key, text, policies }) => {
    expect(read({ [`my-op/${key}`]: text })).toEqual({ policies, rest: undefined, problems: [] });
  });

  const refused: readonly { readonly key: string; readonly text: string; readonly remedy: string }[] = [
    { key: "apply-order", text: "32768", remedy: "an integer from -32768 to 32767" },
    { key: "apply-order", text: "1.5", remedy: "an integer from -32768 to 32767" },
    { key: "purge-order", text: "", remedy: "an integer from -32768 to 32767" },
    { key: "delete-order", text: "0x1", remedy: "an integer from -32768 to 32767" },
    { key: "adoption-policy", text: "sometimes", remedy: "never, if-unowned or force" },
    { key: "adoption-policy", text: "constructor", remedy: "never, if-unowned or force" },
    { key: "adoption-policy", text: "default", remedy: "never, if-unowned or force" },
    { key: "update-policy", text: "put", remedy: "apply, apply-and-reclaim, replace or recreate" },
    { key: "reconcile-policy", text: "never", remedy: "on-object-change, on-object-or-component-change or once" },
    { key: "delete-policy", text: "keep", remedy: "delete, orphan, orphan-on-apply or orphan-on-delete" },
    { key: "reapply-interval", text: "60", remedy: "a time such as 90s, 10m or 1h30m" },
    { key: "reapply-interval", text: "0s", remedy: "a time such as 90s, 10m or 1h30m" },
    { key: "reapply-interval", text: "-5m", remedy: "a time such as 90s, 10m or 1h30m" },
    {
      key: "status-hint",
      text: "ready",
      remedy: "a list of has-observed-generation, has-ready-condition and conditions=A;B, divided by commas",
    },
    {
      key: "status-hint",
      text: "conditions=",
      remedy: "a list of has-observed-generation, has-ready-condition and conditions=A;B, divided by commas",
    },
    {
      key: "after",
      text: "web",
      remedy: "a list of Kind.group/name or Kind.group/namespace/name, such as Deployment.apps/web",
    },
    {
      key: "after",
      text: "apps/v1/Deployment/web",
      remedy: "a list of Kind.group/name or Kind.group/namespace/name, such as Deployment.apps/web",
    },
  ];

  test.for(refused)("$key: $text is a problem that says what to write", ({ key, text, remedy }) => {
    const { policies, rest, problems } = read({ [`my-op/${key}`]: text });
    expect({ policies, rest }).toEqual({ policies: {}, rest: undefined });
    expect(problems).toEqual([`the annotation my-op/${key} is ${JSON.stringify(text)}: write ${remedy}`]);
  });

  test("all problems of an object are reported together, and its valid policies are read", () => {
    const { policies, problems } = read({ "my-op/apply-order": "x", "old-op/purge-order": "y", "treadle.dev/delete-order": "3" });
    expect(policies).toEqual({ remove: 3 });
    expect(problems).toHaveLength(2);
  });

  test.for([["order"], ["applyOrder"], ["prune-policy"], ["missing-namespaces-policy"], ["retry-interval"], ["hint"]])(
    "the unknown policy %s of the handler is a problem that lists the known keys",
    ([key = ""]) => {
      const { rest, problems } = read({ [`my-op/${key}`]: "1" });
      expect(rest).toBeUndefined();
      expect(problems).toEqual([
        `the annotation my-op/${key} is not a policy: write my-op/ with one of apply-order, purge-order, delete-order, adoption-policy, update-policy, reconcile-policy, delete-policy, reapply-interval, status-hint, after`,
      ]);
    },
  );

  test("annotations that are not policies stay", () => {
    const rest = {
      plain: "1",
      "my-op/disable-events": "true",
      "my-op/apply-ordr": "1",
      "treadle.dev/paused": "true",
      "treadle.dev/retry-interval": "1",
      "other-op/apply-order": "7",
      "apply-order": "8",
    };
    for (const prefixes of [["my-op"], ["my-op", "treadle.dev"]])
      expect(read({ ...rest, "treadle.dev/apply-order": "1" }, prefixes)).toEqual({ policies: { apply: 1 }, rest, problems: [] });
  });

  test("a misspelled policy under the shared prefix is a problem", () => {
    const { problems } = read({ "treadle.dev/aply-order": "1" });
    expect(problems).toEqual([expect.stringMatching(/^the annotation treadle\.dev\/aply-order is not a policy: write .*apply-order/)]);
  });

  test("two prefixes with different values of one policy are a problem", () => {
    expect(read({ "my-op/apply-order": "1", "treadle.dev/apply-order": "2" }).problems).toEqual([
      `the annotations my-op/apply-order and treadle.dev/apply-order are "1" and "2": remove one, they set the same policy`,
    ]);
    expect(read({ "my-op/adoption-policy": "always", "treadle.dev/adoption-policy": "force" })).toEqual({
      policies: { adopt: "force" },
      rest: undefined,
      problems: [],
    });
  });

  test("an object without annotations has no policies", () => {
    expect(readPolicies(undefined, { prefixes: [] })).toEqual({ policies: {}, rest: undefined, problems: [] });
  });
});

describe("annotationsOf", () => {
  test("policies become the words of YAML authors", () => {
    const policies: ObjectPolicies = {
      apply: -1,
      purge: 2,
      remove: 3,
      adopt: "ifUnowned",
      update: "apply-and-reclaim",
      reconcile: "once",
      onRemoval: "orphan-on-delete",
      reapplyMs: 5_400_000,
      statusHint: { hasObservedGeneration: true, hasReadyCondition: false, conditions: ["A", "B"] },
      after: [
        "Job.batch/migrate",
        { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web", namespace: "a" } },
        { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "shared" } },
      ],
    };
    expect(annotationsOf(policies)).toEqual({
      "apply-order": "-1",
      "purge-order": "2",
      "delete-order": "3",
      "adoption-policy": "if-unowned",
      "update-policy": "apply-and-reclaim",
      "reconcile-policy": "once",
      "delete-policy": "orphan-on-delete",
      "reapply-interval": "1h30m",
      "status-hint": "has-observed-generation,conditions=A;B",
      after: "Job.batch/migrate,Deployment.apps/a/web,ConfigMap/shared",
    });
  });

  test("a policy that is not set has no annotation", () => {
    expect(annotationsOf({ after: [], statusHint: {} })).toEqual({});
    expect(annotationsOf({ apply: undefined } as never)).toEqual({});
  });

  test.for([
    { name: "a fraction", policies: { apply: 1.5 } },
    { name: "no number", policies: { apply: Number.NaN } },
    { name: "an order that is too high", policies: { remove: 40_000 } },
    { name: "a promise", policies: { apply: Promise.resolve(1) } },
    { name: "an unknown word", policies: { adopt: "sometimes" } },
    { name: "a negative time", policies: { reapplyMs: -1 } },
    { name: "an unknown hint", policies: { statusHint: { hasReady: true } } },
    { name: "a condition that is an object", policies: { statusHint: { conditions: [{}] } } },
    { name: "a reference without a name", policies: { after: [{ apiVersion: "v1", kind: "ConfigMap", metadata: {} }] } },
    { name: "a reference that is not a list", policies: { after: 7 } },
  ])("a policy with $name is written so that its reading reports it", ({ policies }) => {
    const written = Object.entries(annotationsOf(policies as never)).map(([key, text]) => [`treadle.dev/${key}`, text]);
    expect(read(Object.fromEntries(written) as Record<string, string>).problems).toHaveLength(1);
  });

  test("a promise in place of a policy may reject later", () => {
    expect(annotationsOf({ apply: Promise.reject(new Error("boom")) } as never)).toEqual({ "apply-order": "a promise" });
  });

  test("an unknown policy is refused with the known ones", () => {
    expect(() => annotationsOf({ aply: 1 } as never)).toThrow(
      "object() got the policy aply: write apply, purge, remove, adopt, update, reconcile, onRemoval, reapplyMs, statusHint or after",
    );
  });

  // Property: what object() writes is what the set reads.
  test("policies survive writing and reading", () => {
    const order = fc.integer({ min: -32_768, max: 32_767 });
    const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
    const type = fc.stringMatching(/^[A-Z][A-Za-z]{1,8}$/);
    const policies = fc.record(
      {
        apply: order,
        purge: order,
        remove: order,
        adopt: fc.constantFrom("never", "ifUnowned", "force"),
        update: fc.constantFrom("apply", "apply-and-reclaim", "replace", "recreate"),
        reconcile: fc.constantFrom("on-object-change", "on-object-or-component-change", "once"),
        onRemoval: fc.constantFrom("delete", "orphan", "orphan-on-apply", "orphan-on-delete"),
        reapplyMs: fc.integer({ min: 1, max: 10 ** 12 }),
        statusHint: fc.record({
          hasReadyCondition: fc.constant(true),
          conditions: fc.uniqueArray(type, { minLength: 1, maxLength: 3 }),
        }),
        after: fc.uniqueArray(
          fc.tuple(type, fc.constantFrom("", ".apps", ".example.dev"), name).map(([kind, group, each]) => `${kind}${group}/${each}`),
          { minLength: 1, maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(policies, fc.constantFrom("treadle.dev", "my-op"), (given, prefix) => {
        const written = Object.entries(annotationsOf(given as ObjectPolicies)).map(([key, text]) => [`${prefix}/${key}`, text] as const);
        expect(read({ ...Object.fromEntries(written), other: "1" })).toEqual({ policies: given, rest: { other: "1" }, problems: [] });
      }),
    );
  });
});

describe("withoutMarks", () => {
  test("the marks of this handler are removed, under all its names", () => {
    const marked = {
      name: "a",
      namespace: "ns",
      labels: { app: "a", "my-op/owner-id": "1", "old-op/dependent": "stack", "other/owner-id": "2" },
      annotations: { note: "a", "my-op/owner": "x", "my-op/applied": "y", "old-op/policies": "{}", "my-op/owner-id": "z" },
      finalizers: ["example.dev/keep"],
    };
    expect(withoutMarks(marked, ["my-op", "old-op"])).toEqual({
      name: "a",
      namespace: "ns",
      labels: { app: "a", "other/owner-id": "2" },
      annotations: { note: "a" },
      finalizers: ["example.dev/keep"],
    });
  });

  test("empty labels and annotations are left out", () => {
    const marked = { name: "a", labels: { "my-op/owner-id": "1" }, annotations: { "my-op/policies": "{}" } };
    expect(withoutMarks(marked, ["my-op"])).toEqual({ name: "a" });
  });
});
