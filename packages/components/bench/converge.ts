/**
 * How long 1,000 owners with three components of four resources take until all conditions are True, compared with the bare API calls:
 * the same writes by a client, as many at once. One process and one server in memory, so the ratio is what counts. Goal: 1.3.
 * It also reports the writes of each owner, the status writes, and the memory of an owner.
 */
import { defineResource, type Kind, type KubernetesObject } from "@treadle/apimachinery";
import { ConfigMap, Event, Secret, Service, ServiceAccount } from "@treadle/apimachinery/kinds";
import { component } from "@treadle/components";
import { dependentApply } from "@treadle/dependents";
import { all, conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { z } from "zod";

const OWNERS = Number(process.env["BENCH_OWNERS"] ?? 1_000);
const AT_ONCE = 10;

const App = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ text: z.string() }),
});

const names = ["database", "cache", "web"] as const;
const components = names.map((name) =>
  component(App, {
    name,
    condition: `${name[0]?.toUpperCase()}${name.slice(1)}Ready`,
    graceMs: 300_000,
    resources: [
      dependentApply(App, {
        name: `${name}-settings`,
        kind: ConfigMap,
        objectName: (app) => `${app.metadata.name}-${name}`,
        desired: (app) => ({ data: { text: app.spec.text } }),
      }),
      dependentApply(App, {
        name: `${name}-password`,
        kind: Secret,
        objectName: (app) => `${app.metadata.name}-${name}`,
        desired: (app) => ({ stringData: { text: app.spec.text } }),
      }),
      dependentApply(App, {
        name: `${name}-account`,
        kind: ServiceAccount,
        objectName: (app) => `${app.metadata.name}-${name}`,
        desired: {},
      }),
      dependentApply(App, {
        name: `${name}-service`,
        kind: Service,
        objectName: (app) => `${app.metadata.name}-${name}`,
        desired: (app) => ({ spec: { selector: { app: app.metadata.name }, ports: [{ port: 80 }] } }),
      }),
    ],
  }),
);
const app = handler(App).step(conditions()).step(all("components", components)).build();

interface Run {
  readonly ms: number;
  readonly cpuMs: number;
}

async function timed(work: () => Promise<void>): Promise<Run> {
  const started = performance.now();
  const cpu = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { ms: performance.now() - started, cpuMs: (user + system) / 1_000 };
}

async function withOwners(): Promise<TestCluster> {
  const cluster = await startTestCluster({ time: "real", checkStatus: false, kinds: [App] });
  await cluster.install(App);
  await each(async (i) => void (await cluster.client.create(App, owner(i))));
  return cluster;
}

const owner = (i: number) => ({ metadata: { name: `app-${i}`, namespace: "default" }, spec: { text: `text of ${i}` } });

/** Runs work for each owner, as many at once as the operator. */
async function each(work: (i: number) => Promise<void>): Promise<void> {
  const rest = Array.from({ length: OWNERS }, (_, i) => i).values();
  const worker = async (): Promise<void> => {
    for (const i of rest) await work(i);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

async function operated(): Promise<Run & { readonly requests: string; readonly heapPerOwner: number }> {
  await using cluster = await withOwners();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const run = await timed(async () => {
    await cluster.start(app, { controller: { concurrency: AT_ONCE } });
    await cluster.settled({ timeoutMs: 600_000 });
  });
  const found = await cluster.client.list(App, { namespace: "default" });
  const isReady = (
    object: KubernetesObject & {
      readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
    },
  ) => object.status?.conditions?.filter(({ status }) => status === "True").length === names.length + 1;
  if (!found.items.every(isReady)) throw new Error("not all owners are ready");
  const writes = cluster.requests.filter({ verb: ["create", "update", "patch", "apply"] });
  const status = writes.filter(({ subresource }) => subresource === "status").length;
  const requests = `${(writes.length / OWNERS).toFixed(2)} writes for each owner, of which ${(status / OWNERS).toFixed(2)} of the status`;
  globalThis.gc?.();
  return { ...run, requests, heapPerOwner: (process.memoryUsage().heapUsed - before) / OWNERS };
}

/** The same writes, without an operator. */
async function bare(): Promise<Run> {
  await using cluster = await withOwners();
  const { client } = cluster;
  const metadata = (i: number, name: string) => ({
    name: `app-${i}-${name}`,
    namespace: "default",
    labels: { app: `app-${i}`, part: name },
  });
  return await timed(() =>
    each(async (i) => {
      await client.patch(
        App,
        { name: `app-${i}`, namespace: "default" },
        { type: "merge", body: { metadata: { finalizers: ["bench.treadle.dev/app"] } } },
      );
      for (const name of names) {
        const at = metadata(i, name);
        const apply = async (kind: Kind, fields: object): Promise<void> => {
          await client.apply(kind, { metadata: at, ...fields }, { fieldManager: "bench", force: true });
          await client.create(Event, eventOf(i, `Created${kind.kind}`));
        };
        await apply(ConfigMap, { data: { text: `text of ${i}` } });
        await apply(Secret, { data: { text: btoa(`text of ${i}`) } });
        await apply(ServiceAccount, {});
        await apply(Service, { spec: { selector: { app: `app-${i}` }, ports: [{ port: 80 }] } });
      }
      const body = { status: { conditions: names.map((type) => condition(type)) } };
      await client.patch(App, { name: `app-${i}`, namespace: "default" }, { type: "merge", body }, { subresource: "status" });
    }),
  );
}

/** As an operator records it. */
const eventOf = (i: number, reason: string) => ({
  metadata: { generateName: `app-${i}.`, namespace: "default" },
  eventTime: new Date().toISOString().replace("Z", "000Z"),
  reportingController: "app.bench.treadle.dev",
  reportingInstance: "bench",
  action: "component",
  type: "Normal",
  reason,
  note: "component created an object",
  regarding: { apiVersion: "bench.treadle.dev/v1", kind: "App", name: `app-${i}`, namespace: "default" },
});

const condition = (type: string) => ({
  type: `${type}Ready`,
  status: "True",
  reason: "Healthy",
  message: "Component is ready.",
  lastTransitionTime: "2026-01-01T00:00:00Z",
});

await bare(); // The first run compiles the code.
const ratios: number[] = [];
for (let round = 0; round < 3; round++) {
  const without = await bare();
  const { requests, heapPerOwner, ...withOperator } = await operated();
  ratios.push(withOperator.ms / without.ms);
  console.log(
    `${OWNERS} owners: ${withOperator.ms.toFixed(0)} ms by the operator, ${without.ms.toFixed(0)} ms by bare calls, ratio ${(withOperator.ms / without.ms).toFixed(2)} (processor ${(withOperator.cpuMs / without.cpuMs).toFixed(2)}); ${requests}; ${(heapPerOwner / 1_024).toFixed(1)} KB of heap for each owner with its objects in server and operator`,
  );
}
console.log(`converged in ${(ratios.toSorted((a, b) => a - b)[1] ?? 0).toFixed(2)} times the time of the bare calls (goal 1.3)`);
