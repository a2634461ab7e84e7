/** The owner of the benchmarks of charts, its operator, and the same work without one. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { defineResource, type Kind, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import { ConfigMap, Secret, Service, ServiceAccount } from "@treadle/apimachinery/kinds";
import { dependentSet } from "@treadle/dependents";
import { readYaml } from "@treadle/dependents/unstable/render";
import { type AnyHandler, conditions, handler } from "@treadle/reconcile";
import { startTestCluster, type TestCluster } from "@treadle/testing";
import { z } from "zod";
import { helm } from "../../src/index.ts";
import { each } from "./timing.ts";

/** Each is a release of the chart. */
export const App = defineResource({
  group: "bench.treadle.dev",
  version: "v1",
  kind: "App",
  scope: "Namespaced",
  dependents: true,
  stepState: true,
  spec: z.object({ text: z.string() }),
});
export interface App extends ObjectOf<typeof App> {}

const CHART = new URL("../chart", import.meta.url);
const KINDS: Readonly<Record<string, Kind>> = { ConfigMap, Secret, Service, ServiceAccount };

/** The folder of the chart: ten objects that are ready at once. */
export const chart: string = fileURLToPath(CHART);
/** How many programs run at once, in the operator as well. */
export const PROGRAMS = 2;

/** The operator. */
export function apps(): AnyHandler {
  const objects = helm(CHART, { values: ({ spec }: App) => ({ text: spec.text }) });
  return handler(App)
    .step(conditions())
    .step(dependentSet(App, { name: "app", condition: "AppReady", kinds: Object.values(KINDS), objects }))
    .build();
}

/** Starts a server in memory with `count` owners. */
export async function withApps(count: number): Promise<TestCluster> {
  const cluster = await startTestCluster({ time: "real", https: true, checkStatus: false, kinds: [App] });
  await cluster.install(App);
  await each(count, 10, async (i) => void (await cluster.client.create(App, appNamed(i))));
  return cluster;
}

const appNamed = (i: number) => ({ metadata: { name: `app-${i}`, namespace: "default" }, spec: { text: `text of ${i}` } });

/** @throws Error with the condition of an owner that is not ready */
export async function requireReady(cluster: TestCluster): Promise<void> {
  const waiting = (await cluster.client.list(App, { namespace: "default" })).items.filter(
    ({ status }) => status?.conditions?.every(({ status: each }) => each === "True") !== true,
  );
  if (waiting.length > 0) throw new Error(`${waiting.length} owners are not ready, e.g. ${JSON.stringify(waiting[0]?.status?.conditions)}`);
}

/** Runs `helm template` and applies the objects, for each owner. */
export async function bare(cluster: TestCluster, count: number): Promise<void> {
  await each(count, PROGRAMS, async (i) => {
    const { metadata, spec } = appNamed(i);
    for (const { value } of readYaml(await template(metadata.name, { text: spec.text }))) {
      const object = value as KubernetesObject; // a template of our chart
      const kind = KINDS[object.kind];
      if (kind === undefined) throw new Error(`${object.kind} is not in KINDS`);
      const body = { ...object, metadata: { ...object.metadata, namespace: "default" } };
      await cluster.client.apply(kind, body, { fieldManager: "bench", force: true });
    }
  });
}

/** The output of `helm template`. */
async function template(name: string, values: object): Promise<string> {
  const child = spawn(helmProgram, ["template", name, chart, "--namespace", "default", "--include-crds", "--values", "-"], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  // As the operator does: otherwise other work on the machine slows down only the operator.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  child.stdin.end(JSON.stringify(values));
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
  if (code !== 0) throw new Error(`helm template ended with ${code}`);
  return output;
}

/** The program that the renderer uses as well. */
export const helmProgram: string = process.env["TREADLE_HELM"] || "helm";
