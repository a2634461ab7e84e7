/** Operators that wait for what simulated controllers of workloads do: the faults strike the operator only. */
import { controllerReference } from "@treadle/apimachinery";
import { Deployment } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler, one, step } from "@treadle/reconcile";
import { explore } from "@treadle/testing/explore";
import { expect, test } from "vitest";
import { explored } from "./planted/explored.ts";
import { Thing } from "./planted/thing.ts";

const desired = ({ metadata: { name }, spec }: Thing) => ({
  replicas: spec.size,
  selector: { matchLabels: { app: name } },
  template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "main", image: "example.com/main:1" }] } },
});

/** Keeps a Deployment, and tells how many of its replicas are ready. `isForgetful`: tells it once. */
const keeps = (isForgetful: boolean): AnyHandler =>
  handler(Thing)
    .step(conditions())
    .step(
      step(Thing, {
        name: "web",
        owns: [Deployment],
        reads: { web: one(Deployment, (thing) => thing.metadata.name) },
        async do(req) {
          const { object, reads } = req;
          const { name } = object.metadata;
          if (reads.web?.spec?.replicas !== object.spec.size) {
            const metadata = { name, ownerReferences: [controllerReference(object)] };
            await req.client.apply(Deployment, { metadata, spec: desired(object) } as never, { existing: reads.web as never });
            return req.wait("the Deployment was changed");
          }
          const { readyReplicas = 0, observedGeneration } = reads.web.status ?? {};
          const isDone = readyReplicas === object.spec.size && observedGeneration === reads.web.metadata.generation;
          if (!isDone) return req.wait(`${readyReplicas} of ${object.spec.size} are ready`);
          if (!isForgetful || object.status?.seen === undefined) req.status.seen = readyReplicas;
          return;
        },
      }),
    )
    .build();

const scenario = {
  workloads: true,
  async run(cluster: Parameters<NonNullable<Parameters<typeof explore>[1]["run"]>>[0]) {
    await cluster.create(Thing, { metadata: { name: "a" }, spec: { size: 1 } });
    await cluster.settled();
    await cluster.update(Thing, "a", (thing) => {
      thing.spec.size = 2;
    });
  },
};

test("an operator that waits for its Deployment comes to the same end with every fault", { tags: ["long"], timeout: 600_000 }, async () => {
  const { summary, points } = await explore(keeps(false), scenario);
  console.info(`workloads: ${summary}`);
  expect(points).toBeGreaterThan(20);
});

test("an operator that reports only once is found by the number of replicas it has seen", {
  tags: ["long"],
  timeout: 600_000,
}, async () => {
  const { failures } = await explored(keeps(true), scenario, { points: ["away"] });
  expect(failures.map(({ id }) => id)).toEqual(["away@1"]);
});
