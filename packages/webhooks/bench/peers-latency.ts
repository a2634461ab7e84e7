/**
 * The latency of the validation of an object of 10 KB over TLS with kept connections, at 500 reviews a second: ours and controller-runtime's
 * in turns. A review that is sent late because earlier ones are slow counts from the time when it should have been sent. Each server is a
 * process of its own. Goal: at most 1.5 times the latency of controller-runtime.
 *
 * `SECONDS`, `RATE` and `ROUNDS` in the environment change the numbers. Without Go only ours is measured.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { admissionReview, siteOf } from "./programs/kinds.ts";
import { type Server, startControllerRuntime, startOperator } from "./programs/start.ts";

const SECONDS = Number(process.env["SECONDS"] ?? 10);
const RATE = Number(process.env["RATE"] ?? 500);
const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const PATH = "/validate/bench.treadle.dev/sites";

const body = Buffer.from(JSON.stringify(admissionReview("u", siteOf("v1", "a", 10_000))));
await using ours = await startOperator("nothing");
await using theirs = await startControllerRuntime();
const servers: readonly (readonly [string, Server])[] = [
  ["treadle", ours],
  ...(theirs === undefined ? [] : ([["controller-runtime", theirs]] as const)),
];
const found = new Map(servers.map(([name]) => [name, [] as number[]]));
for (const [name, server] of servers) {
  const { status, text } = await server.send(PATH, body);
  if (status !== 200 || !text.includes('"allowed":true')) throw new Error(`the answer of ${name} is ${status} ${text}`);
  await measure(server, 5); // The compiler sees the code.
}
console.log(`${body.length} bytes, ${RATE} a second, ${ROUNDS} rounds of ${SECONDS} s`);
for (let round = 0; round < ROUNDS; round++)
  for (const [name, server] of servers) found.get(name)?.push(...(await measure(server, SECONDS)));
for (const [name, latencies] of found)
  console.log(`${name}: p50 ${shown(latencies, 0.5)}, p99 ${shown(latencies, 0.99)}, longest ${shown(latencies, 1)}`);

function shown(latencies: readonly number[], share: number): string {
  const sorted = latencies.toSorted((a, b) => a - b);
  return `${(sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(2)} ms`;
}

/** Sends reviews at the rate, and returns the latencies in milliseconds. */
async function measure(server: Server, seconds: number): Promise<readonly number[]> {
  const latencies: number[] = [];
  const running: Promise<void>[] = [];
  const beganMs = performance.now();
  for (let sent = 0; sent < seconds * RATE; ) {
    for (const due = ((performance.now() - beganMs) / 1_000) * RATE; sent < due && sent < seconds * RATE; sent++) {
      const dueMs = beganMs + (sent / RATE) * 1_000;
      running.push(server.send(PATH, body).then(() => void latencies.push(performance.now() - dueMs)));
    }
    await sleep(1);
  }
  await Promise.all(running);
  return latencies;
}
