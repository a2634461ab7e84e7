/**
 * What a dependent costs in a pass that finds it as desired: (a pass with ten dependents - a pass with none) / 10.
 * Goal: 10 us. The ratio to JSON.parse of one dependent makes machines comparable.
 */
import { defineResource, type KubernetesObject } from "@treadle/apimachinery";
import { Deployment } from "@treadle/apimachinery/kinds";
import { type AnyHandler, conditions, handler } from "@treadle/reconcile";
import { dependentApply } from "@treadle/dependents";
import { readyStatus } from "@treadle/testing";
import { z } from "zod";
import { type SettledPass, settledWorld } from "./src/settled-pass.ts";
import { median } from "./src/timing.ts";

const COUNT = 10;
const ROUNDS = 3_000;

const App = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  spec: z.object({ image: z.string(), replicas: z.int32() }),
});

const deployment = (name: string) =>
  dependentApply(App, {
    name,
    kind: Deployment,
    objectName: ({ metadata }) => `${metadata.name}-${name}`,
    desired: ({ metadata, spec }) => ({
      spec: {
        replicas: spec.replicas,
        selector: { matchLabels: { app: metadata.name, part: name } },
        template: {
          metadata: { labels: { app: metadata.name, part: name } },
          spec: {
            containers: [
              {
                name: "main",
                image: spec.image,
                env: [{ name: "PART", value: name }],
                ports: [{ name: "http", containerPort: 8080 }],
                resources: { requests: { cpu: "100m", memory: "128Mi" } },
              },
            ],
          },
        },
      },
    }),
  });

/** No controller runs here. A Deployment that is not ready is judged in each pass, and the pass ends there. */
const complete = (object: KubernetesObject): KubernetesObject =>
  object.kind === Deployment.kind ? Object.assign({ ...object }, { status: readyStatus(object) }) : object;
const world = await settledWorld({ owner: App, complete });

async function settledPass(name: string, built: AnyHandler): Promise<SettledPass> {
  const app = await world.client.create(App, { metadata: { name, namespace: "ns" }, spec: { image: "registry/app:1", replicas: 2 } });
  return await world.settle(app, built);
}

const names = Array.from({ length: COUNT }, (_, i) => `part${i}`);
const none = await settledPass("none", handler(App).step(conditions()).build());
const many = await settledPass(
  "many",
  names
    .reduce(
      (builder, name) => builder.step(deployment(name)),
      handler(App, { name: "many.bench.treadle.dev" }).step(conditions({ ready: false })),
    )
    .build(),
);
const text = JSON.stringify([...world.cached()].find(({ kind }) => kind === "Deployment"));

await none.microseconds(ROUNDS);
await many.microseconds(ROUNDS);
const each: number[] = [];
for (let i = 0; i < 5; i++) each.push(((await many.microseconds(ROUNDS)) - (await none.microseconds(ROUNDS))) / COUNT);
const parseStarted = process.cpuUsage();
for (let i = 0; i < ROUNDS; i++) JSON.parse(text);
const parseUs = process.cpuUsage(parseStarted).user / ROUNDS;
const us = median(each);

console.log(
  `a settled dependent: ${us.toFixed(1)} us (goal 10), ${(us / parseUs).toFixed(1)} times JSON.parse of it (${each.map((one) => one.toFixed(1)).join(", ")})`,
);
