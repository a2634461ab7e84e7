/**
 * One replica of an operator that never stops writing, for failover tests: `replica.ts OPTIONS`, the JSON of its
 * `leaderElection`, against the cluster of KUBECONFIG. Every write names the process that sent it, and none depends on a
 * version: that nobody else writes is up to the lease alone.
 */
import { ConfigMap } from "@treadle/apimachinery/kinds";
import { handler, step } from "@treadle/reconcile";
import { createManager } from "../../src/index.ts";
import { Widget } from "../widget.ts";

// For how long the machine kept this process from running is said, so that nobody blames it for that; what it ran itself does not count.
const [EVERY_MS, SLACK_MS] = [20, 10];
let last = performance.now();
let cpu = process.cpuUsage();
setInterval(() => {
  const now = performance.now();
  const { user, system } = process.cpuUsage(cpu);
  const late = Math.round(now - last - EVERY_MS - (user + system) / 1000);
  last = now;
  cpu = process.cpuUsage();
  if (late > SLACK_MS) process.stdout.write(`late ${late}\n`);
}, EVERY_MS).unref();

const leaderElection = JSON.parse(process.argv[2] ?? "{}") as { readonly identity: string };
let beats = 0;
const beat = step(Widget, {
  name: "beat",
  async do(req) {
    const data = { writer: leaderElection.identity, beat: String(beats++) };
    await req.client.patch(ConfigMap, `failover-${req.object.metadata.name}`, { type: "merge", body: { data } });
    return req.wait("the next beat", 20);
  },
});
await createManager({ leaderElection, probes: false, metrics: false }).add(handler(Widget).step(beat).build()).run();
