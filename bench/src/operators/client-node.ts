/**
 * The informer of @kubernetes/client-node, which is no operator: it holds the Blobs and calls one function for each. It
 * tells what peers/controller-runtime tells, in the same words.
 */
import { CustomObjectsApi, KubeConfig, type KubernetesListObject, type KubernetesObject, makeInformer } from "@kubernetes/client-node";

const { BENCH_MODE: mode, BENCH_EXPECT: expect } = process.env;
if (mode !== "cache") throw new Error(`BENCH_MODE ${mode} is not cache`);
const config = new KubeConfig();
config.loadFromDefault();
const at = { group: "bench.treadle.dev", version: "v1", namespace: "default", plural: "blobs" };
const client = config.makeApiClient(CustomObjectsApi);
const list = (): Promise<KubernetesListObject<KubernetesObject>> => client.listNamespacedCustomObject(at);
const informer = makeInformer(config, `/apis/${at.group}/${at.version}/namespaces/${at.namespace}/${at.plural}`, list);
let passes = 0;
informer.on("add", () => {
  if (++passes === Number(expect)) tell({ event: "passed" });
});
informer.on("error", (error: unknown) => console.error(error));

process.on("SIGUSR2", () => {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  tell({ event: "heap", bytes: heapUsed + external });
});
process.on("SIGTERM", () => process.exit());
await informer.start();
tell({ event: "started" });

function tell(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
