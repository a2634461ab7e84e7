import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, harness, type Json, seen, WIDGETS, widget } from "./harness.ts";

const CRD = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";

describe("delete", () => {
  test("answers with a Status", async () => {
    const { call } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    const answer = await call("DELETE", `${WIDGETS}/a`);
    expect(answer).toMatchObject({
      status: 200,
      body: { kind: "Status", status: "Success", details: { name: "a", group: "example.com", kind: "widgets", uid: body["metadata"].uid } },
    });
    expect((await call("DELETE", `${WIDGETS}/a`)).status).toBe(404);
  });

  test("waits for finalizers, and removes the object after the last one", async () => {
    const { call, merge, watch } = harness();
    const { body } = await call("POST", WIDGETS, widget("a", { metadata: { finalizers: ["example.com/x"] } }));
    const watching = await watch(`${WIDGETS}?watch=true&resourceVersion=${body["metadata"].resourceVersion}`);
    const marked = await call("DELETE", `${WIDGETS}/a`);
    expect(marked.body["metadata"]).toMatchObject({
      deletionTimestamp: "2026-01-01T00:00:00Z",
      deletionGracePeriodSeconds: 0,
      generation: 2,
    });
    expect((await call("DELETE", `${WIDGETS}/a`)).body).toEqual(marked.body);
    const last = await merge(`${WIDGETS}/a`, { metadata: { finalizers: null } });
    expect(last.status).toBe(200);
    expect(last.body["metadata"]).not.toHaveProperty("finalizers");
    expect((await call("GET", `${WIDGETS}/a`)).status).toBe(404);
    expect(seen(await watching.take())).toEqual(["MODIFIED a", "DELETED a"]);
  });

  test("refuses a new finalizer during a deletion", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a", { metadata: { finalizers: ["example.com/x"] } }));
    await call("DELETE", `${WIDGETS}/a`);
    const answer = await merge(`${WIDGETS}/a`, { metadata: { finalizers: ["example.com/x", "example.com/y"] } });
    expect(answer.status).toBe(422);
    expect(answer.body["message"]).toBe(
      'Widget.example.com "a" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"example.com/y"}',
    );
    expect((await merge(`${WIDGETS}/a`, { spec: { size: 5 } })).status).toBe(200);
  });

  test("checks its preconditions", async () => {
    const { call } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    const wrongUid = await call("DELETE", `${WIDGETS}/a`, { preconditions: { uid: "other" } });
    expect(wrongUid.status).toBe(409);
    expect(wrongUid.body["message"]).toBe(
      `Operation cannot be fulfilled on Widget.example.com "a": the UID in the precondition (other) does not match the UID in record (${body["metadata"].uid}). The object might have been deleted and then recreated`,
    );
    expect((await call("DELETE", `${WIDGETS}/a`, { preconditions: { resourceVersion: "1" } })).status).toBe(409);
    const { uid, resourceVersion } = body["metadata"];
    expect((await call("DELETE", `${WIDGETS}/a`, { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });

  test("records its propagation policy for the garbage collector", async () => {
    const { call } = harness();
    await call("POST", WIDGETS, widget("a"));
    const { body } = await call("DELETE", `${WIDGETS}/a?propagationPolicy=Foreground`);
    expect(body["metadata"].finalizers).toEqual(["foregroundDeletion"]);
    expect((await call("DELETE", `${WIDGETS}/a?propagationPolicy=Soon`)).status).toBe(422);
  });

  test("of a collection deletes the selected objects", async () => {
    const { call } = harness();
    await call("POST", CONFIG_MAPS, configMap("a", { metadata: { labels: { x: "y" } } }));
    await call("POST", CONFIG_MAPS, configMap("b"));
    const { body } = await call("DELETE", `${CONFIG_MAPS}?labelSelector=x%3Dy`);
    expect(body["items"]).toHaveLength(1);
    expect((await call("GET", CONFIG_MAPS)).body["items"]).toHaveLength(1);
  });

  test("leaves a pod on a node to its kubelet, and removes a pod without a node", async () => {
    const { call } = harness();
    const pods = "/api/v1/namespaces/default/pods";
    const containers = [{ name: "a", image: "i" }];
    await call("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "free" }, spec: { containers } });
    await call("POST", pods, { apiVersion: "v1", kind: "Pod", metadata: { name: "placed" }, spec: { nodeName: "n", containers } });
    await call("DELETE", `${pods}/free`);
    expect((await call("GET", `${pods}/free`)).status).toBe(404);
    const { body } = await call("DELETE", `${pods}/placed`);
    expect(body["metadata"]).toMatchObject({ deletionTimestamp: "2026-01-01T00:00:30Z", deletionGracePeriodSeconds: 30 });
    await call("DELETE", `${pods}/placed`, { gracePeriodSeconds: 0 });
    expect((await call("GET", `${pods}/placed`)).status).toBe(404);
  });
});

describe("a namespace", () => {
  test("is deleted with its content, and accepts no new objects meanwhile", async () => {
    const { call, merge } = harness();
    await call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } });
    await call("POST", "/api/v1/namespaces/team/configmaps", configMap("a"));
    const widgets = "/apis/example.com/v1/namespaces/team/widgets";
    await call("POST", widgets, widget("held", { metadata: { finalizers: ["example.com/x"] } }));
    const { body } = await call("DELETE", "/api/v1/namespaces/team");
    expect(body).toMatchObject({ kind: "Namespace", status: { phase: "Terminating" } });
    expect((await call("GET", "/api/v1/namespaces/team/configmaps")).body["items"]).toEqual([]);
    expect((await call("GET", `${widgets}/held`)).body["metadata"]).toHaveProperty("deletionTimestamp");
    const late = await call("POST", "/api/v1/namespaces/team/configmaps", configMap("b"));
    expect(late.status).toBe(403);
    expect(late.body["message"]).toBe(
      'configmaps "b" is forbidden: unable to create new content in namespace team because it is being terminated',
    );
    expect(late.body["details"].causes[0].reason).toBe("NamespaceTerminating");
    await merge(`${widgets}/held`, { metadata: { finalizers: null } });
    expect((await call("GET", "/api/v1/namespaces/team")).status).toBe(404);
    expect((await call("POST", "/api/v1/namespaces", { apiVersion: "v1", kind: "Namespace", metadata: { name: "team" } })).status).toBe(
      201,
    );
  });
});

test("the system namespaces cannot be deleted, and neither can a collection of namespaces", async () => {
  const { call } = harness();
  const answer = await call("DELETE", "/api/v1/namespaces/kube-system");
  expect(answer.status).toBe(403);
  expect(answer.body["message"]).toBe('namespaces "kube-system" is forbidden: this namespace may not be deleted');
  expect((await call("DELETE", "/api/v1/namespaces")).status).toBe(405);
});

describe("a CRD", () => {
  test("is deleted with its objects, and waits for their finalizers", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("free"));
    await call("POST", WIDGETS, widget("held", { metadata: { finalizers: ["example.com/x"] } }));
    const { body } = await call("DELETE", CRD);
    expect(body["metadata"].finalizers).toEqual(["customresourcecleanup.apiextensions.k8s.io"]);
    expect((await call("GET", WIDGETS)).body["items"]).toHaveLength(1);
    await merge(`${WIDGETS}/held`, { metadata: { finalizers: null } });
    expect((await call("GET", CRD)).status).toBe(404);
    expect((await call("GET", WIDGETS)).text).toBe("404 page not found\n");
  });
});

test.for([
  { name: "without finalizers of its own", finalizers: undefined },
  { name: "with one of its own", finalizers: ["example.com/y"] },
])("a namespace $name tells what is left in it, and stays through every write until nothing is", async ({ finalizers }) => {
  const { call, merge } = harness();
  const path = "/api/v1/namespaces/team";
  await call("POST", "/api/v1/namespaces", {
    apiVersion: "v1",
    kind: "Namespace",
    metadata: { name: "team", ...(finalizers && { finalizers }) },
  });
  await call("POST", `${path}/configmaps`, { ...configMap("a"), metadata: { name: "a", finalizers: ["example.com/x"] } });
  await call("DELETE", path);
  const told = async (): Promise<readonly string[]> =>
    (await call("GET", path)).body["status"].conditions.slice(3).map((each: Json) => `${each["status"]}: ${each["message"]}`);
  expect(await told()).toEqual([
    "True: Some resources are remaining: configmaps. has 1 resource instances",
    "True: Some content in the namespace has finalizers remaining: example.com/x in 1 resource instances",
  ]);
  expect((await merge(path, { metadata: { labels: { a: "b" } } })).status).toBe(200);
  expect((await call("GET", `${path}/configmaps/a`)).status).toBe(200);
  await merge(`${path}/configmaps/a`, { metadata: { finalizers: null } });
  if (finalizers !== undefined) {
    expect(await told()).toEqual(["False: All content successfully removed", "False: All content-preserving finalizers finished"]);
    expect((await call("GET", path)).body["spec"]).toEqual({});
    await merge(path, { metadata: { finalizers: null } });
  }
  expect((await call("GET", path)).status).toBe(404);
});
