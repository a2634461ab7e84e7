/** Actions of pods, and subresources that write a part of an object. `conformance` compares the answers. */
import { describe, expect, test } from "vitest";
import { partOf } from "../src/builtin/partial-writes.ts";
import { harness, type Harness, type Json } from "./harness.ts";

const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";

const pod: Json = {
  metadata: { name: "a", labels: { app: "a" } },
  spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" } } }] },
};
const eviction: Json = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "a" } };

/** Returns a server with a running pod, and a budget that allows this number of disruptions. */
async function running(disruptionsAllowed: number): Promise<Harness> {
  const given = harness();
  await given.call("POST", PODS, pod);
  await given.merge(`${PODS}/a/status`, { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } });
  await given.call("POST", BUDGETS, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { app: "a" } } } });
  await given.merge(`${BUDGETS}/b/status`, { status: { observedGeneration: 1, desiredHealthy: 1, currentHealthy: 1, disruptionsAllowed } });
  return given;
}

describe("an eviction", () => {
  test("is refused with 429 when the budget allows no disruption", async () => {
    const { call } = await running(0);
    const { status, body } = await call("POST", `${PODS}/a/eviction`, eviction);
    expect([status, body["reason"]]).toEqual([429, "TooManyRequests"]);
    expect(body["details"].causes).toEqual([
      { reason: "DisruptionBudget", message: "The disruption budget b needs 1 healthy pods and has 1 currently" },
    ]);
    expect((await call("GET", `${PODS}/a`)).status).toBe(200);
  });

  test("deletes the pod and uses one disruption of its budget", async () => {
    const { call } = await running(1);
    expect((await call("POST", `${PODS}/a/eviction`, eviction)).body).toMatchObject({ status: "Success", code: 201 });
    expect((await call("GET", `${PODS}/a`)).status).toBe(404);
    const { status } = (await call("GET", `${BUDGETS}/b`)).body;
    expect(status).toMatchObject({ disruptionsAllowed: 0, disruptedPods: { a: expect.any(String) } });
    expect(status.conditions).toMatchObject([{ type: "DisruptionAllowed", status: "False" }]);
  });

  test("adds a condition with the reason to the pod", async () => {
    const { call } = await running(1);
    await call(
      "PATCH",
      `${PODS}/a`,
      { metadata: { finalizers: ["example.com/kept"] } },
      { "content-type": "application/merge-patch+json" },
    );
    await call("POST", `${PODS}/a/eviction`, eviction);
    const { metadata, status } = (await call("GET", `${PODS}/a`)).body;
    expect(metadata.deletionTimestamp).toEqual(expect.any(String));
    const reason = { status: "True", reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };
    expect(status.conditions).toContainEqual(expect.objectContaining({ type: "DisruptionTarget", ...reason }));
  });

  test("in a dry run changes nothing", async () => {
    const { call, server } = await running(1);
    const before = server.resourceVersion;
    expect((await call("POST", `${PODS}/a/eviction?dryRun=All`, eviction)).status).toBe(201);
    expect(server.resourceVersion).toBe(before);
  });
});

test("a deletion without a body has the preconditions of the query", async () => {
  const { call } = harness();
  await call("POST", PODS, pod);
  expect((await call("DELETE", `${PODS}/a?resourceVersion=1`)).status).toBe(409);
  expect((await call("DELETE", `${PODS}/a?uid=other`)).status).toBe(409);
  expect((await call("DELETE", `${PODS}/a?uid=`)).status).toBe(200);
});

test("a bound pod stays for its grace period", async () => {
  const { call } = harness();
  await call("POST", PODS, pod);
  const binding = { apiVersion: "v1", kind: "Binding", metadata: { name: "a" }, target: { kind: "Node", name: "n" } };
  expect((await call("POST", `${PODS}/a/binding`, binding)).status).toBe(201);
  expect((await call("POST", `${PODS}/a/binding`, binding)).body["message"]).toContain('is already assigned to node "n"');
  expect((await call("DELETE", `${PODS}/a`)).body["metadata"]).toMatchObject({ deletionGracePeriodSeconds: 30 });
  expect((await call("DELETE", `${PODS}/a`, { gracePeriodSeconds: 0 })).status).toBe(200);
  expect((await call("GET", `${PODS}/a`)).status).toBe(404);
});

test("a write of a subresource of a pod ignores the other sent fields", async () => {
  const { call } = harness();
  await call("POST", PODS, pod);
  const headers = { "content-type": "application/strategic-merge-patch+json" };
  const spec = { terminationGracePeriodSeconds: 1, containers: [{ name: "c", resources: { requests: { cpu: "2" } } }] };
  const { body } = await call("PATCH", `${PODS}/a/resize`, { metadata: { labels: { z: "z" } }, spec }, headers);
  expect(body["spec"]).toMatchObject({
    terminationGracePeriodSeconds: 30,
    containers: [{ image: "i", resources: { requests: { cpu: "2" } } }],
  });
  expect(body["metadata"]).toMatchObject({ labels: { app: "a" }, generation: 2 });
});

test("a write to `approval` of a certificate request changes only the conditions of its status", () => {
  const take = partOf("certificatesigningrequests.certificates.k8s.io", "approval");
  const conditions = [{ type: "Other" }, { type: "Approved" }];
  const sent = { status: { certificate: "Yg==", conditions } };
  const live = { spec: 1, status: { certificate: "YQ==", conditions: [{ type: "Failed" }] } };
  expect(take?.(sent, live)).toEqual({ spec: 1, status: { certificate: "YQ==", conditions } });
  expect(partOf("pods", "absent")).toBeUndefined();
});

test("a deleted namespace waits until its own finalizers are removed", async () => {
  const { call } = harness();
  const namespace = (finalizers: readonly string[]): Json => ({ metadata: { name: "held" }, spec: { finalizers } });
  await call("POST", "/api/v1/namespaces", { metadata: { name: "held" } });
  await call("PUT", "/api/v1/namespaces/held/finalize", namespace(["kubernetes", "a.b/c"]));
  await call("DELETE", "/api/v1/namespaces/held");
  expect((await call("GET", "/api/v1/namespaces/held")).body["status"]).toMatchObject({ phase: "Terminating" });
  expect((await call("PUT", "/api/v1/namespaces/held/finalize", namespace([]))).status).toBe(200);
  expect((await call("GET", "/api/v1/namespaces/held")).status).toBe(404);
});
