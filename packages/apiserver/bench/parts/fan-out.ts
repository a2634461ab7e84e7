/** One event to many watchers, over HTTP and in process: the time from the start of the write until the last watcher has the event. */
import type { Socket } from "node:net";
import { createApiServer } from "../../src/index.ts";
import { load, open, textOf } from "./load.ts";
import { quantile, type Row } from "./report.ts";
import { startServer } from "./server-process.ts";
import { configMaps, createOf } from "./workload.ts";

const WATCHERS = 100;
const EVENTS = 300;
const WARM_UP = 50;
const GOAL_MS = 5;

export async function fanOut(): Promise<readonly Row[]> {
  return [rowOf("in process", await inProcess()), rowOf("over HTTP", await overHttp())];
}

async function overHttp(): Promise<readonly number[]> {
  const server = await startServer();
  const sockets = await Promise.all(Array.from({ length: WATCHERS }, () => open(server)));
  const arrivals = new Arrivals();
  for (const socket of sockets) {
    follow(socket, arrivals);
    socket.write(textOf(server, { method: "GET", path: `${configMaps.path}?watch=true` }));
  }
  await arrivals.next(() => undefined, " 200 OK");
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + EVENTS; i++) {
    const write = (): Promise<number> => load(server, { count: 1, connections: 1, requestOf: () => createOf(configMaps, i) });
    const ms = await arrivals.next(write, `"bench-${i}"`);
    if (i >= WARM_UP) times.push(ms);
  }
  for (const socket of sockets) socket.destroy();
  await server.stop();
  return times;
}

function follow(socket: Socket, arrivals: Arrivals): void {
  let text = "";
  socket.on("data", (chunk: Buffer) => {
    text = text.slice(-64) + chunk.toString("latin1");
    if (arrivals.note(text)) text = "";
  });
}

/** Counts the watchers that have seen the expected text. */
class Arrivals {
  #wanted = "";
  #left = 0;
  #done: (() => void) | undefined;

  /** Resolves with the milliseconds from the start of `write` until each watcher has seen the text. */
  async next(write: () => unknown, wanted: string): Promise<number> {
    const seen = new Promise<void>((resolve) => {
      this.#done = resolve;
    });
    this.#wanted = wanted;
    this.#left = WATCHERS;
    const startedAt = performance.now();
    let endedAt = 0;
    await Promise.all([write(), seen.then(() => (endedAt = performance.now()))]);
    return endedAt - startedAt;
  }

  note(text: string): boolean {
    if (!text.includes(this.#wanted)) return false;
    if (--this.#left === 0) this.#done?.();
    return true;
  }
}

async function inProcess(): Promise<readonly number[]> {
  const server = createApiServer();
  const arrivals = new Arrivals();
  const readers = Array.from({ length: WATCHERS }, async () => {
    const { stream } = await server.handle({ method: "GET", path: `${configMaps.path}?watch=true`, headers: {}, stream: true });
    for await (const chunk of stream ?? []) arrivals.note(chunk);
  });
  const times: number[] = [];
  for (let i = 0; i < WARM_UP + EVENTS; i++) {
    const { method, path, contentType = "", body = "" } = createOf(configMaps, i);
    const write = (): unknown => server.handle({ method, path, headers: { "content-type": contentType }, body });
    const ms = await arrivals.next(write, `"bench-${i}"`);
    if (i >= WARM_UP) times.push(ms);
  }
  await server.close();
  await Promise.all(readers);
  return times;
}

function rowOf(where: string, times: readonly number[]): Row {
  const [p50, p99] = [quantile(times, 0.5), quantile(times, 0.99)];
  return {
    what: `one event to ${WATCHERS} watchers, ${where}`,
    goal: `${GOAL_MS} ms`,
    measured: `p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms`,
    isMet: p50 < GOAL_MS,
    raw: times.map((ms) => Number(ms.toFixed(3))),
  };
}
