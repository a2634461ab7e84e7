/** Lists of 10,000 objects: complete, in pages, and as a Table. Measures only the time of the server, in process. */
import { type ApiServer, createApiServer } from "../../src/index.ts";
import { median, type Row } from "./report.ts";
import { configMaps, createOf, pods } from "./workload.ts";

const COUNT = 10_000;
const PAGE = 500;
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

export async function lists(runs: number): Promise<readonly Row[]> {
  const server = createApiServer();
  for (const workload of [configMaps, pods]) {
    for (let i = 0; i < COUNT; i++) {
      const { method, path, contentType = "", body = "" } = createOf(workload, i);
      const { status } = await server.handle({ method, path, headers: { "content-type": contentType }, body });
      if (status !== 201) throw new Error(`a create of ${workload.name} was answered with ${status}`);
    }
  }
  const rows = [
    await timed("list of 10,000 ConfigMaps", runs, () => pages(server, configMaps.path)),
    await timed(`list of 10,000 ConfigMaps, pages of ${PAGE}`, runs, () => pages(server, `${configMaps.path}?limit=${PAGE}`)),
    await timed("list of 10,000 ConfigMaps by label", runs, () => pages(server, `${configMaps.path}?labelSelector=app%3Dbench`)),
    await timed("list of 10,000 Pods", runs, () => pages(server, pods.path)),
    await timed("list of 10,000 Pods as a Table", runs, () => pages(server, pods.path, TABLE)),
  ];
  await server.close();
  return rows;
}

async function timed(what: string, runs: number, run: () => Promise<void>): Promise<Row> {
  const times: number[] = [];
  for (let i = 0; i <= runs * 3; i++) {
    const startedAt = performance.now();
    await run();
    times.push(performance.now() - startedAt);
  }
  const [first = 0, ...later] = times;
  return { what, goal: "", measured: `first ${first.toFixed(0)} ms, then ${median(later).toFixed(0)} ms`, raw: times };
}

/** Reads all pages of a list. */
async function pages(server: ApiServer, path: string, accept = "application/json"): Promise<void> {
  let next: string | undefined;
  do {
    const { status, body = "" } = await server.handle({ method: "GET", path: next ?? path, headers: { accept } });
    if (status !== 200) throw new Error(`GET ${next ?? path} was answered with ${status}`);
    const token = /"continue":"([^"]+)"/.exec(body.slice(0, 2000))?.[1];
    next = token === undefined ? undefined : `${path}${path.includes("?") ? "&" : "?"}continue=${encodeURIComponent(token)}`;
  } while (next !== undefined);
}
