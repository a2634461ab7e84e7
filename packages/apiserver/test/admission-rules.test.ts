/** Refusals and defaults that depend on other stored objects: LimitRanges, ports and addresses of Services. */
import { beforeEach, describe, expect, test } from "vitest";
import { type Answer, type Harness, harness, type Json } from "./harness.ts";

const PODS = "/api/v1/namespaces/default/pods";
const SERVICES = "/api/v1/namespaces/default/services";
const CLAIMS = "/api/v1/namespaces/default/persistentvolumeclaims";
let given: Harness;
const call: Harness["call"] = (...request) => given.call(...request);

beforeEach(() => {
  given = harness();
});

const limit = (...limits: readonly Json[]): Promise<Answer> =>
  call("POST", "/api/v1/namespaces/default/limitranges", { metadata: { name: "l" }, spec: { limits } });
const pod = (name: string, resources: Json = {}, spec: Json = {}): Json => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "app", resources }], ...spec },
});
const said = ({ status, body }: Answer): unknown => [status, body["message"]];

describe("limit ranges", () => {
  test("fill in missing requests and limits of containers, and list them in an annotation", async () => {
    await limit({ type: "Container", default: { cpu: "500m", memory: "1Gi" }, defaultRequest: { cpu: "100m" } });
    const { body } = await call("POST", PODS, pod("a", { limits: { cpu: "1" } }));
    expect(body["spec"].containers[0].resources).toEqual({
      limits: { cpu: "1", memory: "1Gi" },
      requests: { cpu: "1", memory: "1Gi" },
    });
    expect(body["metadata"].annotations).toEqual({
      "kubernetes.io/limit-ranger": "LimitRanger plugin set: memory request for container main; memory limit for container main",
    });
    expect(body["status"].qosClass).toBe("Guaranteed");
    expect(JSON.stringify(body["metadata"].managedFields)).not.toContain("limit-ranger");
  });

  test.for<[string, Json, string]>([
    ["too little", { requests: { cpu: "10m" }, limits: { cpu: "40m" } }, "minimum cpu usage per Container is 50m, but request is 10m"],
    [
      "no limit",
      { requests: { cpu: "50m" } },
      "[maximum cpu usage per Container is 2.  No limit is specified, cpu max limit to request ratio per Container is 4, but no limit is specified or limit is 0]",
    ],
    [
      "a far limit",
      { requests: { cpu: "100m" }, limits: { cpu: "1" } },
      "cpu max limit to request ratio per Container is 4, but provided ratio is 10.000000",
    ],
  ])("refuse a container that wants %s", async ([, resources, cause]) => {
    // A maximum would be the default limit of containers without one, so this item has no defaults.
    const item = { type: "Container", min: { cpu: "50m" }, max: { cpu: "2" }, maxLimitRequestRatio: { cpu: "4" } };
    await limit(item);
    const ranges = given.server.handle({ method: "GET", path: "/api/v1/namespaces/default/limitranges/l", headers: {} });
    const stored = JSON.parse((await ranges).body ?? "") as Json;
    expect(stored["spec"].limits[0].default).toEqual({ cpu: "2" });
    const answer = await call("POST", PODS, pod("a", resources));
    if (cause.startsWith("[")) expect(answer.status).toBe(403);
    else expect(said(answer)).toEqual([403, `pods "a" is forbidden: ${cause}`]);
  });

  test("add up the requests of a pod's containers, in their units", async () => {
    await limit({ type: "Pod", max: { memory: "100Mi" } });
    const memory = { resources: { limits: { memory: "60Mi" } }, image: "app" };
    const containers = ["a", "b"].map((name) => ({ name, ...memory }));
    const cause = "maximum memory usage per Pod is 100Mi, but limit is 120Mi";
    expect(said(await call("POST", PODS, pod("a", {}, { containers })))).toEqual([403, `pods "a" is forbidden: ${cause}`]);
    const initContainers = [{ name: "first", image: "app", resources: { limits: { memory: "90Mi" } } }];
    expect((await call("POST", PODS, pod("b", {}, { containers: containers.slice(0, 1), initContainers }))).status).toBe(201);
  });

  test("limit new claims", async () => {
    await limit({ type: "PersistentVolumeClaim", max: { storage: "1Gi" } });
    const claim = (storage: string): Json => ({
      metadata: { name: "c" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
    });
    expect(said(await call("POST", CLAIMS, claim("2Gi")))).toEqual([
      403,
      'persistentvolumeclaims "c" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    ]);
    expect((await call("POST", CLAIMS, claim("1Gi"))).status).toBe(201);
  });
});

describe("a Service cannot", () => {
  const service = (name: string, port: Json, spec: Json = {}): Json => ({
    metadata: { name },
    spec: { type: "NodePort", ports: [{ port: 80, ...port }], ...spec },
  });

  test("use a port out of the range, also after an update", async () => {
    const cause = "provided port is not in the valid range. The range of valid ports is 30000-32767";
    const refused = [422, `Service "a" is invalid: spec.ports[0].nodePort: Invalid value: 80: ${cause}`];
    expect(said(await call("POST", SERVICES, service("a", { nodePort: 80 })))).toEqual(refused);
    await call("POST", SERVICES, service("a", { nodePort: 30080 }));
    expect(said(await given.merge(`${SERVICES}/a`, { spec: { ports: [{ port: 80, nodePort: 80 }] } }))).toEqual(refused);
  });

  test("use the port of another Service until that is deleted, but its own one for two protocols", async () => {
    await call("POST", SERVICES, service("a", { nodePort: 30080 }));
    const cause = "spec.ports[0].nodePort: Invalid value: 30080: provided port is already allocated";
    expect(said(await call("POST", SERVICES, service("b", { nodePort: 30080 })))).toEqual([422, `Service "b" is invalid: ${cause}`]);
    expect((await call("POST", `${SERVICES}?dryRun=All`, service("b", { nodePort: 30080 }))).status).toBe(422);
    expect((await call("POST", `${SERVICES}?dryRun=All`, service("b", { nodePort: 80 }))).status).toBe(201);
    expect((await call("POST", SERVICES, service("b", { nodePort: 30080, protocol: "UDP" }))).status).toBe(422);
    const ports = ["TCP", "UDP"].map((protocol) => ({ name: protocol.toLowerCase(), port: 80, nodePort: 30081, protocol }));
    expect((await call("POST", SERVICES, service("c", {}, { ports }))).status).toBe(201);
    expect((await given.merge(`${SERVICES}/a`, { metadata: { labels: { a: "b" } } })).status).toBe(200);
    await call("DELETE", `${SERVICES}/a`);
    expect((await call("POST", SERVICES, service("b", { nodePort: 30080 }))).status).toBe(201);
  });

  test("use the address of another Service", async () => {
    await call("POST", SERVICES, service("a", {}, { clusterIP: "10.96.1.1" }));
    const cause = 'spec.clusterIPs: Invalid value: ["10.96.1.1"]: failed to allocate IP 10.96.1.1: provided IP is already allocated';
    expect(said(await call("POST", SERVICES, service("b", {}, { clusterIP: "10.96.1.1" })))).toEqual([
      422,
      `Service "b" is invalid: ${cause}`,
    ]);
  });
});

test("a field selector finds events by their source in both API groups", async () => {
  const event = {
    metadata: { name: "e" },
    regarding: { namespace: "default" },
    eventTime: "2001-02-03T04:05:06.000000Z",
    type: "Normal",
    action: "A",
    reason: "R",
    reportingController: "c",
    reportingInstance: "i",
  };
  expect((await call("POST", "/apis/events.k8s.io/v1/namespaces/default/events", event)).status).toBe(201);
  const count = async (path: string): Promise<number> => (await call("GET", path)).body["items"].length;
  expect(await count("/api/v1/namespaces/default/events?fieldSelector=source%3Dc")).toBe(1);
  expect(await count("/api/v1/namespaces/default/events?fieldSelector=source%3Dother")).toBe(0);
  expect(await count("/apis/events.k8s.io/v1/namespaces/default/events?fieldSelector=reportingController%3Dc")).toBe(1);
});

test("a negative grace period of a pod becomes one second, also in an update", async () => {
  await call("POST", PODS, pod("a", {}, { terminationGracePeriodSeconds: -1 }));
  const { body } = await call("GET", `${PODS}/a`);
  const answer = await call("PUT", `${PODS}/a`, { ...body, spec: { ...body["spec"], terminationGracePeriodSeconds: -1 } });
  expect([answer.status, answer.body["spec"].terminationGracePeriodSeconds]).toEqual([200, 1]);
});
