/** A whole operator in one process, for tests of signals and exit codes. The argument says what its step does. */
import type { Transport } from "@treadle/apimachinery";
import { createApiServer } from "@treadle/apiserver";
import { type ClusterConfig, createClient } from "@treadle/client";
import { handler, step } from "@treadle/reconcile";
import { createManager } from "../../src/index.ts";
import { Widget, widget } from "../widget.ts";

const [behaviour] = process.argv.slice(2);
const server = createApiServer({ resources: [Widget] });
const work = step(Widget, {
  name: "work",
  async do(req) {
    process.stdout.write("working\n");
    if (behaviour === "reject") void Promise.reject(new Error("nobody listens: token=hunter2"));
    const block = /^block-(\d+)$/.exec(behaviour ?? "");
    if (block !== null) {
      const endAt = performance.now() + Number(block[1]);
      while (performance.now() < endAt);
      process.stdout.write("blocked\n");
    }
    if (behaviour !== "hang") return;
    await new Promise<void>((_, reject) => req.signal.addEventListener("abort", () => reject(req.signal.reason)));
  },
});
const direct = server.transport();
/** Nothing is allowed. */
const forbidding: Transport = {
  request: async () => ({
    status: 403,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "v1",
      kind: "Status",
      metadata: {},
      status: "Failure",
      reason: "Forbidden",
      message: "no",
      code: 403,
    }),
  }),
  close: () => direct.close(),
};
const isFailing = behaviour === "forbidden" || behaviour === "unreachable";
const manager = createManager({
  // Nothing listens on the port of the discard service.
  ...(behaviour === "unreachable"
    ? { config: { server: "http://127.0.0.1:9" } as ClusterConfig }
    : { client: createClient({ transport: behaviour === "forbidden" ? forbidding : direct }) }),
  probes: isFailing ? { port: 0 } : false,
  metrics: false,
  host: "127.0.0.1",
  ...(behaviour?.startsWith("block-") ? { leaderElection: { leaseDurationMs: 5_000, renewDeadlineMs: 4_000, retryPeriodMs: 500 } } : {}),
  cacheSyncTimeoutMs: isFailing ? (behaviour === "forbidden" ? 0 : 3_000) : 60_000,
});
if (!isFailing) await createClient({ transport: server.transport() }).create(Widget, widget("a"));
await manager.add(handler(Widget).step(work).build()).run();
process.stdout.write("ended\n");
