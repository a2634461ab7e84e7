/**
 * The same creates and applies on a real kube-apiserver with etcd and on this server, in turns, so that the ratio is valid on
 * a shared machine. `KUBECONFIG` names the server and needs an embedded client certificate, as `tools/controlplane` writes
 * it. Processor times are read from /proc, so this works on Linux with a local server.
 */
import { readdirSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import type { JsonObject } from "../../src/internal/json.ts";
import { type Target, load, once } from "./load.ts";
import { median, type Row } from "./report.ts";
import { measure, type Rate } from "./requests.ts";
import { type MeasuredServer, startServer } from "./server-process.ts";
import { configMaps, WIDGETS, type Workload, widgets } from "./workload.ts";

const COUNT = 3000;
const WARM_UP = 500;

export async function compared(runs: number): Promise<readonly Row[]> {
  const kubeconfig = process.env["KUBECONFIG"];
  if (kubeconfig === undefined || kubeconfig === "") return [];
  const real = realServer(kubeconfig);
  await once(real, {
    method: "PATCH",
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${WIDGETS.metadata.name}?fieldManager=bench&force=true`,
    contentType: "application/apply-patch+yaml",
    body: JSON.stringify(WIDGETS),
  });
  await served(real, widgets);
  const rows: Row[] = [];
  for (const workload of [configMaps, widgets]) {
    for (const verb of ["create", "apply"] as const) {
      const [reals, ours]: [Rate[], Rate[]] = [[], []];
      for (let run = 0; run < runs; run++) {
        await emptied(real, workload);
        const options = { count: COUNT, warmUp: WARM_UP };
        reals.push(await measure(real, workload, verb, options));
        const server = await startServer();
        ours.push(await measure(server, workload, verb, options));
        await server.stop();
      }
      rows.push(rowOf(`${verb}s of ${workload.name}, beside kube-apiserver + etcd`, reals, ours));
    }
  }
  for (const workload of [configMaps, widgets]) await emptied(real, workload);
  return rows;
}

function rowOf(what: string, reals: readonly Rate[], ours: readonly Rate[]): Row {
  const rate = (rates: readonly Rate[]): number => median(rates.map(({ perSecond }) => perSecond));
  const cpu = (rates: readonly Rate[]): number => median(rates.map(({ cpuMicros }) => cpuMicros));
  const byClock = (rate(ours) / rate(reals)).toFixed(1);
  const byCpu = (cpu(reals) / cpu(ours)).toFixed(1);
  const figures = `${Math.round(rate(ours))}/s to ${Math.round(rate(reals))}/s, ${cpu(ours).toFixed(0)} µs to ${cpu(reals).toFixed(0)} µs of CPU`;
  return { what, goal: "", measured: `${byClock}x as fast, ${byCpu}x less CPU (${figures})`, raw: { real: reals, memory: ours } };
}

export function realServer(kubeconfig: string): MeasuredServer {
  const target = targetOf(kubeconfig);
  const pids = processesOf(new URL(target.url).port);
  return { ...target, cpuMicros: async () => pids.reduce((sum, pid) => sum + cpuOf(pid), 0), stop: async () => undefined };
}

/** Returns the server of a kubeconfig, with the credentials inside it: a token, or a certificate. */
export function targetOf(kubeconfig: string): Target {
  const config = parse(readFileSync(kubeconfig, "utf8")) as { readonly [list: string]: readonly JsonObject[] };
  const cluster = config["clusters"]?.[0]?.["cluster"] as JsonObject | undefined; // a kubeconfig
  const user = config["users"]?.[0]?.["user"] as JsonObject | undefined; // a kubeconfig
  const pem = (data: unknown): Buffer => Buffer.from(String(data), "base64");
  const ca = pem(cluster?.["certificate-authority-data"]);
  const url = String(cluster?.["server"]);
  const { token } = user ?? {};
  if (token !== undefined) return { url, tls: { ca }, headers: { authorization: `Bearer ${String(token)}` } };
  return { url, tls: { ca, cert: pem(user?.["client-certificate-data"]), key: pem(user?.["client-key-data"]) } };
}

/** Returns the processes of the kube-apiserver on the port, and of its etcd. */
export function processesOf(port: string): readonly string[] {
  const commands = new Map<string, readonly string[]>();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      commands.set(pid, readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0"));
    } catch {
      // The process has ended.
    }
  }
  const server = [...commands].find(([, words]) => words.includes(`--secure-port=${port}`));
  const etcd = server?.[1].find((word) => word.startsWith("--etcd-servers="))?.split("=")[1];
  const store = [...commands].find(([, words]) => etcd !== undefined && words.some((word) => word.endsWith(`client-urls=${etcd}`)));
  if (server === undefined || store === undefined) throw new Error(`no kube-apiserver with an etcd runs here that listens on port ${port}`);
  return [server[0], store[0]];
}

/** Returns user and system time. The clock of /proc has 100 ticks a second on each Linux. */
export function cpuOf(pid: string): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10_000;
}

/** Deletes the objects of a run. */
async function emptied(target: Target, { path }: Workload): Promise<void> {
  await once(target, { method: "DELETE", path: `${path}?labelSelector=app%3Dbench` });
}

/** Waits until a new kind accepts objects. */
async function served(target: Target, { path }: Workload): Promise<void> {
  const deadline = performance.now() + 30_000;
  for (;;) {
    try {
      await load(target, { count: 1, connections: 1, requestOf: () => ({ method: "GET", path }) });
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}
