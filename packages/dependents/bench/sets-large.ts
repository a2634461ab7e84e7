/**
 * The limits of one large set: the bytes of the status of an owner with 5,000 objects (goal 64 KB), while no object is ready and when all
 * are; and the time of a wave of 50 objects at a latency of 50 ms for each request (goal 500 ms).
 */
import { setTimeout as sleep } from "node:timers/promises";
import { ConfigMap, Deployment } from "@treadle/apimachinery/kinds";
import { object } from "@treadle/dependents";
import { startTestCluster } from "@treadle/testing";
import { type Fleet as FleetObject, Fleet, fleetOf } from "./src/fleet.ts";
import { median } from "./src/timing.ts";

const LARGE = 5_000;
const WAVE = 50;
const LATENCY_MS = 50;
const ROUNDS = 5;

const maps = ({ metadata, spec }: FleetObject) =>
  Array.from({ length: spec.size }, (_, i) =>
    object(ConfigMap, { metadata: { name: `${metadata.name}-${i}` }, data: { text: spec.text } }),
  );
/** No controller runs them here, so they are not ready. */
const deployments = ({ metadata, spec }: FleetObject) =>
  Array.from({ length: spec.size }, (_, i) => {
    const labels = { app: `${metadata.name}-${i}` };
    const template = { metadata: { labels }, spec: { containers: [{ name: "main", image: spec.text }] } };
    return object(Deployment, { metadata: { name: labels.app }, spec: { selector: { matchLabels: labels }, template } });
  });

const fleet = (size: number) => ({ metadata: { name: "large", namespace: "default" }, spec: { size, text: "registry/app:1" } });

async function statusBytes(kind: typeof ConfigMap | typeof Deployment): Promise<{ readonly bytes: number; readonly of: string }> {
  await using cluster = await startTestCluster({ checkStatus: false, kinds: [Fleet] });
  await cluster.start(kind === ConfigMap ? fleetOf([ConfigMap], maps) : fleetOf([Deployment], deployments));
  await cluster.client.create(Fleet, fleet(LARGE));
  await cluster.settled({ timeoutMs: 600_000 });
  const stored = await cluster.client.get(Fleet, { namespace: "default", name: "large" });
  const { items } = await cluster.client.list(kind, { namespace: "default" });
  if (items.length !== LARGE) throw new Error(`there are ${items.length} objects instead of ${LARGE}`);
  const status = stored?.status;
  const { status: is, reason, message } = status?.conditions?.find(({ type }) => type === "FleetReady") ?? {};
  return { bytes: Buffer.byteLength(JSON.stringify(status ?? {})), of: `${is} ${reason}: ${message?.slice(0, 120)}` };
}

/** From the first apply to the last one, and from the creation of the owner to the last request, in milliseconds. */
async function wave(): Promise<{ readonly waveMs: number; readonly wholeMs: number }> {
  await using cluster = await startTestCluster({ time: "real", checkStatus: false, kinds: [Fleet] });
  await cluster.start(fleetOf([ConfigMap], maps));
  await cluster.settled();
  let [first, lastApply, last] = [0, 0, 0];
  cluster.onRequest(async ({ verb, resource }) => {
    if (verb === "watch") return;
    const isApply = resource === ConfigMap.plural && verb === "apply";
    if (isApply) first ||= performance.now();
    await sleep(LATENCY_MS);
    last = performance.now();
    if (isApply) lastApply = last;
  });
  const created = performance.now();
  await cluster.client.create(Fleet, fleet(WAVE));
  await cluster.settled({ horizonMs: 1_000, timeoutMs: 60_000 });
  return { waveMs: lastApply - first, wholeMs: last - created };
}

for (const kind of [ConfigMap, Deployment] as const) {
  const { bytes, of } = await statusBytes(kind);
  console.log(`the status of an owner with ${LARGE} ${kind.kind}s: ${(bytes / 1_024).toFixed(1)} KB (goal 64) (${of})`);
}
const found: Awaited<ReturnType<typeof wave>>[] = [];
for (let round = 0; round < ROUNDS; round++) found.push(await wave());
console.log(
  `a wave of ${WAVE} objects at ${LATENCY_MS} ms: ${median(found.map(({ waveMs }) => waveMs)).toFixed(0)} ms (goal 500); from the creation of the owner to the last status ${median(found.map(({ wholeMs }) => wholeMs)).toFixed(0)} ms`,
);
