/** Events of the simulated scheduler, kubelets and controllers. Those that real controllers write are recorded, see `scenarios/events.ts`. */
import { fakeClock, type FakeClock, seededRandom } from "@treadle/apimachinery";
import { expect, onTestFinished, test } from "vitest";
import { type ApiServer, createApiServer } from "../../src/index.ts";
import type { Json } from "../conformance/session.ts";
import { requests, template } from "./scenario.ts";

type Stage = ReturnType<typeof requests> & {
  readonly server: ApiServer;
  readonly clock: FakeClock;
  pass(seconds: number): Promise<void>;
  /** Returns `object type reason xCount: message`, in the order of creation. */
  seen(name?: string): Promise<readonly string[]>;
  events(): Promise<readonly Json[]>;
};

function simulate(): Stage {
  const clock = fakeClock();
  const server = createApiServer({ clock, random: seededRandom(1), workloads: true, garbageCollection: true });
  onTestFinished(() => server.close());
  const stage = requests(server.transport(), "default");
  const pass = async (seconds: number): Promise<void> => {
    for (let quarter = 0; quarter < seconds * 4; quarter++) {
      await server.settled();
      await clock.advance(250);
    }
    await server.settled();
  };
  const events = async (): Promise<readonly Json[]> => {
    const all = (await stage.objects()).events;
    return all.toSorted(
      (a, b) => Number(`0x${a["metadata"].name.split(".").at(-1)}`) - Number(`0x${b["metadata"].name.split(".").at(-1)}`),
    );
  };
  const seen = async (name?: string): Promise<readonly string[]> =>
    (await events())
      .filter(({ involvedObject }) => name === undefined || involvedObject.name === name)
      .map(({ involvedObject: { fieldPath = "" }, type, reason, count, message }) =>
        [fieldPath, type, reason, ...(Number(count) > 1 ? [`x${count}`] : []), message].filter((text) => text !== "").join(" "),
      );
  return { ...stage, server, clock, pass, seen, events };
}

function pod(name: string, container: Json = {}, spec: Json = {}): Json {
  const { metadata } = template("app");
  return { metadata: { ...metadata, name }, spec: { containers: [{ name: "main", image: "app:1", ...container }], ...spec } };
}

test("a pod is scheduled, started and killed", async () => {
  const { create, remove, pass, seen, events } = simulate();
  await create("pods", pod("a", {}, { initContainers: [{ name: "first", image: "init:1" }] }));
  await pass(2);
  await remove("pods", "a");
  await pass(2);
  expect(await seen()).toEqual([
    "Normal Scheduled Successfully assigned default/a to node-1",
    'spec.initContainers{first} Normal Pulled Container image "init:1" already present on machine and can be accessed by the pod',
    "spec.initContainers{first} Normal Created Container created",
    "spec.initContainers{first} Normal Started Container started",
    'spec.containers{main} Normal Pulled Container image "app:1" already present on machine and can be accessed by the pod',
    "spec.containers{main} Normal Created Container created",
    "spec.containers{main} Normal Started Container started",
    "spec.containers{main} Normal Killing Stopping container main",
  ]);
  const [scheduled, pulled] = await events();
  expect(scheduled).toMatchObject({
    action: "Binding",
    eventTime: "2026-01-01T00:00:00.000000Z",
    firstTimestamp: null,
    reportingComponent: "default-scheduler",
    reportingInstance: "default-scheduler-control-plane",
    source: {},
  });
  expect(pulled).toMatchObject({
    count: 1,
    eventTime: null,
    firstTimestamp: "2026-01-01T00:00:01Z",
    source: { component: "kubelet", host: "node-1" },
    reportingComponent: "kubelet",
    reportingInstance: "node-1",
  });
});

test("the events have the managers and fields of events that clients send", async () => {
  const { create, pass, events, server } = simulate();
  await create("pods", pod("a"));
  await pass(2);
  const transport = server.transport();
  for (const event of await events()) {
    const { metadata, ...rest } = event;
    const [{ manager }] = metadata.managedFields;
    const isNew = event["eventTime"] !== null;
    const names: Readonly<Record<string, string>> = {
      involvedObject: "regarding",
      message: "note",
      reportingComponent: "reportingController",
      firstTimestamp: "",
      lastTimestamp: "",
      source: "",
    };
    const sent = isNew
      ? Object.fromEntries(Object.entries(rest).flatMap(([field, value]) => (names[field] === "" ? [] : [[names[field] ?? field, value]])))
      : rest;
    const group = isNew ? "/apis/events.k8s.io/v1" : "/api/v1";
    const body = {
      ...sent,
      ...(isNew ? { apiVersion: "events.k8s.io/v1" } : {}),
      kind: "Event",
      metadata: { name: "copy", namespace: "default" },
    };
    const headers = { "user-agent": manager, accept: "application/json", "content-type": "application/json" };
    const path = `${group}/namespaces/default/events`;
    const response = await transport.request({ method: "POST", path, headers, body: JSON.stringify(body) });
    expect(response.status).toBe(201);
    const stored = await transport.request({ method: "GET", path: "/api/v1/namespaces/default/events/copy", headers });
    await transport.request({ method: "DELETE", path: "/api/v1/namespaces/default/events/copy", headers });
    const copy = JSON.parse(stored.body ?? "{}") as Json;
    const { time: _, ...managed } = copy["metadata"].managedFields[0];
    expect(metadata.managedFields).toMatchObject([managed]);
    expect({ ...copy, metadata: {} }).toMatchObject({ ...rest, metadata: {} });
  }
});

test("a container that exits again and again has one event with a count for each of its starts and back-offs", async () => {
  const { create, get, pass, seen, server } = simulate();
  server.workloads.pods.fail("Error", { name: "a" });
  await create("pods", pod("a"));
  await pass(40);
  const { uid } = (await get("pods", "a"))["metadata"];
  expect(await seen()).toEqual([
    "Normal Scheduled Successfully assigned default/a to node-1",
    'spec.containers{main} Normal Pulled x4 Container image "app:1" already present on machine and can be accessed by the pod',
    "spec.containers{main} Normal Created x4 Container created",
    "spec.containers{main} Normal Started x4 Container started",
    `spec.containers{main} Warning BackOff x3 Back-off restarting failed container main in pod a_default(${uid})`,
  ]);
});

test.for([
  {
    problem: "ErrImagePull",
    want: [
      'Normal Pulling Pulling image "app:1"',
      'Warning Failed Failed to pull image "app:1": failed to pull and unpack image "app:1": not found',
      "Warning Failed Error: ErrImagePull",
    ],
  },
  { problem: "ImagePullBackOff", want: ['Normal BackOff Back-off pulling image "app:1"', "Warning Failed Error: ImagePullBackOff"] },
  { problem: "CreateContainerError", want: ["Warning Failed Error: the container cannot be made"] },
] as const)("a container that cannot start for $problem has the events of a kubelet", async ({ problem, want }) => {
  const { create, pass, seen, server } = simulate();
  server.workloads.pods.fail(problem);
  await create("pods", pod("a"));
  await pass(3);
  expect((await seen()).slice(1)).toEqual(want.map((line) => `spec.containers{main} ${line}`));
});

test("a failing readiness probe is reported, and a container without a probe has no such event", async () => {
  const { create, pass, seen, server } = simulate();
  server.workloads.pods.fail("NotReady");
  await create("pods", pod("a", { readinessProbe: { httpGet: { path: "/", port: 80 } } }));
  await create("pods", pod("b"));
  await pass(3);
  expect((await seen("a")).at(-1)).toBe(
    "spec.containers{main} Warning Unhealthy Readiness probe failed: HTTP probe failed with statuscode: 500",
  );
  expect((await seen("b")).at(-1)).toBe("spec.containers{main} Normal Started Container started");
});

test("a pod without a node has a warning of the scheduler, which becomes a series", async () => {
  const { create, merge, pass, events, server } = simulate();
  using unschedulable = server.workloads.pods.fail("Unschedulable");
  await create("pods", pod("a"));
  await pass(1);
  const text =
    "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
  expect(await events()).toMatchObject([{ type: "Warning", reason: "FailedScheduling", action: "Scheduling", message: text }]);
  expect((await events())[0]).not.toHaveProperty("series");
  await create("nodes", { metadata: { name: "another" } });
  await merge("pods", "a", { metadata: { labels: { touched: "yes" } } });
  await pass(1);
  unschedulable.recover();
  await pass(1);
  expect((await events()).map(({ reason }) => reason)).toContain("Scheduled");
});

test("a refused pod is reported once for each try", async () => {
  const { create, pass, seen, server } = simulate();
  const path = "/api/v1/namespaces/default/limitranges";
  const limit = { metadata: { name: "l" }, spec: { limits: [{ type: "Pod", max: { cpu: "1" } }] } };
  await server.transport().request({ method: "POST", path, headers: {}, body: JSON.stringify(limit) });
  await create("replicasets", {
    metadata: { name: "web" },
    spec: { replicas: 1, selector: { matchLabels: { app: "web" } }, template: template("web") },
  });
  await pass(0);
  const refused = expect.stringMatching(
    /^Warning FailedCreate Error creating: pods "web-[a-z0-9]{5}" is forbidden: maximum cpu usage per Pod is 1\. {2}No limit is specified$/,
  );
  // The second try follows the write of the condition ReplicaFailure.
  expect(await seen()).toEqual([refused, refused]);
});

test("an event is deleted an hour after its last write", async () => {
  const { create, clock, pass, seen, server } = simulate();
  await create("pods", pod("a"));
  await pass(2);
  expect(await seen()).toHaveLength(4);
  await clock.advance(3_597_000);
  expect(await seen()).toHaveLength(4);
  await clock.advance(2_000);
  expect(await seen()).toEqual([]);
  expect(server.workloads.nextDue(), "the end of an event is no work of the controllers").toBeUndefined();
});

test("a namespace that is being deleted gets no events", async () => {
  const { create, pass, seen, server } = simulate();
  const transport = server.transport();
  await transport.request({ method: "POST", path: "/api/v1/namespaces", headers: {}, body: JSON.stringify({ metadata: { name: "n" } }) });
  const path = "/api/v1/namespaces/n/pods";
  const held = { ...pod("a"), metadata: { name: "a", finalizers: ["example.dev/held"] } };
  await transport.request({ method: "POST", path, headers: {}, body: JSON.stringify(held) });
  await pass(2);
  await transport.request({ method: "DELETE", path: "/api/v1/namespaces/n", headers: {} });
  await pass(3);
  const response = await transport.request({ method: "GET", path: "/api/v1/namespaces/n/events", headers: {} });
  expect((JSON.parse(response.body ?? "{}") as Json)["items"]).toEqual([]);
  await create("pods", pod("b"));
  await pass(2);
  expect(await seen("b")).toHaveLength(4);
});
