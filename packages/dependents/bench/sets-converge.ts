/**
 * How long 1,000 owners with a set of ten objects take until all conditions are True, compared with the bare API calls (the same
 * writes by a client, as many at once; goal: 1.3). It also reports the requests, and the watches of each kind.
 *
 * The server runs in memory, in the same process. With TREADLE_TEST_KUBECONFIG it is a real one. BENCH_OWNERS sets the number of owners.
 */
import type { Kind } from "@treadle/apimachinery";
import { ConfigMap, Event, Secret, ServiceAccount } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { Fleet, fleetOf, MIXED, mixed } from "./src/fleet.ts";
import { each, median, type Run, timed } from "./src/timing.ts";

const OWNERS = Number(process.env["BENCH_OWNERS"] ?? 1_000);
const OBJECTS = 10;
const AT_ONCE = 10;
const ROUNDS = 5;
const KINDS: Readonly<Record<string, Kind>> = { ConfigMap, Secret, ServiceAccount };

const fleetNamed = (i: number) => ({
  metadata: { name: `fleet-${i}`, namespace: "default" },
  spec: { size: OBJECTS, text: `text of ${i}` },
});

async function withOwners(): Promise<TestCluster> {
  const cluster = await startTestCluster({ time: "real", checkStatus: false, kinds: [Fleet] });
  await cluster.install(Fleet);
  await each(OWNERS, AT_ONCE, async (i) => void (await cluster.client.create(Fleet, fleetNamed(i))));
  return cluster;
}

interface Operated extends Run {
  readonly requests: Readonly<Record<string, number>>;
}

async function operated(): Promise<Operated> {
  await using cluster = await withOwners();
  const run = await timed(async () => {
    await cluster.start(fleetOf(MIXED, mixed), { controller: { concurrency: AT_ONCE } });
    await cluster.settled({ timeoutMs: 600_000 });
  });
  const { items } = await cluster.client.list(Fleet, { namespace: "default" });
  const waiting = items.filter(({ status }) => status?.conditions?.every((condition) => condition.status === "True") !== true);
  if (waiting.length > 0) throw new Error(`${waiting.length} owners are not ready, e.g. ${JSON.stringify(waiting[0]?.status?.conditions)}`);
  return { ...run, requests: cluster.requests.summary() };
}

/** The same writes, without an operator. `events` says how many events the operator records for an owner. */
async function bare(events: number): Promise<Run> {
  await using cluster = await withOwners();
  const { client } = cluster;
  return await timed(() =>
    each(OWNERS, AT_ONCE, async (i) => {
      const { metadata, spec } = fleetNamed(i);
      const finalizers = ["bench.treadle.dev/fleet"];
      await client.patch(Fleet, metadata, { type: "merge", body: { metadata: { finalizers } } });
      const patchStatus = (body: object): Promise<unknown> =>
        client.patch(Fleet, metadata, { type: "merge", body: { status: body } }, { subresource: "status" });
      await patchStatus({ steps: { fleet: { kinds: MIXED.map(({ kind }) => kind) } } });
      for (const { kind, ...manifest } of mixed({ metadata, spec } as Fleet)) {
        const at = { ...manifest.metadata, namespace: "default", labels: { fleet: metadata.name, part: "fleet" } };
        const known = KINDS[kind];
        if (known === undefined) throw new Error(`${kind} is not in KINDS`);
        await client.apply(known, { ...manifest, metadata: at }, { fieldManager: "bench", force: true });
      }
      for (let n = 0; n < events; n++) await client.create(Event, eventOf(i));
      await patchStatus({ conditions: [READY, { ...READY, type: "FleetReady" }] });
    }),
  );
}

/** As an operator records it. */
const eventOf = (i: number) => ({
  metadata: { generateName: `fleet-${i}-`, namespace: "default" },
  eventTime: new Date().toISOString().replace("Z", "000Z"),
  reportingController: "fleet.bench.treadle.dev",
  reportingInstance: "bench",
  action: "fleet",
  type: "Normal",
  reason: "Created",
  note: "fleet created an object",
  regarding: { apiVersion: "bench.treadle.dev/v1", kind: "Fleet", name: `fleet-${i}`, namespace: "default" },
});

const READY = { type: "Ready", status: "True", reason: "Ready", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };

const { requests } = await operated(); // The first run compiles the code.
const events = Math.round((requests["create events"] ?? 0) / OWNERS);
await bare(events);
const ratios: { readonly ms: number; readonly cpuMs: number }[] = [];
for (let round = 0; round < ROUNDS; round++) {
  const without = await bare(events);
  const set = await operated();
  ratios.push({ ms: set.ms / without.ms, cpuMs: set.cpuMs / without.cpuMs });
  console.log(
    `${OWNERS} owners with ${OBJECTS} objects: ${set.ms.toFixed(0)} ms with sets, ${without.ms.toFixed(0)} ms by bare calls; processor time ${(set.cpuMs / without.cpuMs).toFixed(2)} times that of bare calls`,
  );
}
const counts = Object.entries(requests).map(([what, count]) => `${what} ${count}`);
console.log(`requests: ${counts.join(", ")}`);
console.log(
  `converged in ${median(ratios.map(({ ms }) => ms)).toFixed(2)} times the time of the bare calls (goal 1.3), processor time ${median(ratios.map(({ cpuMs }) => cpuMs)).toFixed(2)} times`,
);
