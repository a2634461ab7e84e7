/**
 * The operator of the benchmark on Treadle, as a user would write it. Its environment says what it does: BENCH_MODE is
 * "reconcile" (Widgets), "cache" (Blobs, whole), "metadata" (Blobs, their metadata only) or "sets" (Stacks). It tells what
 * peers/controller-runtime tells, in the same words, and with BENCH_SLICES the longest time for which it kept its loop.
 */
import { connect, type Exchange, loadConfig } from "@treadle/client";
import { conditions, createManager, dependentApply, handler, metadataOnly, step } from "treadle";
import { ConfigMap } from "treadle/kinds";
import { Blob, Widget } from "./kinds.ts";
import { measureSlices } from "./slices.ts";
import { stacks } from "./stacks.ts";

const {
  BENCH_MODE: mode,
  BENCH_EXPECT: expect,
  BENCH_CONCURRENCY,
  BENCH_RESYNC_MS,
  BENCH_SLICES,
  BENCH_SERVICE_ACCOUNT = "",
} = process.env;
const concurrency = Number(BENCH_CONCURRENCY);
let passes = 0;
let slices: ReturnType<typeof measureSlices> | undefined;

const widgets = handler(Widget)
  .step(conditions())
  .step(dependentApply(Widget, { name: "config", kind: ConfigMap, desired: ({ spec }) => ({ data: { text: spec.text } }) }))
  .build();
const held = mode === "metadata" ? metadataOnly(Blob) : Blob;
const blobs = handler(held)
  .step(
    step(held, {
      name: "count",
      do() {
        if (++passes === Number(expect)) tell({ event: "passed" });
      },
    }),
  )
  .build();

if (!Number.isInteger(concurrency) || concurrency < 1)
  throw new Error(`BENCH_CONCURRENCY ${BENCH_CONCURRENCY} is no number of passes at once`);
if (mode !== "reconcile" && mode !== "cache" && mode !== "metadata" && mode !== "sets")
  throw new Error(`BENCH_MODE ${mode} is not one of reconcile, cache, metadata, sets`);
// A pod's service account, for once elsewhere than where kubelet mounts it.
const config = await loadConfig({ serviceAccountDirectory: BENCH_SERVICE_ACCOUNT });
const manager = createManager({
  config,
  ...(BENCH_SLICES === undefined ? {} : { client: (options) => connect({ ...options, config, onExchange: sliced(options.onExchange) }) }),
  probes: { port: 0 },
  metrics: { port: 0 },
  host: "127.0.0.1",
  signals: false,
});
if (mode === "reconcile") manager.add(widgets, { concurrency });
else if (mode === "sets")
  manager.add(
    stacks(() => void passes++),
    { concurrency, ...(BENCH_RESYNC_MS === undefined ? {} : { resyncMs: Number(BENCH_RESYNC_MS) }) },
  );
else manager.add(blobs, { concurrency });

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  tell({ event: "heap", bytes: heapUsed + external, passes, ...slices?.() });
});
process.on("SIGTERM", () => void manager.stop());
await manager.start();
tell({ event: "started" });

/** Looks at the turns of the loop from when the server answers with Blobs: the program is loaded then. */
function sliced(onExchange: (exchange: Exchange) => void): (exchange: Exchange) => void {
  return (exchange) => {
    onExchange(exchange);
    if (exchange.resource?.startsWith("blobs.") === true) slices ??= measureSlices();
  };
}

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
