/**
 * `startTestCluster`. With `TREADLE_TEST_KUBECONFIG` in the environment the server is the real one of that kubeconfig, so that
 * the same test runs on both. Time is then real, and the end of the cluster deletes the objects of the test. A member that a
 * real server does not have throws an error. On both, each operator has the rights that its declarations give it.
 */
import { randomUUID } from "node:crypto";
import { fakeClock, systemClock } from "@treadle/apimachinery";
import { type ApiServerOptions, serveHttp, serveHttps } from "@treadle/apiserver";
import { Backend } from "./internal/backend.ts";
import { Cluster } from "./internal/cluster.ts";
import { KnownKinds } from "./internal/known-kinds.ts";
import { DEFAULT_NAMESPACE, manifestsOf } from "./internal/manifests.ts";
import { recordedFront } from "./internal/recorded-front.ts";
import { onlyInMemory, type RealKubeconfig, RealServer } from "./internal/real-server.ts";
import type { TestCluster, TestClusterOptions } from "./test-cluster.ts";
import type { LogLine } from "./test-environment.ts";
import { kindsOfWebhooks } from "./webhooks/test-webhooks.ts";

/**
 * Starts a test cluster, within milliseconds. The manager, the queue, the informers and the client of its operators are the
 * real ones. Time is virtual by default.
 *
 * @throws TypeError for a manifest that is not an object, and Error for an option that a real server does not have
 */
export async function startTestCluster(options: TestClusterOptions = {}): Promise<TestCluster> {
  const { webhooks = [], workloads = false, nth = 1 } = options;
  const kinds = [...(options.kinds ?? []), ...kindsOfWebhooks(webhooks)];
  const kubeconfig = kubeconfigOf(nth);
  if (kubeconfig !== undefined) checkForRealServer(options);
  const where = { where: "startTestCluster objects", namespace: DEFAULT_NAMESPACE };
  const manifests = manifestsOf(options.objects ?? [], new KnownKinds(kinds), where);
  const real = kubeconfig === undefined ? undefined : await RealServer.open(kubeconfig);
  const clock = real !== undefined || options.time === "real" ? systemClock : (options.clock ?? fakeClock());
  const server = real === undefined ? { ...SERVER, ...options.server, workloads } : { workloads };
  const webhookLogs: LogLine[] = [];
  const backend = new Backend({ clock, nth, kinds, manifests, real, server, webhooks, webhookLogs });
  const cluster = new Cluster(backend, { checkStatus: options.checkStatus !== false, webhookLogs, kubeconfig: real?.kubeconfig });
  try {
    if (options.http === true) cluster.http = await serveHttp(backend.server);
    if (options.https === true && real === undefined)
      cluster.https = await serveHttps(recordedFront(backend.server, backend.requests), { auth: { token: randomUUID() } });
    await backend.begin();
    await backend.put(manifests);
  } catch (error) {
    await cluster.stop();
    throw error;
  }
  return cluster;
}

/** The real server of a cluster; `undefined`: it is in memory. @throws Error when only the first cluster has a real one */
function kubeconfigOf(nth: number): RealKubeconfig | undefined {
  const first = process.env["TREADLE_TEST_KUBECONFIG"] || undefined;
  if (first === undefined) return undefined;
  if (nth === 1) return { variable: "TREADLE_TEST_KUBECONFIG", file: first };
  const variable = `TREADLE_TEST_KUBECONFIG_${nth}`;
  const file = process.env[variable] || undefined;
  if (file === undefined)
    throw new Error(
      `startTestCluster({ nth: ${nth} }): ${variable} names no kubeconfig: start another control plane, and name its kubeconfig`,
    );
  return { variable, file };
}

/** The defaults of a server in memory: those of the control plane that tests run on. */
const SERVER = {
  garbageCollection: true,
  authorization: "RBAC",
  admissionPlugins: ["OwnerReferencesPermissionEnforcement"],
} as const satisfies ApiServerOptions;

/** @throws Error for an option that a real server does not have */
function checkForRealServer(options: TestClusterOptions): void {
  for (const name of ["clock", "http", "server"] as const)
    if (options[name] !== undefined && options[name] !== false) throw onlyInMemory(`startTestCluster({ ${name} })`);
  if (typeof options.workloads === "object") throw onlyInMemory("startTestCluster({ workloads: { ... } })");
  if (options.time === "virtual") throw onlyInMemory('startTestCluster({ time: "virtual" })');
}
