/** Writes of the status of built-in kinds, and the finalizers that protect claims and volumes. */
import { fakeClock } from "@treadle/apimachinery";
import { describe, expect, test } from "vitest";
import { harness, type Harness, type Json } from "./harness.ts";

const containers = [{ name: "a", image: "a" }];
const template = { metadata: { labels: { a: "b" } }, spec: { containers } };
const selector = { matchLabels: { a: "b" } };
const DEFAULT = "/api/v1/namespaces/default";

async function written({ merge }: Harness, path: string, status: Json): Promise<Json> {
  const { status: code, body } = await merge(`${path}/status`, { status });
  const causes = body["details"]?.causes?.map((cause: Json) => `${cause["field"]}: ${cause["message"]}`);
  return code === 200 ? body["status"] : { code, causes };
}

describe("the status of a workload", () => {
  const path = "/apis/apps/v1/namespaces/default/deployments";

  test("is refused with a negative number, in each way to write it", async () => {
    const given = harness();
    const { body } = await given.call("POST", path, { metadata: { name: "a" }, spec: { selector, template } });
    const causes = ["status.unavailableReplicas: Invalid value: -1: must be greater than or equal to 0"];
    expect(await written(given, `${path}/a`, { unavailableReplicas: -1 })).toEqual({ code: 422, causes });
    const replaced = await given.call("PUT", `${path}/a/status`, { ...body, status: { unavailableReplicas: -1 } });
    expect(replaced.status).toBe(422);
    const applied = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, status: { unavailableReplicas: -1 } };
    const headers = { "content-type": "application/apply-patch+yaml" };
    expect((await given.call("PATCH", `${path}/a/status?fieldManager=m`, applied, headers)).status).toBe(422);
    expect((await given.call("GET", `${path}/a`)).body["status"]).toEqual(body["status"]);
  });

  test("is refused with more ready replicas than replicas", async () => {
    const given = harness();
    await given.call("POST", path, { metadata: { name: "a" }, spec: { selector, template } });
    const causes = ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"];
    expect(await written(given, `${path}/a`, { replicas: 1, readyReplicas: 2 })).toEqual({ code: 422, causes });
    expect(await written(given, `${path}/a`, { replicas: 2, readyReplicas: 2 })).toMatchObject({ replicas: 2, readyReplicas: 2 });
  });
});

test("the phase of a namespace follows from its deletion only", async () => {
  const given = harness();
  await given.call("POST", "/api/v1/namespaces", { metadata: { name: "a", finalizers: ["example.com/keep"] } });
  const path = "/api/v1/namespaces/a";
  expect(await written(given, path, { phase: "Terminating" })).toEqual({
    code: 422,
    causes: ["status.Phase: Invalid value: \"Terminating\": may only be 'Active' if `deletionTimestamp` is empty"],
  });
  await given.call("DELETE", path);
  expect(await written(given, path, { phase: "Active" })).toMatchObject({ code: 422 });
  expect((await given.call("GET", path)).body["status"].phase).toBe("Terminating");
});

describe("the addresses of a pod", () => {
  async function pod(): Promise<Harness> {
    const given = harness();
    await given.call("POST", `${DEFAULT}/pods`, { metadata: { name: "a" }, spec: { containers } });
    return given;
  }

  test.for<{ readonly name: string; readonly status: Json; readonly want: Json }>([
    { name: "podIP fills podIPs", status: { podIP: "10.0.0.1" }, want: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] } },
    { name: "podIPs fills podIP", status: { podIPs: [{ ip: "10.0.0.1" }] }, want: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] } },
    {
      name: "podIP decides when the two differ",
      status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.2" }] },
      want: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }] },
    },
    {
      name: "a second family stays",
      status: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
      want: { podIP: "10.0.0.1", podIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] },
    },
  ])("$name", async ({ status, want }) => {
    expect(await written(await pod(), `${DEFAULT}/pods/a`, status)).toMatchObject(want);
  });

  test("are refused when they are not addresses, or two of one family", async () => {
    const given = await pod();
    const path = `${DEFAULT}/pods/a`;
    expect(await written(given, path, { podIP: "x" })).toMatchObject({
      causes: [expect.stringMatching(/^status\.podIPs\[0\]: .*must be a valid IP address/)],
    });
    expect(await written(given, path, { podIPs: [{ ip: "10.0.0.1" }, { ip: "10.0.0.2" }] })).toMatchObject({ code: 422 });
  });
});

describe("the finalizer that protects a volume or a claim", () => {
  const claims = `${DEFAULT}/persistentvolumeclaims`;
  const volumes = "/api/v1/persistentvolumes";
  const claim = { metadata: { name: "a" }, spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } } };
  const volume = {
    metadata: { name: "a", finalizers: ["example.com/keep"] },
    spec: { capacity: { storage: "1Gi" }, accessModes: ["ReadWriteOnce"], hostPath: { path: "/a" } },
  };

  test("is in the answer to the create, without a manager, when the controllers are simulated", async () => {
    const { call } = harness({ workloads: true, clock: fakeClock() });
    const created = await call("POST", claims, claim);
    expect(created.body["metadata"].finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    expect(JSON.stringify(created.body["metadata"].managedFields)).not.toContain("f:finalizers");
    const { body } = await call("POST", volumes, volume);
    expect(body["metadata"].finalizers).toEqual(["example.com/keep", "kubernetes.io/pv-protection"]);
  });

  test("is removed by the simulated controllers after the deletion", async () => {
    const { call, server } = harness({ workloads: true, clock: fakeClock() });
    await call("POST", claims, claim);
    expect((await call("DELETE", `${claims}/a`)).body["metadata"].finalizers).toEqual(["kubernetes.io/pvc-protection"]);
    await server.settled();
    expect((await call("GET", `${claims}/a`)).status).toBe(404);
  });

  test("is not added without the controllers, because the deleted object would stay", async () => {
    const { call } = harness();
    expect((await call("POST", claims, claim)).body["metadata"].finalizers).toBeUndefined();
    await call("DELETE", `${claims}/a`);
    expect((await call("GET", `${claims}/a`)).status).toBe(404);
  });
});
