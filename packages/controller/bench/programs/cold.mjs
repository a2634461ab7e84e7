/**
 * An operator in a "cluster": tells when its first pass is over and, when asked, how much memory it takes. JavaScript,
 * as an image has it: stripping types would load a compiler into the process.
 */
import { defineResource } from "@treadle/apimachinery";
import { connect } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { conditions, handler, step } from "@treadle/reconcile";
import { z } from "zod";

const Widget = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "Widget",
  scope: "Namespaced",
  spec: z.object({ size: z.int32(), text: z.string().default("") }),
  status: z.object({ seen: z.int32().optional() }),
});
const mirror = step(Widget, {
  name: "mirror",
  conditions: ["Mirrored"],
  do(req) {
    req.status.seen = req.object.spec.size;
    req.conditions.true("Mirrored");
  },
});

let isFirst = true;
const manager = createManager({
  client: (wish) => connect({ ...wish, serviceAccountDirectory: process.env["SERVICE_ACCOUNT"] ?? "" }),
  probes: { port: 0 },
  metrics: { port: 0 },
  host: "127.0.0.1",
  logLevel: "warn",
  onPass: () => {
    if (isFirst) process.send?.("first pass");
    isFirst = false;
  },
});
process.on("message", () => process.send?.(process.memoryUsage()));
process.on("disconnect", () => void manager.stop());
await manager.add(handler(Widget).step(conditions()).step(mirror).build()).run();
