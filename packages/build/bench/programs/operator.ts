/** The operator whose start is measured, in a "cluster". */
import { connect } from "@treadle/client";
import { createManager } from "@treadle/controller";
import { conditions, handler, step } from "@treadle/reconcile";
import { Widget } from "./kind.ts";

const mirror = step(Widget, {
  name: "mirror",
  conditions: ["Mirrored"],
  do(req) {
    req.status.seen = req.object.spec.size;
    req.conditions.true("Mirrored");
  },
});
const manager = createManager({
  client: (options) => connect({ ...options, serviceAccountDirectory: process.env["SERVICE_ACCOUNT"] ?? "" }),
  probes: { port: 0 },
  metrics: { port: 0 },
  host: "127.0.0.1",
  logLevel: "warn",
});
await manager.add(handler(Widget).step(conditions()).step(mirror).build()).run();
