/** HorizontalPodAutoscalers whose results take too long to be recorded, and reports of metrics that no cluster accepts. */
import { fakeClock, type FakeClock } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { type ApiServer, createApiServer } from "../../src/index.ts";
import type { Json } from "../conformance/session.ts";
import { requests, template } from "./scenario.ts";

type Stage = ReturnType<typeof requests> & { readonly server: ApiServer; readonly clock: FakeClock; pass(seconds: number): Promise<void> };

function simulate(): Stage {
  const clock = fakeClock();
  const server = createApiServer({ clock, workloads: true });
  onTestFinished(() => server.close());
  const pass = async (seconds: number): Promise<void> => {
    for (let second = 0; second < seconds; second++) {
      await server.settled();
      await clock.advance(1000);
    }
    await server.settled();
  };
  return { ...requests(server.transport(), "default"), server, clock, pass };
}

async function deploy({ create, pass }: Stage, replicas: number, spec: Json = {}): Promise<void> {
  const resources = { requests: { cpu: "100m" } };
  const containers = ["main", "helper"].map((name) => ({ name, image: "app:1", resources }));
  const pods = { ...template("web", { spec: { containers } }) };
  await create("deployments", { metadata: { name: "web" }, spec: { replicas, selector: { matchLabels: { app: "web" } }, template: pods } });
  const cpu = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } };
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
  await create("horizontalpodautoscalers", {
    metadata: { name: "web" },
    spec: { scaleTargetRef, maxReplicas: 10, metrics: [cpu], ...spec },
  });
  await pass(1);
}

async function replicas({ get }: Stage): Promise<number> {
  return (await get("deployments", "web"))["spec"].replicas as number;
}

test("an autoscaler scales down when usage was low for five minutes", async () => {
  const stage = simulate();
  await deploy(stage, 4);
  stage.server.workloads.metrics.report({ cpu: "10m" });
  await stage.pass(299);
  expect(await replicas(stage)).toBe(4);
  await stage.pass(45);
  expect(await replicas(stage)).toBe(1);
  const { status } = await stage.get("horizontalpodautoscalers", "web");
  expect(status).toMatchObject({
    desiredReplicas: 1,
    currentMetrics: [{ resource: { current: { averageUtilization: 5, averageValue: "10m" } } }],
  });
});

test("reports for all containers of a pod add up, and one for some of them is not the use of the pod", async () => {
  const stage = simulate();
  await deploy(stage, 1);
  const { metrics } = stage.server.workloads;
  metrics.report({ cpu: "150m" }, { container: "main" });
  await stage.pass(16);
  const [condition] = (await stage.get("horizontalpodautoscalers", "web"))["status"].conditions.filter(
    ({ type }: Json) => type === "ScalingActive",
  );
  expect(condition.message).toMatch(/did not receive metrics for targeted pods/);
  metrics.report({ cpu: "50m" }, { container: "helper" });
  await stage.pass(15);
  expect(await replicas(stage)).toBe(2);
});

test("an autoscaler of a container reads the use of this container", async () => {
  const stage = simulate();
  const target = { type: "Utilization", averageUtilization: 50 };
  const metrics = [{ type: "ContainerResource", containerResource: { name: "cpu", container: "main", target } }];
  await deploy(stage, 1, { metrics });
  stage.server.workloads.metrics.report({ cpu: "150m" }, { container: "main" });
  await stage.pass(16);
  expect(await replicas(stage)).toBe(3);
});

test("a report that is withdrawn leaves a cluster without metrics", async () => {
  const stage = simulate();
  await deploy(stage, 1);
  const report = stage.server.workloads.metrics.report({ cpu: "200m" });
  report.recover();
  await stage.pass(16);
  const { conditions } = (await stage.get("horizontalpodautoscalers", "web"))["status"];
  expect(conditions.find(({ type }: Json) => type === "ScalingActive")).toMatchObject({
    status: "False",
    reason: "FailedGetResourceMetric",
  });
});

test.for([
  ["a number that its target refuses", { spec: { replicas: 1 }, minReplicas: 3 }, { type: "AbleToScale", reason: "FailedUpdateScale" }],
  ["a target without a selector", { spec: { replicas: 1 } }, { type: "ScalingActive", reason: "InvalidSelector" }],
  ["an invalid selector", { spec: { replicas: 1, selector: "a=(" } }, { type: "ScalingActive", reason: "InvalidSelector" }],
] as const)("an autoscaler reports %s", async ([, { spec, ...more }, condition]) => {
  const stage = simulate();
  await serveEngines(stage, spec);
  const scaleTargetRef = { apiVersion: "example.com/v1", kind: "Engine", name: "one" };
  await deploy(stage, 1, { scaleTargetRef, ...more });
  await stage.pass(16);
  const { conditions } = (await stage.get("horizontalpodautoscalers", "web"))["status"];
  expect(conditions).toContainEqual(expect.objectContaining({ ...condition, status: "False" }));
});

/** Serves a custom kind with a scale of at most two replicas, and creates an object of it. */
async function serveEngines({ create, server }: Stage, spec: Json): Promise<void> {
  const fields = { replicas: { type: "integer", maximum: 2 }, selector: { type: "string" } };
  const schema = { type: "object", properties: { spec: { type: "object", properties: fields } } };
  const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas", labelSelectorPath: ".spec.selector" };
  await create("customresourcedefinitions", {
    metadata: { name: "engines.example.com" },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { plural: "engines", kind: "Engine" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { scale } }],
    },
  });
  const body = JSON.stringify({ apiVersion: "example.com/v1", kind: "Engine", metadata: { name: "one" }, spec });
  const headers = { "content-type": "application/json", accept: "application/json" };
  await server.transport().request({ method: "POST", path: "/apis/example.com/v1/namespaces/default/engines", headers, body });
}

test.for<readonly [name: string, use: Record<string, string>, selection: object, text: RegExp]>([
  ["a wrong amount", { cpu: "much" }, {}, /workloads\.metrics\.report: cpu is "much"; use a quantity/],
  ["an unknown field", { cpu: "1" }, { label: "web" }, /workloads\.metrics\.report: unknown field "label"/],
])("a report with %s is refused", ([, use, selection, text]) => {
  expect(() => simulate().server.workloads.metrics.report(use, selection)).toThrow(text);
});
