/** A whole operator in one process, for tests of signals and exit codes. The argument says what its step does. */
import { createApiServer } from "@treadle/apiserver";
import { createClient } from "@treadle/client";
import { handler, step } from "@treadle/reconcile";
import { createManager } from "../../src/index.ts";
import { Widget, widget } from "../widget.ts";

const [behaviour] = process.argv.slice(2);
const server = createApiServer({ resources: behaviour === "missing" ? [] : [Widget] });
const work = step(Widget, {
  name: "work",
  async do(req) {
    process.stdout.write("working\n");
    if (behaviour === "reject") void Promise.reject(new Error("nobody listens: token=hunter2"));
    if (behaviour !== "hang") return;
    await new Promise<void>((_, reject) => req.signal.addEventListener("abort", () => reject(req.signal.reason)));
  },
});
const manager = createManager({
  client: createClient({ transport: server.transport() }),
  probes: behaviour === "missing" ? { port: 0 } : false,
  metrics: false,
  host: "127.0.0.1",
  cacheSyncTimeoutMs: behaviour === "missing" ? 0 : 60_000,
});
if (behaviour !== "missing") await createClient({ transport: server.transport() }).create(Widget, widget("a"));
await manager.add(handler(Widget).step(work).build()).run();
process.stdout.write("ended\n");
