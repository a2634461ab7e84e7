/** Time until the first answer: in a process that has loaded the server, and in a fresh one, from the build and from the sources. */
import { execFileSync } from "node:child_process";
import { createApiServer } from "../../src/index.ts";
import { median, type Row } from "./report.ts";

const root = new URL("../../../../", import.meta.url).pathname;
const GOAL_MS = 100;

export async function ready(runs: number): Promise<readonly Row[]> {
  execFileSync("turbo", ["run", "build", "--filter=@treadle/apiserver", "--output-logs=errors-only"], {
    cwd: root,
    stdio: "inherit",
  });
  const loaded: number[] = [];
  for (let run = 0; run < runs * 3; run++) loaded.push(await firstAnswer(run % 2 === 1));
  const rows: Row[] = [rowOf("ready, package loaded (every second time with RBAC)", loaded)];
  for (const [from, options] of [
    ["built", []],
    ["from sources", ["--conditions=@treadle/source"]],
  ] as const) {
    const times = Array.from({ length: runs * 3 }, () => fresh(options));
    const [imported, answered, cpu] = [
      times.map((one) => one.importMs),
      times.map((one) => one.readyMs),
      times.map((one) => one.cpuMs),
    ].map(median);
    rows.push({
      what: `ready in a fresh process, ${from}: import to first answer`,
      goal: from === "built" ? `${GOAL_MS} ms` : "",
      measured: `${cpu?.toFixed(0)} ms of CPU, ${answered?.toFixed(0)} ms by the clock (import ${imported?.toFixed(0)} ms)`,
      ...(from === "built" ? { isMet: (answered ?? Infinity) < GOAL_MS } : {}),
      raw: times,
    });
  }
  return rows;
}

async function firstAnswer(isRestricted: boolean): Promise<number> {
  const startedAt = performance.now();
  const server = createApiServer(isRestricted ? { authorization: "RBAC" } : {});
  await server.handle({ method: "GET", path: "/api/v1/namespaces", headers: {} });
  const ms = performance.now() - startedAt;
  await server.close();
  return ms;
}

interface Times {
  readonly importMs: number;
  readonly readyMs: number;
  /** Processor time of all threads. */
  readonly cpuMs: number;
}

function fresh(options: readonly string[]): Times {
  const output = execFileSync(process.execPath, [...options, new URL("./first-answer.mjs", import.meta.url).pathname], {
    cwd: new URL("../../", import.meta.url).pathname,
    encoding: "utf8",
  });
  return JSON.parse(output) as Times; // written by first-answer.mjs
}

function rowOf(what: string, times: readonly number[]): Row {
  const ms = median(times);
  return { what, goal: `${GOAL_MS} ms`, measured: `${ms.toFixed(1)} ms`, isMet: ms < GOAL_MS, raw: times };
}
