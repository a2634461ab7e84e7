/**
 * What a component of ten resources costs in a pass that finds all of them as desired: the whole pass, and its ratio to a pass with
 * the same ten dependents in the list of the handler. Goal: 150 us.
 */
import { defineResource, groupKindOf, type Kind, type KubernetesObject, keyOf, systemClock } from "@treadle/apimachinery";
import { Deployment, Namespace } from "@treadle/apimachinery/kinds";
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { type AnyHandler, conditions, handler, type Logger } from "@treadle/reconcile";
import { createReconciler, type Reconciler } from "@treadle/reconcile/unstable/engine";
import { component } from "@treadle/components";
import { dependentApply } from "@treadle/dependents";
import { readyStatus } from "@treadle/testing";
import { z } from "zod";

const COUNT = 10;
const ROUNDS = 3_000;

const App = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
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

const server = createApiServer({ clock: systemClock, resources: [App] });
const client = createClient({ transport: server.transport(), clock: systemClock, fieldManager: "bench" });
await client.create(Namespace, { metadata: { name: "ns" } });

/** As the store of an informer: objects by name, and an index of the label that is selected by. */
const objects = new Map<string, KubernetesObject>();
const put = (object: KubernetesObject): void => void objects.set(`${object.kind} ${keyOf(object.metadata)}`, freeze(withStatus(object)));
/** No controller runs here. A Deployment that is not ready is judged in each pass, and the pass ends there. */
const withStatus = (object: KubernetesObject): KubernetesObject =>
  object.kind === Deployment.kind ? Object.assign({ ...object }, { status: readyStatus(object) }) : object;
const labelled = (value: string | undefined): readonly KubernetesObject[] => byOwner.get(value ?? "") ?? [];
let byOwner = new Map<string, KubernetesObject[]>();
function index(): void {
  byOwner = new Map();
  for (const object of objects.values()) {
    const value = Object.entries(object.metadata.labels ?? {}).find(([key]) => key.endsWith("/owner-id"))?.[1] ?? "";
    byOwner.set(value, [...(byOwner.get(value) ?? []), object]);
  }
}

function freeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}

const log: Logger = { debug() {}, info() {}, warn: console.warn, error: console.error };

async function settledPass(name: string, built: AnyHandler): Promise<{ readonly reconciler: Reconciler; readonly name: string }> {
  put(await client.create(App, { metadata: { name, namespace: "ns" }, spec: { image: "registry/app:1", replicas: 2 } }));
  const reconciler = createReconciler(built, {
    client,
    clock: systemClock,
    log,
    cache: {
      get: (kind, ref) => objects.get(`${kind.kind} ${keyOf(ref)}`) as never,
      list: (kind: Kind, select = {}) => {
        const wanted = Object.entries(select.matchLabels ?? {});
        const owner = wanted.find(([key]) => key.endsWith("/owner-id"))?.[1];
        return labelled(owner).filter(
          (object) => object.kind === kind.kind && wanted.every(([key, value]) => object.metadata.labels?.[key] === value),
        ) as never;
      },
    },
    observeWrite: put,
    observeOther: (kind, object) => {
      if (groupKindOf(kind) === groupKindOf(Deployment)) put(object);
    },
  });
  for (let i = 0; i < 2 * COUNT; i++) {
    await reconciler.pass({ namespace: "ns", name });
    index();
  }
  return { reconciler, name };
}

/** Of the processor, so that other programs on the machine do not count. */
async function microseconds({ reconciler, name }: { readonly reconciler: Reconciler; readonly name: string }): Promise<number> {
  const ref = { namespace: "ns", name };
  const started = process.cpuUsage();
  for (let i = 0; i < ROUNDS; i++) await reconciler.pass(ref);
  const { user, system } = process.cpuUsage(started);
  return (user + system) / ROUNDS;
}

const names = Array.from({ length: COUNT }, (_, i) => `part${i}`);
const listed = await settledPass(
  "listed",
  names
    .reduce(
      (builder, name) => builder.step(deployment(name)),
      handler(App, { name: "listed.bench.treadle.dev" }).step(conditions({ ready: false })),
    )
    .build(),
);
const feature = component(App, {
  name: "feature",
  condition: "FeatureReady",
  graceMs: 300_000,
  suspended: ({ spec }) => spec.replicas === 0,
  resources: names.map((name) => deployment(`${name}-of-feature`)),
});
const grouped = await settledPass("grouped", handler(App).step(conditions()).step(feature).build());
const stored = await client.get(App, { namespace: "ns", name: "grouped" });
const { status, reason } = stored?.status?.conditions?.find(({ type }) => type === "FeatureReady") ?? {};
if (status !== "True" || reason !== "Healthy") throw new Error(`the component did not settle: ${status} ${reason}`);

await microseconds(listed);
await microseconds(grouped);
const rounds: { readonly grouped: number; readonly ratio: number }[] = [];
for (let i = 0; i < 5; i++) {
  const us = await microseconds(grouped);
  rounds.push({ grouped: us, ratio: us / (await microseconds(listed)) });
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[2] ?? 0;
console.log(
  `a pass over a settled component of ten: ${median(rounds.map((each) => each.grouped)).toFixed(0)} us (goal 150), ${median(rounds.map(({ ratio }) => ratio)).toFixed(2)} times that of ten dependents (${rounds.map((each) => each.grouped.toFixed(0)).join(", ")})`,
);
