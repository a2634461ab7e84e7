/** Stories of the simulated cluster that a real one cannot show in time, or shows differently: nodes, single pods, refusals, deletions. */
import { fakeClock, type FakeClock, seededRandom } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { type ApiServer, createApiServer, type WorkloadOptions } from "../../src/index.ts";
import type { Json } from "../conformance/session.ts";
import { requests, template } from "./scenario.ts";

type Stage = ReturnType<typeof requests> & { readonly server: ApiServer; readonly clock: FakeClock; pass(seconds: number): Promise<void> };

function simulate(workloads: boolean | WorkloadOptions = true): Stage {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), workloads, garbageCollection: true });
  onTestFinished(() => server.close());
  const pass = async (seconds: number): Promise<void> => {
    for (let quarter = 0; quarter < seconds * 4; quarter++) {
      await server.settled();
      await clock.advance(250);
    }
    await server.settled();
  };
  return { ...requests(server.transport(), "default"), server, clock, pass };
}

function pod(name: string, spec: Json = {}): Json {
  const { metadata, spec: pods } = template("app", { spec });
  return { metadata: { ...metadata, name }, spec: pods };
}

function conditions({ status }: Json): Json {
  return Object.fromEntries(
    ((status.conditions ?? []) as Json[]).map(({ type, status: is, reason }) => [type, reason === undefined ? is : `${is} ${reason}`]),
  );
}

test("init containers run one after the other before the others, and a failing one stops the pod", async () => {
  const { create, get, pass, server } = simulate();
  using broken = server.workloads.pods.fail("Error", { container: "second" });
  const init = ["first", "second"].map((name) => ({ name, image: `${name}:1` }));
  await create("pods", pod("a", { initContainers: [...init, { name: "helper", image: "helper:1", restartPolicy: "Always" }] }));
  await pass(3);
  const held = await get("pods", "a");
  expect(held["status"]).toMatchObject({ phase: "Pending", containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }] });
  expect(conditions(held)).toMatchObject({
    Initialized: "False ContainersNotInitialized",
    Ready: "False ContainersNotReady",
    PodScheduled: "True",
  });
  broken.recover();
  await pass(1);
  const running = await get("pods", "a");
  expect(running["status"].phase).toBe("Running");
  expect(running["status"].initContainerStatuses.map(({ state, ready }: Json) => [Object.keys(state)[0], ready])).toEqual([
    ["terminated", true],
    ["terminated", true],
    ["running", true],
  ]);
  expect(conditions(running)).toMatchObject({ Initialized: "True", Ready: "True" });
});

test.for([
  { restartPolicy: "Never", exitCode: 0, phase: "Succeeded" },
  { restartPolicy: "Never", exitCode: 2, phase: "Failed" },
  { restartPolicy: "OnFailure", exitCode: 0, phase: "Succeeded" },
  { restartPolicy: "OnFailure", exitCode: 2, phase: "Running" },
])("a pod of restartPolicy $restartPolicy whose container exits with $exitCode is $phase", async ({ restartPolicy, exitCode, phase }) => {
  const { create, get, pass, server } = simulate();
  server.workloads.pods.fail({ exitCode }, { name: "a" });
  await create("pods", pod("a", { restartPolicy }));
  await pass(3);
  expect((await get("pods", "a"))["status"].phase).toBe(phase);
});

test("a pod is not ready until its readiness gate is opened", async () => {
  const { create, get, merge, pass } = simulate();
  await create("pods", pod("a", { readinessGates: [{ conditionType: "example.com/open" }] }));
  await pass(2);
  const closed = await get("pods", "a");
  expect(conditions(closed)).toMatchObject({ ContainersReady: "True", Ready: "False ReadinessGatesNotReady" });
  const open = { type: "example.com/open", status: "True" };
  await merge("pods", "a", { status: { conditions: [...closed["status"].conditions, open] } }, "status");
  await pass(1);
  expect(conditions(await get("pods", "a"))).toMatchObject({ Ready: "True", "example.com/open": "True" });
});

test("pods are spread over nodes, a cordoned node gets none, and a new one is used at once", async () => {
  const { create, merge, objects, get, pass, clock, server } = simulate({ nodes: 2 });
  await server.settled();
  const nodesOf = async (): Promise<readonly string[]> => (await objects()).pods.map(({ spec }) => spec.nodeName as string).toSorted();
  await create("replicasets", {
    metadata: { name: "web" },
    spec: { replicas: 4, selector: { matchLabels: { app: "web" } }, template: template("web") },
  });
  await pass(2);
  expect(await nodesOf()).toEqual(["node-1", "node-1", "node-2", "node-2"]);
  for (const name of ["node-1", "node-2"]) await merge("nodes", name, { spec: { unschedulable: true } });
  await pass(1);
  expect((await get("nodes", "node-1"))["spec"].taints).toMatchObject([{ key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" }]);
  await create("pods", pod("late"));
  await pass(1);
  expect(conditions(await get("pods", "late"))["PodScheduled"]).toBe("False Unschedulable");
  await create("nodes", { metadata: { name: "another" } });
  await clock.advance(0);
  await pass(2);
  expect((await get("pods", "late"))["spec"].nodeName).toBe("another");
});

test("a node selector and tolerations decide on which node a pod runs", async () => {
  const { create, get, pass } = simulate();
  await create("nodes", {
    metadata: { name: "gpu", labels: { gpu: "yes" } },
    spec: { taints: [{ key: "gpu", value: "yes", effect: "NoSchedule" }] },
  });
  await create("pods", pod("wants", { nodeSelector: { gpu: "yes" } }));
  await create("pods", pod("may", { nodeSelector: { gpu: "yes" }, tolerations: [{ key: "gpu", operator: "Equal", value: "yes" }] }));
  await pass(3);
  expect((await get("pods", "may"))["spec"].nodeName).toBe("gpu");
  const [{ reason, message }] = (await get("pods", "wants"))["status"].conditions as [Json];
  expect(reason).toBe("Unschedulable");
  expect(message).toMatch(
    /^0\/2 nodes are available: 1 node\(s\) didn't match Pod's node affinity\/selector, 1 node\(s\) had untolerated taint/,
  );
});

test("a refused create is reported in the status, retried later, and then no longer reported", async () => {
  const { create, get, merge, pass } = simulate();
  const broken = template("web", { spec: { priorityClassName: "nobody-knows-it" } });
  await create("deployments", {
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: broken },
  });
  await pass(2);
  expect(conditions(await get("deployments", "web"))).toMatchObject({
    ReplicaFailure: "True FailedCreate",
    Available: "False MinimumReplicasUnavailable",
  });
  await merge("deployments", "web", { spec: { template: { spec: { priorityClassName: null } } } });
  await pass(20);
  expect(conditions(await get("deployments", "web"))).toEqual({
    Available: "True MinimumReplicasAvailable",
    Progressing: "True NewReplicaSetAvailable",
  });
});

test("a namespace is deleted with its pods after they have ended", async () => {
  const { create, objects, pass, server } = simulate({ stopSeconds: 5 });
  await create("deployments", {
    metadata: { name: "web" },
    spec: { replicas: 2, selector: { matchLabels: { app: "web" } }, template: template("web") },
  });
  await pass(3);
  const headers = { "content-type": "application/json" };
  const other = { method: "POST", path: "/api/v1/namespaces", headers, body: JSON.stringify({ metadata: { name: "other" } }) } as const;
  await server.handle(other);
  await server.handle({ method: "POST", path: "/api/v1/namespaces/other/pods", headers, body: JSON.stringify(pod("a")) });
  await pass(3);
  await server.handle({ method: "DELETE", path: "/api/v1/namespaces/other", headers });
  const status = async (): Promise<number> =>
    (await server.handle({ method: "GET", path: "/api/v1/namespaces/other", headers: {} })).status;
  await pass(4);
  expect(await status()).toBe(200);
  await pass(2);
  expect(await status()).toBe(404);
  expect((await objects()).pods).toHaveLength(2);
});

test("a pod with a finalizer ends, and stays until the finalizer is removed", async () => {
  const { create, get, merge, objects, pass, remove } = simulate();
  await create("pods", { ...pod("a"), metadata: { name: "a", finalizers: ["example.com/keep"] } });
  await pass(2);
  await remove("pods", "a");
  await pass(2);
  expect((await get("pods", "a"))["status"]).toMatchObject({
    phase: "Succeeded",
    containerStatuses: [{ state: { terminated: { exitCode: 0 } } }],
  });
  await merge("pods", "a", { metadata: { finalizers: null } });
  await pass(1);
  expect((await objects()).pods).toEqual([]);
});

test("invalid options of the simulation are refused by name", () => {
  const misspelt = { startSecond: 3 } as object; // as a program without types has it
  expect(() => createApiServer({ workloads: misspelt })).toThrow('workloads: unknown field "startSecond"; use one of nodes, startSeconds');
  expect(() => createApiServer({ workloads: { startSeconds: Number.NaN } })).toThrow("startSeconds is NaN");
  expect(() => createApiServer({ workloads: { nodes: 1.5 } })).toThrow("nodes is 1.5");
});
