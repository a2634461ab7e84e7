/**
 * Whatever is done to a StatefulSet, a DaemonSet and a Job, in whatever order and at whatever moment, the end is what the
 * last spec says, and then nothing is written any more:
 * - as many pods of the set as wanted, all of the last template, ready, with the ordinals from zero on;
 * - one pod of the last template on each node;
 * - the Job complete, with as many successes as wanted, and no pod that waits to be counted.
 */
import { fakeClock, type Random, seededRandom } from "@treadle/apimachinery";
import { expect, test } from "vitest";
import { createApiServer } from "../../src/index.ts";
import type { Json } from "../conformance/session.ts";
import { type Objects, requests, type Stage, template } from "./scenario.ts";

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

test.for(SEEDS)("the final state does not depend on the order of changes: seed %d", async (seed) => {
  const random = seededRandom(seed);
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(seed), workloads: { nodes: 2 }, garbageCollection: true });
  const stage = requests(server.transport(), "default");
  const pass = async (ms: number): Promise<void> => {
    await server.settled();
    for (let left = ms; left > 0; left -= 500) {
      await clock.advance(Math.min(500, left));
      await server.settled();
    }
  };
  try {
    const podManagementPolicy = pick(random, ["OrderedReady", "Parallel"]);
    await stage.create("statefulsets", {
      metadata: { name: "db" },
      spec: { ...spec("db"), replicas: 3, serviceName: "db", podManagementPolicy },
    });
    const rollingUpdate = pick(random, [{ maxSurge: 1, maxUnavailable: 0 }, { maxUnavailable: 1 }]);
    await stage.create("daemonsets", { metadata: { name: "agent" }, spec: { ...spec("agent"), updateStrategy: { rollingUpdate } } });
    const completionMode = pick(random, ["Indexed", "NonIndexed"]);
    const job = { completions: 6, parallelism: 2, backoffLimit: 100, completionMode };
    await stage.create("jobs", {
      metadata: { name: "work" },
      spec: { ...job, template: template("work", { spec: { restartPolicy: "Never" } }) },
    });
    for (let change = 0; change < 10; change++) {
      await pass(pick(random, [0, 0, 250, 1_000, 2_500, 10_000]));
      await act(random, stage, await stage.objects());
    }
    await stage.merge("jobs", "work", { spec: { suspend: false } });
    await stage.merge("statefulsets", "db", { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
    await pass(900_000);
    const { events: _, ...settled } = await stage.objects();
    check(settled as Objects);
    await clock.advance(86_400_000);
    await server.settled();
    expect(await stage.objects(), "settled workloads write nothing, and their events expire").toEqual({ ...settled, events: [] });
  } finally {
    await server.close();
  }
});

function spec(app: string): Json {
  return { selector: { matchLabels: { app } }, template: template(app) };
}

async function act(
  random: Random,
  { merge, remove, create }: Omit<Stage, "settle" | "report">,
  { pods, jobs: [job] }: Objects,
): Promise<void> {
  const image = (): Json => ({
    spec: { template: { spec: { containers: [{ name: "main", image: `app:${Math.floor(random.next() * 3)}` }] } } },
  });
  const isOver = ((job?.["status"]?.conditions ?? []) as Json[]).some(({ type }) => type === "Complete");
  const what = pick(random, [
    "image",
    "daemon image",
    "scale",
    "partition",
    "pod",
    "pod",
    "suspend",
    "resume",
    "parallelism",
    "node",
  ] as const);
  switch (what) {
    case "image":
      return void (await merge("statefulsets", "db", image()));
    case "daemon image":
      return void (await merge("daemonsets", "agent", image()));
    case "scale":
      return void (await merge("statefulsets", "db", { spec: { replicas: Math.floor(random.next() * 5) } }));
    case "partition":
      return void (await merge("statefulsets", "db", {
        spec: { updateStrategy: { rollingUpdate: { partition: pick(random, [0, 1, 9]) } } },
      }));
    case "pod": {
      const pod = pick(random, pods);
      if (pod !== undefined && pod["metadata"].deletionTimestamp === undefined) await remove("pods", pod["metadata"].name);
      return;
    }
    case "suspend":
    case "resume":
      if (!isOver) await merge("jobs", "work", { spec: { suspend: what === "suspend" } });
      return;
    case "parallelism":
      if (!isOver) await merge("jobs", "work", { spec: { parallelism: 1 + Math.floor(random.next() * 4) } });
      return;
    case "node":
      return void (await create("nodes", { metadata: { generateName: "default-" } }));
  }
}

function check({ statefulsets: [set], daemonsets: [daemons], jobs: [job], pods }: Objects): void {
  const of = (app: string): readonly Json[] => pods.filter(({ metadata }) => metadata.labels.app === app);
  const imageOf = (object: Json | undefined): unknown => object?.["spec"].template.spec.containers[0].image;
  const replicas: number = set?.["spec"].replicas;
  expect(of("db").map(({ metadata }) => metadata.name)).toEqual(Array.from({ length: replicas }, (_, ordinal) => `db-${ordinal}`));
  expect(new Set(of("db").map((pod) => pod["spec"].containers[0].image))).toEqual(new Set(replicas === 0 ? [] : [imageOf(set)]));
  expect(set?.["status"]).toMatchObject({ replicas, availableReplicas: replicas, observedGeneration: set?.["metadata"].generation });
  expect(set?.["status"].currentRevision).toBe(set?.["status"].updateRevision);
  const wanted: number = daemons?.["status"].desiredNumberScheduled;
  expect(wanted).toBeGreaterThanOrEqual(2);
  expect(new Set(of("agent").map((pod) => pod["spec"].nodeName)).size).toBe(wanted);
  expect(of("agent").map((pod) => pod["spec"].containers[0].image)).toEqual(Array.from({ length: wanted }, () => imageOf(daemons)));
  expect(daemons?.["status"]).toMatchObject({ numberAvailable: wanted, updatedNumberScheduled: wanted, numberMisscheduled: 0 });
  expect(job?.["status"]).toMatchObject({ succeeded: 6, uncountedTerminatedPods: {} });
  expect(job?.["status"].conditions.at(-1)).toMatchObject({ type: "Complete", status: "True" });
  expect(of("work").filter(({ metadata }) => metadata.finalizers !== undefined)).toEqual([]);
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random.next() * list.length)] as T; // of an empty list nothing
}
