/**
 * The processor time of an operator for each Widget, before the in-memory server. The program runs from its sources, so nothing is
 * built; loading it does not count. It is warm: it has brought some Widgets to Ready before.
 */
import { join } from "node:path";
import { createWidgets, deleteWidgets } from "../load.ts";
import { type Measured, observe } from "../measures.ts";
import { Operator, type Peer } from "../operator.ts";
import type { MemorySite } from "./memory-site.ts";

/** Returns the operator of a checkout, before the server. */
export function sourcePeer(name: string, dir: string, site: MemorySite): Peer {
  const program = join(dir, "bench", "src", "operators", "treadle.ts");
  const args = ["--conditions=@treadle/source", "--expose-gc", program];
  return { name, command: process.execPath, args, user: name, modes: ["reconcile"], hasEventLoop: true, env: site.operatorEnv(name) };
}

/** Measures one run of the operator. */
export async function measureWidgets(peer: Peer, site: MemorySite, widgets: number): Promise<Measured> {
  const { client, kubeconfig } = site;
  const warmUp = Math.ceil(widgets / 4);
  await using observer = await observe(kubeconfig);
  await using operator = new Operator(peer, "reconcile", { concurrency: 5 });
  await operator.reported("started");
  await createWidgets(client, warmUp);
  await observer.until({ settled: warmUp, generations: warmUp }, operator);
  const before = operator.usage().cpuSeconds;
  await createWidgets(client, widgets, warmUp);
  await observer.until({ settled: warmUp + widgets, generations: warmUp + widgets }, operator);
  const after = operator.usage().cpuSeconds;
  await deleteWidgets(client);
  await observer.until({ settled: 0, generations: 0 }, operator);
  return { widgetCpuMs: ((after - before) * 1000) / widgets };
}
