/**
 * The highest rate of events that 1,000 watchers follow: in process, over HTTP and over HTTPS, and over HTTPS on the real server that
 * `KUBECONFIG` names. A rate counts when each watcher gets each event, no watch ends, and the last event arrives within a second.
 */
import type { Socket } from "node:net";
import { createApiServer } from "../../src/index.ts";
import { type Target, load, once, open, textOf } from "./load.ts";
import { realServer } from "./real.ts";
import type { Row } from "./report.ts";
import { type MeasuredServer, startServer } from "./server-process.ts";
import { configMaps, createOf, type RawRequest } from "./workload.ts";

const WATCHERS = Number(process.env["WATCHERS"] ?? 1000);
const SECONDS = 4;
/** Events a second, tried in this order until one is not followed. */
const RATES = (process.env["RATES"] ?? "10,20,35,50,70,100,140,200,280,400").split(",").map(Number);
const GOALS = { process: 100, http: 50 } as const;
/** Time after the last write in which its event must arrive. */
const LATE_MS = 1000;

export async function fanOutRate(runs: number): Promise<readonly Row[]> {
  const rows = [rowOf("in process", GOALS.process, await repeated(runs, inProcess))];
  rows.push(rowOf("over HTTP", GOALS.http, await repeated(runs, () => overSockets(() => startServer()))));
  rows.push(rowOf("over HTTPS", undefined, await repeated(runs, () => overSockets(() => startServer({ isSecure: true })))));
  const kubeconfig = process.env["KUBECONFIG"];
  if (kubeconfig)
    rows.push(rowOf("kube-apiserver, HTTPS", undefined, await repeated(runs, () => overSockets(async () => realServer(kubeconfig)))));
  return rows;
}

interface Trial {
  /** Events a second. */
  readonly rate: number;
  readonly isFollowed: boolean;
  /** Events that did not arrive, of all watchers. */
  readonly missing: number;
  readonly ended: number;
  /** From the last write until the last event has arrived. */
  readonly lateMs: number;
  /** Processor time of the server for one event to one watcher. */
  readonly cpuMicros: number;
}

/** Each run has its own server and stops after the first rate that is not followed. */
async function repeated(runs: number, run: () => Promise<readonly Trial[]>): Promise<readonly (readonly Trial[])[]> {
  const all: (readonly Trial[])[] = [];
  for (let i = 0; i < runs; i++) all.push(await run());
  return all;
}

async function climb(trial: (rate: number) => Promise<Trial>): Promise<readonly Trial[]> {
  const trials: Trial[] = [];
  for (const rate of RATES) {
    trials.push(await trial(rate));
    if (trials.at(-1)?.isFollowed !== true) break;
  }
  return trials;
}

/** Makes a change at each tick. Resolves when all events have arrived, or when they are late. */
async function follow(
  rate: number,
  parts: { readonly write: (i: number) => Promise<unknown>; readonly cpu: () => Promise<number> } & Watched,
): Promise<Trial> {
  const { write, cpu, counts } = parts;
  const total = rate * SECONDS;
  counts.fill(0);
  const before = await cpu();
  const startedAt = performance.now();
  const writes: Promise<unknown>[] = [];
  for (let i = 0; i < total; i++) {
    await at(startedAt + (1000 * i) / rate);
    writes.push(write(i));
    // The real server may be slower than the ticks. Then its rate is not that of the row, and it fails by being late.
    if (writes.length > 50) await writes.shift();
  }
  const dueAt = startedAt + SECONDS * 1000;
  await Promise.all(writes);
  while (counts.some((count) => count < total) && performance.now() < dueAt + LATE_MS) await at(performance.now() + 5);
  const lateMs = performance.now() - dueAt;
  const missing = counts.reduce((sum, count) => sum + total - count, 0);
  // What is late still arrives: the next trial must not count it.
  for (let tries = 0; counts.some((count) => count < total) && tries < 100; tries++) await at(performance.now() + 100);
  const cpuMicros = ((await cpu()) - before) / (total * WATCHERS);
  const ended = parts.ended();
  return { rate, isFollowed: missing === 0 && ended === 0 && lateMs <= LATE_MS, missing, ended, lateMs, cpuMicros };
}

interface Watched {
  /** Number of events that each watcher has. */
  readonly counts: number[];
  /** Number of watches that ended. */
  readonly ended: () => number;
}

function at(time: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, time - performance.now())));
}

/** A change of the one object. */
function changeOf(i: number): RawRequest {
  return {
    method: "PATCH",
    path: `${configMaps.path}/bench-0`,
    contentType: "application/merge-patch+json",
    body: JSON.stringify({ data: { value: `${Date.now()}-${i}` } }),
  };
}

async function inProcess(): Promise<readonly Trial[]> {
  const server = createApiServer();
  const call = ({ method, path, contentType = "", body = "" }: RawRequest): Promise<unknown> =>
    server.handle({ method, path, headers: { "content-type": contentType }, body });
  await call(createOf(configMaps, 0));
  const counts = Array.from({ length: WATCHERS }, () => 0);
  let ended = 0;
  const readers = counts.map(async (_, index) => {
    const { stream } = await server.handle({
      method: "GET",
      path: `${configMaps.path}?watch=true&resourceVersion=1`,
      headers: {},
      stream: true,
    });
    for await (const chunk of stream ?? []) if (chunk.includes(MARK)) counts[index] = (counts[index] ?? 0) + 1;
    ended++;
  });
  const cpu = async (): Promise<number> => {
    const { user, system } = process.cpuUsage();
    return user + system;
  };
  const trials = await climb((rate) => follow(rate, { write: (i) => call(changeOf(i)), cpu, counts, ended: () => ended }));
  await server.close();
  await Promise.all(readers);
  return trials;
}

async function overSockets(start: () => Promise<MeasuredServer>): Promise<readonly Trial[]> {
  const server = await start();
  await once(server, { method: "DELETE", path: `${configMaps.path}?labelSelector=app%3Dbench` });
  await load(server, { count: 1, connections: 1, requestOf: () => createOf(configMaps, 0) });
  const { metadata } = JSON.parse(await once(server, { method: "GET", path: configMaps.path })) as {
    readonly metadata: { readonly resourceVersion: string };
  };
  const path = `${configMaps.path}?watch=true&resourceVersion=${metadata.resourceVersion}`;
  const counts = Array.from({ length: WATCHERS }, () => 0);
  let ended = 0;
  const sockets: Socket[] = [];
  for (let i = 0; i < WATCHERS; i++)
    sockets.push(await watching(server, path, { counted: () => (counts[i] = (counts[i] ?? 0) + 1), ended: () => ended++ }));
  const writer = await sender(server);
  const trials = await climb((rate) =>
    follow(rate, { write: (i) => writer.send(changeOf(i)), cpu: server.cpuMicros, counts, ended: () => ended }),
  );
  for (const socket of [...sockets, ...writer.sockets]) socket.removeAllListeners("close").destroy();
  await once(server, { method: "DELETE", path: `${configMaps.path}?labelSelector=app%3Dbench` });
  await server.stop();
  return trials;
}

/** Text of each event. */
const MARK = '{"type":"MODIFIED"';

interface Reader {
  readonly counted: () => void;
  readonly ended: () => void;
}

/** Opens a watch, and counts its events by their text: parsing would cost more than the server. */
async function watching(target: Target, path: string, { counted, ended }: Reader): Promise<Socket> {
  const socket = await open(target);
  const mark = Buffer.from(MARK);
  const isOpen = new Promise<void>((resolve) => {
    let kept: Buffer = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      resolve();
      const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk]);
      let end = 0;
      for (let found = bytes.indexOf(mark); found >= 0; found = bytes.indexOf(mark, end)) {
        counted();
        end = found + mark.length;
      }
      if (bytes.indexOf("\r\n0\r\n\r\n", end, "latin1") >= 0) ended();
      // The mark may be divided.
      kept = Buffer.from(bytes.subarray(Math.max(end, bytes.length - mark.length + 1)));
    });
  });
  socket.on("close", ended);
  socket.write(textOf(target, { method: "GET", path }));
  await isOpen;
  return socket;
}

/** Sends requests over a few connections that stay open. */
async function sender(target: Target): Promise<{ readonly sockets: readonly Socket[]; send(request: RawRequest): Promise<void> }> {
  const free = await Promise.all(Array.from({ length: 8 }, () => open(target)));
  const sockets = [...free];
  const waiting: (() => void)[] = [];
  const send = async (request: RawRequest): Promise<void> => {
    while (free.length === 0) await new Promise<void>((resolve) => waiting.push(resolve));
    const socket = free.pop();
    if (socket === undefined) return;
    await answered(socket, textOf(target, request));
    free.push(socket);
    waiting.shift()?.();
  };
  return { sockets, send };
}

function answered(socket: Socket, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = "";
    const read = (chunk: Buffer): void => {
      head += chunk.toString("latin1");
      const length = /content-length: (\d+)\r\n/i.exec(head);
      const body = head.indexOf("\r\n\r\n");
      if (body < 0 || (length !== null ? head.length < body + 4 + Number(length[1]) : !head.endsWith("0\r\n\r\n"))) return;
      socket.off("data", read);
      if (Number(head.slice(9, 12)) < 400) resolve();
      else reject(new Error(`a write was answered with ${head.slice(0, 300)}`));
    };
    socket.on("data", read);
    socket.write(text);
  });
}

function rowOf(where: string, goal: number | undefined, runs: readonly (readonly Trial[])[]): Row {
  const highest = runs.map((trials) => trials.findLast(({ isFollowed }) => isFollowed)?.rate ?? 0).toSorted((a, b) => a - b);
  const best = highest[Math.floor(highest.length / 2)] ?? 0;
  const last = runs[0]?.at(-1);
  const cpu = last?.cpuMicros ?? Number.NaN;
  const byCpu = Math.round(1e6 / cpu / WATCHERS);
  const why =
    last?.isFollowed === false
      ? `; at ${last.rate}/s ${last.missing} were missing, ${last.ended} watches ended, the last event came after ${last.lateMs.toFixed(0)} ms`
      : "";
  return {
    what: `events to ${WATCHERS} watchers, ${where}`,
    goal: goal === undefined ? "" : `${goal}/s`,
    measured: `${best}/s by the clock, ${byCpu}/s by CPU (${cpu.toFixed(1)} µs for each watcher)${why}`,
    ...(goal === undefined ? {} : { isMet: best >= goal }),
    raw: runs,
  };
}
