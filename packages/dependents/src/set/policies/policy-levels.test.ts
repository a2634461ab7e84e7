import { describe, expect, test } from "vitest";
import { policiesOf, requirePolicies } from "./policy-levels.ts";
import { DEFAULT_POLICIES, type ObjectPolicies, type Policies, type SetPolicies } from "./policies.ts";

describe("policiesOf", () => {
  const cases: readonly {
    readonly name: string;
    readonly object?: ObjectPolicies;
    readonly cr?: SetPolicies;
    readonly operator?: SetPolicies;
    readonly want: Partial<Policies>;
  }[] = [
    { name: "an object without policies has the defaults", want: {} },
    {
      name: "the operator outweighs the defaults",
      operator: { update: "replace", reapplyMs: 5 },
      want: { update: "replace", reapplyMs: 5 },
    },
    {
      name: "the custom resource outweighs the operator",
      cr: { onRemoval: "orphan", reclaim: ["helm"] },
      operator: { onRemoval: "orphan-on-apply", reclaim: ["x"], adopt: "never" },
      want: { onRemoval: "orphan", reclaim: ["helm"], adopt: "never" },
    },
    {
      name: "the object outweighs both",
      object: { adopt: "force", reconcile: "once", apply: 2, purge: 3, remove: 4 },
      cr: { adopt: "never", reconcile: "on-object-change" },
      operator: { adopt: "ifUnowned" },
      want: { adopt: "force", reconcile: "once", apply: 2, purge: 3, remove: 4 },
    },
    {
      name: "references become keys",
      object: { after: ["Job.batch/ns/a", "ConfigMap/b", { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "c" } }] },
      want: { after: ["Job.batch ns/a", "ConfigMap b", "Deployment.apps c"] },
    },
  ];
  test.for(cases)("$name", ({ object = {}, cr = {}, operator = {}, want }) => {
    expect(policiesOf(object, cr, operator)).toEqual({ ...DEFAULT_POLICIES, ...want });
  });
});

describe("requirePolicies", () => {
  test.for<{ readonly name: string; readonly given: unknown; readonly want: SetPolicies }>([
    { name: "nothing", given: undefined, want: {} },
    { name: "undefined members", given: { adopt: undefined }, want: {} },
    {
      name: "the words of TypeScript",
      given: { adopt: "ifUnowned", update: "apply-and-reclaim", missingNamespaces: "fail", reapplyMs: 1, reclaim: ["kubectl"] },
      want: { adopt: "ifUnowned", update: "apply-and-reclaim", missingNamespaces: "fail", reapplyMs: 1, reclaim: ["kubectl"] },
    },
    {
      name: "the words of a custom resource",
      given: { adopt: "Always", update: "SsaOverride", onRemoval: "Orphan", missingNamespaces: "DoNotCreate" },
      want: { adopt: "force", update: "apply-and-reclaim", onRemoval: "orphan", missingNamespaces: "fail" },
    },
    { name: "the word default", given: { update: "default" }, want: {} },
  ])("$name are policies", ({ given, want }) => {
    expect(requirePolicies(`step "stack": policies`, given)).toEqual(want);
  });

  test.for<{ readonly name: string; readonly given: unknown; readonly message: string }>([
    {
      name: "a promise",
      given: Promise.resolve({}),
      message: `a promise is not an object of policies: return at once, such as { onRemoval: "orphan" }`,
    },
    { name: "null", given: null, message: `null is not an object of policies: return at once, such as { onRemoval: "orphan" }` },
    { name: "a list", given: [], message: `a list is not an object of policies: return at once, such as { onRemoval: "orphan" }` },
    {
      name: "an unknown word",
      given: { onRemoval: "keep" },
      message: `onRemoval is "keep": write delete, orphan, orphan-on-apply or orphan-on-delete`,
    },
    { name: "a number in place of a word", given: { adopt: 1 }, message: "adopt is 1: write never, if-unowned or force" },
    {
      name: "the policy of an object",
      given: { apply: 1 },
      message: `"apply" is not a policy of a set: write adopt, update, reconcile, onRemoval, missingNamespaces, reclaim or reapplyMs, or set it for an object`,
    },
    { name: "a time that is a text", given: { reapplyMs: "60m" }, message: `reapplyMs is "60m": write a number of milliseconds above 0` },
    {
      name: "an empty prefix",
      given: { reclaim: [""] },
      message: `reclaim is a list: write a list of prefixes of field managers, such as ["kubectl"]`,
    },
  ])("$name is refused", ({ given, message }) => {
    const call = () => requirePolicies(`step "stack": policies`, given);
    expect(call).toThrow(expect.objectContaining({ name: "TypeError", code: "ERR_INVALID_STEP" }) as Error);
    expect(call).toThrow(`step "stack": policies: ${message}`);
  });
});
