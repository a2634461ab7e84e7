/** Many pods at the same time: each costs as much as a single one. */
import { fakeClock } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import { requests, template } from "./scenario.ts";

const PODS = 200;

test("pods that start together cause few syncs of their owners, and each node gets its share", async () => {
  const clock = fakeClock();
  const server = createApiServer({ clock, workloads: { nodes: 4 }, garbageCollection: true });
  try {
    await server.settled();
    const stage = requests(server.transport(), "default");
    const before = Number(server.resourceVersion);
    await stage.create("deployments", {
      metadata: { name: "web" },
      spec: { replicas: PODS, selector: { matchLabels: { app: "web" } }, template: template("web") },
    });
    await server.settled();
    expect(clock.nextDue(), "one time for all of them").toBe(server.workloads.nextDue());
    await clock.advance(1_000);
    await server.settled();
    const { deployments, pods } = await stage.objects();
    expect(deployments).toMatchObject([{ status: { readyReplicas: PODS } }]);
    const onNodes = Map.groupBy(pods, ({ spec }) => (spec as { readonly nodeName?: string }).nodeName);
    expect([...onNodes.values()].map(({ length }) => length)).toEqual(Array(4).fill(PODS / 4));
    // A pod is created, bound, reported as starting, and reported as running. Its events: scheduled, pulled, created, started.
    expect(Number(server.resourceVersion) - before).toBeLessThan((4 + 4) * PODS + 60);
  } finally {
    await server.close();
  }
});
