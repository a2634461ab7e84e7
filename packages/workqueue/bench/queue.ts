/** How many keys a second go through the queue. Run: `node --conditions=@treadle/source bench/queue.ts` */
import { fakeClock } from "@treadle/apimachinery";
import { WorkQueue } from "../src/index.ts";

const KEYS = 500_000;
const keys = Array.from({ length: KEYS }, (_, index) => `ns-${index % 100}/object-${index}`);

function rate(what: string, operations: number, startedMs: number): void {
  const perSecond = operations / ((performance.now() - startedMs) / 1000);
  console.log(`${what.padEnd(40)} ${(perSecond / 1e6).toFixed(2)} M/s`);
}

for (let round = 0; round < 3; round++) {
  const clock = fakeClock();
  const queue = new WorkQueue({ clock });
  let started = performance.now();
  for (const key of keys) queue.add(key);
  rate("add", KEYS, started);
  started = performance.now();
  for (const key of keys) queue.add(key);
  rate("add of what is queued", KEYS, started);
  started = performance.now();
  for (let i = 0; i < KEYS; i++) queue.done((await queue.get()) ?? "");
  rate("get and done", KEYS, started);
  started = performance.now();
  for (const [index, key] of keys.entries()) queue.addAfter(key, 1000 + ((index * 7919) % 60_000));
  rate("addAfter", KEYS, started);
  started = performance.now();
  await clock.advance(100_000);
  for (let i = 0; i < KEYS; i++) queue.done((await queue.get()) ?? "");
  rate("becoming due, get and done", KEYS, started);
}
