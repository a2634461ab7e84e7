/**
 * From a change of the input Secret, sent by its user, to the result being stored, over HTTP: watch, one GET, one apply.
 * One change at a time, each of another object. Run by `npm run bench`; the goal is 100 ms.
 */
import { startTestCluster } from "@treadle/testing";
import { Secret } from "treadle/kinds";
import { rwExternal } from "../controller.ts";
import { RWExternal } from "../rw-external.ts";

const CHANGES = 500;
const OBJECTS = 100;
const b64 = (value: number): string => Buffer.from(String(value)).toString("base64");
const data = (dividend: number): Record<string, string> => ({ dividend: b64(dividend), divisor: b64(7) });

await using cluster = await startTestCluster({ time: "real", http: true });
const op = await cluster.start(rwExternal, { transport: "http", namespaces: ["default"] });
for (let i = 0; i < OBJECTS; i++) {
  await cluster.create(Secret, { metadata: { name: `in-${i}` }, data: data(i) });
  await cluster.create(RWExternal, { metadata: { name: `rw-${i}` }, spec: { inputSecret: `in-${i}` } });
}
await op.settled();

const took: number[] = [];
const stored = new Map<string, () => void>();
const ended = new AbortController();
const watching = follow();
for (let change = 0; change < CHANGES; change++) {
  const at = change % OBJECTS;
  const done = new Promise<void>((resolve) => stored.set(`rw-${at}`, resolve));
  const startedMs = performance.now();
  await cluster.update(Secret, `in-${at}`, (secret) => {
    secret.data = data(1_000 * (change + 1) + at);
  });
  await done;
  took.push(performance.now() - startedMs);
}
ended.abort();
await watching;
took.sort((a, b) => a - b);
const at = (share: number): string => `${(took[Math.floor((took.length - 1) * share)] ?? Number.NaN).toFixed(1)} ms`;
console.log(`a changed Secret -> its result stored: p50 ${at(0.5)}, p99 ${at(0.99)}, most ${at(1)} (n = ${took.length}; goal 100 ms)`);

/** Tells of every result as it is stored. */
async function follow(): Promise<void> {
  const events = await cluster.client.watch(Secret, { namespace: "default", signal: ended.signal });
  try {
    for await (const event of events) if (event.type === "MODIFIED") stored.get(event.object.metadata.name)?.();
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  }
}
