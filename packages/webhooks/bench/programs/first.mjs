/**
 * An operator outside of a cluster, with a webhook server on a port or without one. It reports when its manager has started. JavaScript,
 * as an image has it: stripping types would load a compiler into the process.
 */
import { defineResource } from "@treadle/apimachinery";
import { connect, loadConfig } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { conditions, handler, step } from "@treadle/reconcile";
import { webhooks, webhookServer } from "@treadle/webhooks";
import { z } from "zod";

const [kubeconfig, port] = process.argv.slice(2);
const line = z.object({ name: z.string(), text: z.string() });
const Site = defineResource({
  group: "bench.treadle.dev",
  kind: "Site",
  scope: "Namespaced",
  versions: {
    v1: { spec: z.object({ host: z.string().optional(), replicas: z.int32().default(1), lines: z.array(line) }) },
    v1alpha1: { spec: z.object({ domain: z.string().optional(), lines: z.array(line) }) },
  },
});
const site = webhooks(Site, {
  problems: ({ spec }) => (spec.replicas > 10 ? [{ path: "spec.replicas", message: "at most 10" }] : []),
  convert: {
    v1alpha1: {
      up: ({ spec: { domain, lines } }) => ({ spec: { host: domain, replicas: 1, lines } }),
      down: ({ spec: { host, lines } }) => ({ spec: { domain: host, lines } }),
    },
  },
});

const manager = createManager({
  client: async (wish) => await connect({ ...wish, config: await loadConfig({ kubeconfig }) }),
  probes: { port: 0 },
  metrics: { port: 0 },
  host: "127.0.0.1",
  logLevel: "error",
});
const look = step(Site, { name: "look", do() {} });
manager.add(handler(Site).step(conditions()).step(look).build());
if (port !== "none")
  manager.add(webhookServer([site], { name: "bench", url: `https://127.0.0.1:${port}`, host: "127.0.0.1", port: Number(port) }));
await manager.start();
process.send?.("started");
