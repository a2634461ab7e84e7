import { Deployment, Pod, Secret } from "@treadle/apimachinery/kinds";
import { expect, test } from "vitest";
import { workloadsInProgress } from "./workload-progress.ts";

const metadata = { name: "web", namespace: "default", generation: 1 };
const counts = { replicas: 1, updatedReplicas: 1, availableReplicas: 1 };

test("workloadsInProgress() names the unfinished workloads", () => {
  const deployment = (status: object): object => ({ metadata, spec: { replicas: 1 }, status });
  const inProgress = (...objects: object[]): readonly string[] =>
    workloadsInProgress([
      { kind: Deployment, objects: objects as Deployment[] },
      { kind: Pod, objects: [{ apiVersion: "v1", kind: "Pod", metadata }] },
      { kind: Secret, objects: [{ apiVersion: "v1", kind: "Secret", metadata }] },
    ]);
  expect(inProgress(deployment({}))).toEqual(["Deployment default/web", "Pod default/web"]);
  expect(inProgress(deployment({ observedGeneration: 1, ...counts, availableReplicas: 0 }))).toEqual([
    "Deployment default/web",
    "Pod default/web",
  ]);
  expect(inProgress(deployment({ observedGeneration: 1, ...counts }))).toEqual(["Pod default/web"]);
});
