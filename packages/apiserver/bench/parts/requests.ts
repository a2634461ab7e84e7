/** Creates and applies per second over HTTP, by the clock and by the processor time of the server. */
import { load } from "./load.ts";
import { median, type Row } from "./report.ts";
import { type MeasuredServer, startServer } from "./server-process.ts";
import { applyOf, configMaps, createOf, type Workload, widgets } from "./workload.ts";

export interface Rate {
  /** Rate by the clock. The client and other programs use the machine, too. */
  readonly perSecond: number;
  /** User and system time of the server in all threads, per request. */
  readonly cpuMicros: number;
}

const COUNT = 15_000;
/** Requests before the measurement, so that code is compiled and connections are open. */
const WARM_UP = 3_000;
const OBJECTS = 500;
const CONNECTIONS = 16;
const GOALS = { create: 5000, apply: 3000 } as const;

export async function requests(runs: number): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const workload of [configMaps, widgets]) {
    for (const isFull of [false, true]) {
      for (const verb of ["create", "apply"] as const) {
        const rates: Rate[] = [];
        for (let run = 0; run < runs; run++) rates.push(await fresh(workload, verb, isFull));
        rows.push(rowOf(`${verb}s of 1 KB, ${workload.name}${isFull ? ", RBAC + garbage collection" : ""}`, GOALS[verb], rates));
      }
    }
  }
  return rows;
}

async function fresh(workload: Workload, verb: "create" | "apply", isFull: boolean): Promise<Rate> {
  const server = await startServer({ isFull });
  try {
    return await measure(server, workload, verb);
  } finally {
    await server.stop();
  }
}

/** Measures a server without such objects. */
export async function measure(
  server: MeasuredServer,
  workload: Workload,
  verb: "create" | "apply",
  { count = COUNT, warmUp = WARM_UP, offset = 0 }: { readonly count?: number; readonly warmUp?: number; readonly offset?: number } = {},
): Promise<Rate> {
  const requestOf = (i: number) => (verb === "create" ? createOf(workload, offset + i) : applyOf(workload, i, OBJECTS));
  await load(server, { count: warmUp, connections: CONNECTIONS, requestOf });
  const before = await server.cpuMicros();
  const ms = await load(server, { count, connections: CONNECTIONS, requestOf: (i) => requestOf(warmUp + i) });
  const cpuMicros = ((await server.cpuMicros()) - before) / count;
  return { perSecond: (count / ms) * 1000, cpuMicros };
}

/**
 * The server has one of the two cores, so its capacity is one second divided by the time of a request. The rate by the clock
 * counts if it is higher.
 */
function rowOf(what: string, goal: number, rates: readonly Rate[]): Row {
  const perSecond = median(rates.map((rate) => rate.perSecond));
  const cpuMicros = median(rates.map((rate) => rate.cpuMicros));
  const best = Math.max(perSecond, 1e6 / cpuMicros);
  return {
    what,
    goal: `${goal}/s`,
    measured: `${Math.round(1e6 / cpuMicros)}/s by CPU (${cpuMicros.toFixed(0)} µs each), ${Math.round(perSecond)}/s by the clock`,
    isMet: best >= goal,
    raw: rates,
  };
}
