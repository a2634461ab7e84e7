import type { Deployment, ReplicaSet } from "@treadle/apimachinery/kinds";
import { describe, expect, test } from "vitest";
import { currentReplicas, isScaled, planRecreate, planRolling, planScale } from "./rollout.ts";
import { bounds } from "./replica-counts.ts";

function deployment(replicas: number, rollingUpdate: object | "Recreate" = {}): Deployment {
  const strategy = rollingUpdate === "Recreate" ? { type: "Recreate" } : { type: "RollingUpdate", rollingUpdate };
  return { metadata: { name: "web" }, spec: { replicas, strategy } } as unknown as Deployment; // as far as plans look
}

interface SetGiven {
  readonly replicas: number;
  readonly available?: number;
  readonly desired?: number;
  readonly max?: number;
  readonly created?: number;
}

function set(name: string, { replicas, available = replicas, desired, max, created = 0 }: SetGiven): ReplicaSet {
  const annotations = {
    ...(desired === undefined ? {} : { "deployment.kubernetes.io/desired-replicas": String(desired) }),
    ...(max === undefined ? {} : { "deployment.kubernetes.io/max-replicas": String(max) }),
  };
  const metadata = { name, annotations, creationTimestamp: new Date(created * 1000).toISOString() };
  return { metadata, spec: { replicas }, status: { replicas, availableReplicas: available } } as unknown as ReplicaSet; // as far as plans look
}

function told(plan: readonly { readonly set: ReplicaSet; readonly replicas: number }[]): object {
  return Object.fromEntries(plan.map(({ set: { metadata }, replicas }) => [metadata.name, replicas]));
}

describe("bounds", () => {
  test.for([
    { name: "percentages are rounded up for the surge and down for unavailable pods", replicas: 10, given: {}, want: [3, 2] },
    { name: "numbers are not changed", replicas: 10, given: { maxSurge: 4, maxUnavailable: 1 }, want: [4, 1] },
    {
      name: "when both bounds are zero, one pod may be unavailable",
      replicas: 3,
      given: { maxSurge: 0, maxUnavailable: "10%" },
      want: [0, 1],
    },
    { name: "no more pods may be unavailable than there are", replicas: 2, given: { maxSurge: 0, maxUnavailable: 5 }, want: [0, 2] },
    { name: "the bounds of zero replicas are zero", replicas: 0, given: {}, want: [0, 0] },
    { name: "an invalid bound counts as zero", replicas: 4, given: { maxSurge: "x", maxUnavailable: "25%" }, want: [0, 1] },
  ])("$name", ({ replicas, given, want }) => {
    const { maxSurge, maxUnavailable } = bounds(deployment(replicas, given));
    expect([maxSurge, maxUnavailable]).toEqual(want);
  });
});

describe("a rolling update", () => {
  test("adds as many new pods as the surge allows", () => {
    const current = set("new", { replicas: 0 });
    expect(told(planRolling(deployment(4), current, [set("old", { replicas: 4 })]))).toEqual({ new: 1 });
  });

  test("deletes old pods while enough pods are available", () => {
    const current = set("new", { replicas: 1, available: 0 });
    expect(told(planRolling(deployment(4), current, [set("old", { replicas: 4 })]))).toEqual({ old: 3 });
  });

  test("deletes old pods that never became available first, starting with the oldest set", () => {
    const old = [set("younger", { replicas: 3, available: 3, created: 2 }), set("older", { replicas: 2, available: 0, created: 1 })];
    const current = set("new", { replicas: 1, available: 1, created: 3 });
    expect(told(planRolling(deployment(5, { maxSurge: 1, maxUnavailable: 1 }), current, old))).toEqual({ older: 0 });
  });

  test("waits while new pods are not available", () => {
    const current = set("new", { replicas: 2, available: 0 });
    expect(planRolling(deployment(4), current, [set("old", { replicas: 3 })])).toEqual([]);
  });

  test("scales a set with too many pods down at once", () => {
    expect(told(planRolling(deployment(2), set("new", { replicas: 5 }), []))).toEqual({ new: 2 });
  });
});

test("a Recreate rollout deletes all old pods, and then creates all new ones at once", () => {
  expect(told(planRecreate([set("a", { replicas: 2 }), set("b", { replicas: 0 })]))).toEqual({ a: 0 });
  expect(currentReplicas(deployment(3, "Recreate"), undefined, [])).toBe(3);
});

describe("scaling", () => {
  test("is detected by the annotation of a set with pods", () => {
    const revisions = { current: set("new", { replicas: 3, desired: 3 }), old: [] };
    expect([isScaled(deployment(3), revisions), isScaled(deployment(4), revisions)]).toEqual([false, true]);
  });

  test("changes the only set that has pods", () => {
    const revisions = { current: set("new", { replicas: 3 }), old: [set("old", { replicas: 0 })] };
    expect(told(planScale(deployment(7), revisions))).toEqual({ new: 7 });
  });

  test("keeps the share of each set during a rollout, and the largest set gets the remainder", () => {
    const current = set("new", { replicas: 5, available: 0, desired: 10, max: 13, created: 2 });
    const old = [set("old", { replicas: 8, desired: 10, max: 13, created: 1 })];
    const plan = told(planScale(deployment(15, { maxSurge: 3, maxUnavailable: 2 }), { current, old }));
    expect(plan).toEqual({ old: 11, new: 7 });
  });

  test("to zero deletes all pods", () => {
    const current = set("new", { replicas: 2, available: 0, desired: 4, max: 5 });
    expect(told(planScale(deployment(0), { current, old: [set("old", { replicas: 3, desired: 4, max: 5 })] }))).toEqual({ new: 0, old: 0 });
  });
});
