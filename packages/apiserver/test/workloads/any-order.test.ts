/**
 * Whatever is done to a Deployment, in whatever order and at whatever moment of its rollouts, the end is what its last spec
 * says, and then nothing is written any more:
 * - as many pods as wanted, all of the last template, all ready, all owned by the one ReplicaSet of that template;
 * - no ReplicaSet beyond the limit of revisions, none with pods of an older template.
 */
import { fakeClock, type Random, seededRandom } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import type { Json } from "../conformance/session.ts";
import { type Objects, requests, type Stage, template } from "./scenario.ts";

const SEEDS = Array.from({ length: 25 }, (_, index) => index + 1);

test.for(SEEDS)("the final state does not depend on the order of changes: seed %d", async (seed) => {
  const random = seededRandom(seed);
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(seed), workloads: { nodes: 2 }, garbageCollection: true });
  const stage = requests(server.transport(), "default");
  const pass = async (ms: number): Promise<void> => {
    for (let left = ms; left > 0; left -= 250) {
      await server.settled();
      await clock.advance(Math.min(250, left));
    }
    await server.settled();
  };
  try {
    const strategy = pick(random, STRATEGIES);
    await stage.create("deployments", { metadata: { name: "web" }, spec: { ...spec(3, "app:1"), strategy, revisionHistoryLimit: 2 } });
    const changes = 3 + Math.floor(random.next() * 6);
    for (let change = 0; change < changes; change++) {
      // Between two changes there may be no time, or enough for a whole rollout.
      await pass(pick(random, [0, 0, 250, 1_000, 2_500, 15_000]));
      await act(random, stage, await stage.objects());
    }
    await stage.merge("deployments", "web", { spec: { paused: null } });
    await pass(60_000);
    const { events: _, ...settled } = await stage.objects();
    check(settled as Objects);
    await clock.advance(86_400_000);
    await server.settled();
    expect(await stage.objects(), "a settled Deployment writes nothing, and its events expire").toEqual({ ...settled, events: [] });
  } finally {
    await server.close();
  }
});

const STRATEGIES = [
  { type: "Recreate" },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  { type: "RollingUpdate", rollingUpdate: { maxSurge: "50%", maxUnavailable: "50%" } },
] as const;

function spec(replicas: number, image: string): Json {
  return { replicas, selector: { matchLabels: { app: "web" } }, template: template("web", { image }) };
}

async function act(
  random: Random,
  stage: Omit<Stage, "settle" | "report">,
  { deployments: [deployment], pods, replicasets }: Objects,
): Promise<void> {
  const change = pick(random, ["image", "image", "scale", "pause", "resume", "delete a pod", "scale a set", "release a pod"] as const);
  const merge = (body: Json): Promise<Json> => stage.merge("deployments", "web", { spec: body });
  switch (change) {
    case "image":
      await merge({ template: template("web", { image: pick(random, ["app:1", "app:2", "app:3"]) }) });
      break;
    case "scale":
      await merge({ replicas: Math.floor(random.next() * 7) });
      break;
    case "pause":
    case "resume":
      await merge({ paused: change === "pause" ? true : null });
      break;
    case "delete a pod":
      if (pods.length > 0) await stage.remove("pods", pick(random, pods)["metadata"].name);
      break;
    case "scale a set":
      // With two sets that have pods, a scaled Recreate rollout does not continue, because it has no shares.
      if (replicasets.length > 0 && deployment?.["spec"].strategy.type !== "Recreate")
        await stage.merge("replicasets", pick(random, replicasets)["metadata"].name, { spec: { replicas: Math.floor(random.next() * 4) } });
      break;
    case "release a pod":
      if (pods.length > 0) await stage.merge("pods", pick(random, pods)["metadata"].name, { metadata: { labels: { app: "free" } } });
      break;
  }
}

function check({ deployments: [deployment = {}], replicasets, pods: all }: Objects): void {
  const wanted = deployment["spec"].replicas as number;
  const pods = all.filter(({ metadata }) => metadata.labels.app === "web");
  const image = deployment["spec"].template.spec.containers[0].image as string;
  const active = replicasets.filter((set) => set["spec"].replicas > 0);
  const current = replicasets.filter((set) => set["spec"].template.spec.containers[0].image === image);
  expect(current, "one set has the template").toHaveLength(1);
  expect(active, "it alone has pods").toEqual(wanted === 0 ? [] : current);
  expect(replicasets.length, "old sets are forgotten").toBeLessThanOrEqual(3);
  expect(pods.map((pod) => [pod["spec"].containers[0].image, pod["status"].phase, pod["metadata"].ownerReferences[0].uid])).toEqual(
    Array.from({ length: wanted }, () => [image, "Running", current[0]?.["metadata"].uid]),
  );
  const {
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
    availableReplicas = 0,
    unavailableReplicas,
    observedGeneration,
  } = deployment["status"] as Json;
  expect({ replicas, updatedReplicas, readyReplicas, availableReplicas, unavailableReplicas }).toEqual({
    replicas: wanted,
    updatedReplicas: wanted,
    readyReplicas: wanted,
    availableReplicas: wanted,
    unavailableReplicas: undefined,
  });
  expect(observedGeneration).toBe(deployment["metadata"].generation);
}

function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[Math.floor(random.next() * choices.length)] as T; // there is at least one
}
