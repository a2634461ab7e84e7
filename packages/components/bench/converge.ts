/**
 * How long 1,000 owners with three components of four resources take until all conditions are True, compared with the bare API calls
 * (the same writes by a client, as many at once; goal: 1.3), and with the same dependents in one list without components. It also
 * reports the writes of each owner, those of its status, and the memory of an owner.
 *
 * The server runs in memory, in the same process. With TREADLE_TEST_KUBECONFIG it is a real one. BENCH_OWNERS sets the number of owners.
 */
import { defineResource, type Kind } from "@treadle/apimachinery";
import { ConfigMap, Event, NetworkPolicy, Secret, ServiceAccount } from "@treadle/apimachinery/kinds";
import { component } from "@treadle/components";
import { dependentApply } from "@treadle/dependents";
import { all, type AnyHandler, conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { z } from "zod";

const OWNERS = Number(process.env["BENCH_OWNERS"] ?? 1_000);
const AT_ONCE = 10;
const ROUNDS = 3;

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
const features = names.map((name) => ({
  name,
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
      name: `${name}-policy`,
      kind: NetworkPolicy,
      objectName: (app) => `${app.metadata.name}-${name}`,
      desired: (app) => ({ spec: { podSelector: { matchLabels: { app: app.metadata.name } } } }),
    }),
  ],
}));
const ofComponents = handler(App)
  .step(conditions())
  .step(
    all(
      "components",
      features.map(({ name, resources }) =>
        component(App, { name, condition: `${name[0]?.toUpperCase()}${name.slice(1)}Ready`, graceMs: 300_000, resources }),
      ),
    ),
  )
  .build();
const ofDependents = handler(App)
  .step(conditions())
  .step(
    all(
      "dependents",
      features.flatMap(({ resources }) => resources),
    ),
  )
  .build();

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

async function operated(app: AnyHandler): Promise<Run & { readonly requests: string; readonly heapPerOwner: number }> {
  await using cluster = await withOwners();
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  const run = await timed(async () => {
    await cluster.start(app, { controller: { concurrency: AT_ONCE } });
    await cluster.settled({ timeoutMs: 600_000 });
  });
  const found = await cluster.client.list(App, { namespace: "default" });
  const isReady = ({ status }: (typeof found.items)[number]): boolean =>
    status?.conditions?.every((condition) => condition.status === "True") === true;
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
        await apply(NetworkPolicy, { spec: { podSelector: { matchLabels: { app: `app-${i}` } } } });
      }
      const body = { status: { conditions: names.map((type) => condition(type)) } };
      await client.patch(App, { name: `app-${i}`, namespace: "default" }, { type: "merge", body }, { subresource: "status" });
    }),
  );
}

/** As an operator records it. */
const eventOf = (i: number, reason: string) => ({
  metadata: { generateName: `app-${i}-`, namespace: "default" },
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
await operated(ofComponents);
const rounds: { readonly toBare: number; readonly toListed: number }[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const without = await bare();
  const listed = await operated(ofDependents);
  const grouped = await operated(ofComponents);
  rounds.push({ toBare: grouped.ms / without.ms, toListed: grouped.ms / listed.ms });
  console.log(
    `${OWNERS} owners: ${grouped.ms.toFixed(0)} ms with components, ${listed.ms.toFixed(0)} ms without, ${without.ms.toFixed(0)} ms by bare calls; processor time ${(grouped.cpuMs / without.cpuMs).toFixed(2)} times that of bare calls, ${(grouped.cpuMs / listed.cpuMs).toFixed(2)} times that without components; ${grouped.requests}; ${(grouped.heapPerOwner / 1_024).toFixed(1)} KB of heap for each owner with its objects in server and operator (${(listed.heapPerOwner / 1_024).toFixed(1)} KB without components)`,
  );
}
const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
console.log(
  `converged in ${median(rounds.map(({ toBare }) => toBare)).toFixed(2)} times the time of the bare calls (goal 1.3), ${median(rounds.map(({ toListed }) => toListed)).toFixed(2)} times that of the same dependents without components`,
);
