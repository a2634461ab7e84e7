/** One chart on two servers: an operator keeps its objects in the first, and Helm in the second. */
import { Namespace } from "@treadle/apimachinery/kinds";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { helm } from "../../src/index.ts";
import { helmDifferences, HelmSide } from "./helm-side.ts";
import { comparable, type Live, liveObjects } from "./live.ts";
import { operatorDifferences, release, remove, startOperator, valuesOf } from "./operator-side.ts";

/** The release of all tests. */
const AT = { name: "web", namespace: "apps" } as const;

/** What both servers have after the same releases. */
export interface BothSides extends AsyncDisposable {
  readonly ours: Side;
  readonly helms: Side;
  /** Installs the chart, or upgrades it when it is installed. */
  release(values: object): Promise<void>;
  /** Removes the release, with `helm uninstall` on the other side. */
  remove(): Promise<void>;
  /** Replaces the chart, as a new version of the operator does. */
  replaceChart(chart: string): Promise<void>;
  /** Returns the objects of the chart in the form in which they are compared. */
  live(): Promise<{ readonly ours: Readonly<Record<string, unknown>>; readonly helms: Readonly<Record<string, unknown>> }>;
}

/** One of both servers. */
export interface Side {
  readonly cluster: TestCluster;
  /** The names of the Jobs in the order in which they were created, also of those that no longer exist. */
  jobs(): readonly string[];
}

/** Starts both servers, and the operator. */
export async function bothSides(chart: string): Promise<BothSides> {
  await using stack = new AsyncDisposableStack();
  const [ours, helms] = [stack.use(await startServer()), stack.use(await startServer())];
  const program = stack.use(await HelmSide.of(helms.cluster));
  const before: Live = await liveObjects(helms.cluster.client);
  let current = chart;
  let operator = await startOperator(ours.cluster, helm(current, { values: valuesOf }));
  let isInstalled = false;
  // Until here a failure stops both servers.
  const started = stack.move();
  return {
    ours,
    helms,
    async release(values) {
      await release(ours.cluster, AT, values);
      await program.release(isInstalled ? "upgrade" : "install", { ...AT, chart: current }, values);
      isInstalled = true;
    },
    async remove() {
      await remove(ours.cluster, AT);
      await program.uninstall(AT);
    },
    async replaceChart(next) {
      current = next;
      await operator.stop();
      operator = await startOperator(ours.cluster, helm(current, { values: valuesOf }));
    },
    async live() {
      const [got, want] = await Promise.all([liveObjects(ours.cluster.client), liveObjects(helms.cluster.client)]);
      return { ours: comparable(got, before, operatorDifferences), helms: comparable(want, before, helmDifferences) };
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

async function startServer(): Promise<Side & AsyncDisposable> {
  const workloads = { startSeconds: 0, runSeconds: 0, stopSeconds: 0, loadBalancers: true };
  const cluster = await startTestCluster({ https: true, time: "real", workloads });
  await cluster.create(Namespace, { metadata: { name: AT.namespace } });
  const jobs: string[] = [];
  const seen = new Set<string>();
  cluster.server.onRequest(({ method, path, body }) => {
    const found = /^\/apis\/batch\/v1\/namespaces\/[^/]+\/jobs(?:\/([^/?]+))?(?:\?|$)/.exec(path);
    if (found === null || path.includes("dryRun=All")) return;
    const name = found[1] ?? nameIn(body);
    if (method === "DELETE") seen.delete(name);
    if ((method !== "PATCH" && method !== "POST") || seen.has(name)) return;
    seen.add(name);
    jobs.push(name);
  });
  return { cluster, jobs: () => jobs, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

/** Helm 3 creates objects by POST. */
function nameIn(body: string | undefined): string {
  const object = JSON.parse(body ?? "{}") as { readonly metadata?: { readonly name?: string } }; // an object of the API
  return object.metadata?.name ?? "";
}
