import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, harness, WIDGETS, widget } from "./harness.ts";

describe("create", () => {
  test("sets the server's fields and ignores those of the client", async () => {
    const { call } = harness();
    const { status, body } = await call(
      "POST",
      WIDGETS,
      widget("a", {
        metadata: {
          uid: "mine",
          generation: 7,
          creationTimestamp: "2001-01-01T00:00:00Z",
          deletionTimestamp: "2001-01-01T00:00:00Z",
          selfLink: "x",
        },
        status: { phase: "Ready" },
      }),
    );
    expect(status).toBe(201);
    expect(body["metadata"]).toMatchObject({ namespace: "default", generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" });
    expect(body["metadata"].uid).toMatch(/^uid-/);
    expect(body["metadata"]).not.toHaveProperty("deletionTimestamp");
    expect(body["metadata"]).not.toHaveProperty("selfLink");
    expect(body).not.toHaveProperty("status");
    expect(body["spec"]).toEqual({ size: 1, mode: "slow" });
  });

  test.for([
    {
      name: "an object that exists",
      body: configMap("twice"),
      status: 409,
      reason: "AlreadyExists",
      message: 'configmaps "twice" already exists',
    },
    {
      name: "a bad name",
      body: configMap("A_b"),
      status: 422,
      reason: "Invalid",
      message: /^ConfigMap "A_b" is invalid: metadata\.name: Invalid value: "A_b": a lowercase RFC 1123 subdomain must consist/,
    },
    {
      name: "no name",
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: {} },
      status: 422,
      reason: "Invalid",
      message: 'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    },
    {
      name: "another namespace",
      body: configMap("a", { metadata: { namespace: "other" } }),
      status: 400,
      reason: "BadRequest",
      message: "the namespace of the provided object does not match the namespace sent on the request",
    },
    {
      name: "another version",
      body: { apiVersion: "v2", kind: "ConfigMap", metadata: { name: "a" } },
      status: 400,
      reason: "BadRequest",
      message:
        'ConfigMap in version "v2" cannot be handled as a ConfigMap: no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"',
    },
    {
      name: "a resourceVersion",
      body: configMap("a", { metadata: { resourceVersion: "1" } }),
      status: 500,
      reason: undefined,
      message: "resourceVersion should not be set on objects to be created",
    },
    {
      name: "no kind of a built-in one that is another's",
      body: { apiVersion: "apps/v1", metadata: { name: "a" } },
      status: 400,
      reason: "BadRequest",
      message: /no kind "ConfigMap" is registered for version "apps\/v1"/,
    },
    { name: "no JSON", body: "{nope", status: 400, reason: "BadRequest", message: /couldn't get version\/kind; json parse error/ },
    { name: "a list", body: "[]", status: 400, reason: "BadRequest", message: /unrecognized/ },
    {
      name: "labels of numbers",
      body: configMap("a", { metadata: { labels: { a: 1 } } }),
      status: 400,
      reason: "BadRequest",
      message: /cannot unmarshal number/,
    },
    {
      name: "a bad label",
      body: configMap("a", { metadata: { labels: { "a b": "c" } } }),
      status: 422,
      reason: "Invalid",
      message: /metadata\.labels: Invalid value: "a b": name part must consist of/,
    },
    {
      name: "two controllers",
      body: configMap("a", {
        metadata: {
          ownerReferences: [
            { apiVersion: "v1", kind: "Pod", name: "x", uid: "1", controller: true },
            { apiVersion: "v1", kind: "Pod", name: "y", uid: "2", controller: true },
          ],
        },
      }),
      status: 422,
      reason: "Invalid",
      message: /Only one reference can have Controller set to true\. Found "true" in references for Pod\/x and Pod\/y/,
    },
  ])("refuses $name", async ({ body, status, reason, message }) => {
    const { call } = harness();
    await call("POST", CONFIG_MAPS, configMap("twice"));
    const answer = await call("POST", CONFIG_MAPS, body);
    expect(answer).toMatchObject({ status, body: { kind: "Status", status: "Failure", code: status } });
    expect(answer.body["reason"]).toBe(reason);
    if (typeof message === "string") expect(answer.body["message"]).toBe(message);
    else expect(answer.body["message"]).toMatch(message);
  });

  test("generates a free name for generateName", async () => {
    const { call } = harness();
    const names = new Set<string>();
    for (let i = 0; i < 20; i++) {
      const { status, body } = await call("POST", CONFIG_MAPS, { apiVersion: "v1", kind: "ConfigMap", metadata: { generateName: "cm-" } });
      expect(status).toBe(201);
      expect(body["metadata"].name).toMatch(/^cm-[b-z2-9]{5}$/);
      names.add(body["metadata"].name);
    }
    expect(names.size).toBe(20);
  });

  test("needs an existing namespace", async () => {
    const { call } = harness();
    const { status, body } = await call("POST", "/api/v1/namespaces/nope/configmaps", configMap("a"));
    expect(status).toBe(404);
    expect(body["message"]).toBe('namespaces "nope" not found');
    expect(body["details"]).toEqual({ name: "nope", kind: "namespaces" });
  });

  test("moves stringData of a Secret to data", async () => {
    const { call } = harness();
    const secret = { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, data: { a: "YQ==" }, stringData: { b: "b" } };
    const { body } = await call("POST", "/api/v1/namespaces/default/secrets", secret);
    expect(body).toMatchObject({ type: "Opaque", data: { a: "YQ==", b: "Yg==" } });
    expect(body).not.toHaveProperty("stringData");
  });

  test("keeps the status of a new Node", async () => {
    const { call } = harness();
    const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n" }, status: { capacity: { cpu: "1" } } };
    expect((await call("POST", "/api/v1/nodes", node)).body["status"]).toMatchObject(node.status);
  });

  test("reads YAML and answers in YAML", async () => {
    const { call } = harness();
    const yaml = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: why\ndata:\n  a: b\n";
    const { status, text } = await call("POST", CONFIG_MAPS, yaml, { "content-type": "application/yaml", accept: "application/yaml" });
    expect(status).toBe(201);
    expect(text).toContain("kind: ConfigMap\n");
    expect((await call("GET", `${CONFIG_MAPS}/why`)).body["data"]).toEqual({ a: "b" });
  });

  test("stores nothing in a dry run", async () => {
    const { call } = harness();
    expect(await call("POST", `${CONFIG_MAPS}?dryRun=All`, configMap("a"))).toMatchObject({
      status: 201,
      body: { metadata: { name: "a" } },
    });
    expect((await call("GET", `${CONFIG_MAPS}/a`)).status).toBe(404);
    expect((await call("POST", `${CONFIG_MAPS}?dryRun=Some`, configMap("a"))).status).toBe(422);
  });
});

describe("update", () => {
  test("refuses an old version with the text of the server", async () => {
    const { call } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    await call("PUT", `${WIDGETS}/a`, { ...body, spec: { size: 2 } });
    const answer = await call("PUT", `${WIDGETS}/a`, { ...body, spec: { size: 3 } });
    expect(answer.status).toBe(409);
    expect(answer.body["reason"]).toBe("Conflict");
    expect(answer.body["message"]).toBe(
      'Operation cannot be fulfilled on widgets.example.com "a": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(answer.body["details"]).toEqual({ name: "a", group: "example.com", kind: "widgets" });
  });

  test("needs a version for custom resources, and none for ConfigMaps", async () => {
    const { call } = harness();
    await call("POST", WIDGETS, widget("a"));
    const refused = await call("PUT", `${WIDGETS}/a`, widget("a"));
    expect(refused.status).toBe(422);
    expect(refused.body["message"]).toBe(
      'widgets.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    );
    await call("POST", CONFIG_MAPS, configMap("a"));
    expect((await call("PUT", `${CONFIG_MAPS}/a`, configMap("a", { data: { a: "b" } }))).status).toBe(200);
  });

  test("changes nothing when nothing changed: same version, no event", async () => {
    const { call, watch, merge } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    const watching = await watch(`${WIDGETS}?watch=1&resourceVersion=${body["metadata"].resourceVersion}`);
    expect((await call("PUT", `${WIDGETS}/a`, body)).body).toEqual(body);
    expect((await merge(`${WIDGETS}/a`, { spec: { size: 1 } }, "other")).body).toEqual(body);
    expect((await merge(`${WIDGETS}/a/status`, {}, "other")).body).toEqual(body);
    expect(await watching.take()).toEqual([]);
  });

  test("increases the generation only for the spec", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const generation = async (patch: unknown, path = ""): Promise<number> =>
      (await merge(`${WIDGETS}/a${path}`, patch)).body["metadata"].generation;
    expect(await generation({ metadata: { labels: { a: "b" } } })).toBe(1);
    expect(await generation({ status: { phase: "x" } }, "/status")).toBe(1);
    expect(await generation({ spec: { size: 2 } })).toBe(2);
    expect(await generation({ metadata: { generation: 9 } })).toBe(2);
  });

  test("keeps spec and status separate", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    await merge(`${WIDGETS}/a/status`, { metadata: { labels: { a: "b" } }, spec: { size: 9 }, status: { phase: "Ready" } });
    const { body } = await merge(`${WIDGETS}/a`, { spec: { size: 2 }, status: { phase: "Lost" } });
    expect(body).toMatchObject({ spec: { size: 2 }, status: { phase: "Ready" } });
    expect(body["metadata"]).not.toHaveProperty("labels");
  });

  test.for([
    { name: "uid", patch: { uid: "other" }, message: /metadata\.uid: Invalid value: "other": field is immutable/ },
    {
      name: "deletionTimestamp",
      patch: { deletionTimestamp: "2026-01-01T00:00:00Z" },
      message: /metadata\.deletionTimestamp: Invalid value: .*field is immutable/,
    },
  ])("refuses another $name", async ({ patch, message }) => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    const answer = await merge(`${WIDGETS}/a`, { metadata: patch });
    expect(answer.status).toBe(422);
    expect(answer.body["message"]).toMatch(message);
  });

  test("refuses another uid in a PUT as a failed precondition, and another name as a bad request", async () => {
    const { call } = harness();
    const { body } = await call("POST", WIDGETS, widget("a"));
    const wrongUid = await call("PUT", `${WIDGETS}/a`, { ...body, metadata: { ...body["metadata"], uid: "x" } });
    expect(wrongUid.status).toBe(409);
    expect(wrongUid.body["message"]).toContain(`Precondition failed: UID in precondition: x, UID in object meta: ${body["metadata"].uid}`);
    const wrongName = await call("PUT", `${WIDGETS}/a`, { ...body, metadata: { ...body["metadata"], name: "b" } });
    expect(wrongName.body["message"]).toBe("the name of the object (b) does not match the name on the URL (a)");
  });

  test("creates an object if its kind allows that", async () => {
    const { call } = harness();
    const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata: { name: "l" }, spec: { holderIdentity: "me" } };
    expect((await call("PUT", "/apis/coordination.k8s.io/v1/namespaces/default/leases/l", lease)).status).toBe(201);
    expect((await call("PUT", `${CONFIG_MAPS}/none`, configMap("none"))).status).toBe(404);
  });
});

describe("patch", () => {
  const json = { "content-type": "application/json-patch+json" };

  test("applies a JSON patch, all or nothing", async () => {
    const { call } = harness();
    await call("POST", WIDGETS, widget("a"));
    const failing = await call(
      "PATCH",
      `${WIDGETS}/a`,
      [
        { op: "replace", path: "/spec/size", value: 5 },
        { op: "test", path: "/spec/size", value: 6 },
      ],
      json,
    );
    expect(failing.status).toBe(422);
    expect(failing.body).toMatchObject({ reason: "Invalid", details: {} });
    const { body } = await call(
      "PATCH",
      `${WIDGETS}/a`,
      [
        { op: "test", path: "/spec/size", value: 1 },
        { op: "replace", path: "/spec/size", value: 5 },
      ],
      json,
    );
    expect(body["spec"].size).toBe(5);
  });

  test.for([
    { name: "alone", first: [] },
    { name: "after a replace of what is not there", first: [{ op: "replace", path: "/metadata/labels", value: {} }] },
  ])("a few copies that double the object again and again are refused, $name", async ({ first }) => {
    const { call } = harness();
    await call("POST", CONFIG_MAPS, configMap("a"));
    const copies = Array.from({ length: 40 }, (_, i) => ({ op: "copy", from: "/metadata", path: `/metadata/k${i}` }));
    expect((await call("PATCH", `${CONFIG_MAPS}/a`, [...first, ...copies], json)).status).toBe(422);
  });

  test("treats resourceVersion in a patch as a precondition", async () => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    expect((await merge(`${WIDGETS}/a`, { metadata: { resourceVersion: "1" }, spec: { size: 2 } })).status).toBe(409);
    expect((await merge(`${WIDGETS}/a/status`, { metadata: { resourceVersion: "1" }, status: { phase: "x" } })).status).toBe(409);
  });

  test.for([
    { name: "strategic merge patch", type: "application/strategic-merge-patch+json", status: 415 },
    { name: "plain JSON", type: "application/json", status: 415 },
  ])("refuses $name", async ({ type, status }) => {
    const { call } = harness();
    await call("POST", WIDGETS, widget("a"));
    const answer = await call("PATCH", `${WIDGETS}/a`, {}, { "content-type": type });
    expect(answer.status).toBe(status);
    expect(answer.body["message"]).toContain("accepted media types include: application/json-patch+json, application/merge-patch+json");
  });

  test.for([
    { name: "no JSON", body: "{", status: 400 },
    { name: "a list as merge patch", body: "[]", status: 400 },
    { name: "another kind", body: { kind: "Gadget" }, status: 422 },
    { name: "no metadata", body: { metadata: null }, status: 400 },
  ])("refuses $name", async ({ body, status }) => {
    const { call, merge } = harness();
    await call("POST", WIDGETS, widget("a"));
    expect((await merge(`${WIDGETS}/a`, body)).status).toBe(status);
  });

  test("answers 404 for a missing object", async () => {
    const { merge } = harness();
    expect((await merge(`${WIDGETS}/none`, {})).body["message"]).toBe('widgets.example.com "none" not found');
  });
});

describe("what is not served", () => {
  test.for([
    { path: "/nope", status: 404, text: "404 page not found\n" },
    { path: "/apis/none.example.com/v1/things", status: 404, text: "404 page not found\n" },
    { path: "/api/v1/nothings", status: 404, text: /the server could not find the requested resource/ },
    { path: "/apis/apps/v1/namespaces/default/deployments/x/nope", status: 404, text: /the server could not find the requested resource/ },
    { path: "/api/v1/namespaces/default/nodes", status: 404, text: /the server could not find/ },
    { path: "//api/v1", status: 404, text: "404 page not found\n" },
    { path: "/api//v1", status: 404, text: /the server could not find the requested resource/ },
    { path: "/api/v1/namespaces/%ZZ/pods", status: 400, text: "400 Bad Request" },
    { path: `${CONFIG_MAPS}/%2e%2e`, status: 400, text: /Name parameter invalid/ },
  ])("GET $path", async ({ path, status, text }) => {
    const answer = await harness().call("GET", path);
    expect(answer.status).toBe(status);
    if (typeof text === "string") expect(answer.text).toBe(text);
    else expect(answer.text).toMatch(text);
  });

  test("a method that a path does not have is answered with 405", async () => {
    const { call } = harness();
    expect((await call("PUT", CONFIG_MAPS, {})).status).toBe(405);
    expect((await call("POST", `${CONFIG_MAPS}/a`, {})).status).toBe(405);
    expect((await call("DELETE", `${WIDGETS}/a/status`)).status).toBe(405);
  });

  test("a body that is too big is answered with 413, one of another type with 415", async () => {
    const { call } = harness();
    expect((await call("POST", CONFIG_MAPS, configMap("a", { data: { a: "x".repeat(3 * 1024 * 1024) } }))).status).toBe(413);
    expect((await call("POST", CONFIG_MAPS, "x", { "content-type": "application/vnd.kubernetes.protobuf" })).status).toBe(400);
    expect((await call("POST", CONFIG_MAPS, "x", { "content-type": "application/cbor" })).status).toBe(415);
    expect((await call("GET", WIDGETS, undefined, { accept: "application/vnd.kubernetes.protobuf" })).status).toBe(406);
    expect((await call("GET", CONFIG_MAPS, undefined, { accept: "__proto__" })).status).toBe(406);
    expect((await call("GET", CONFIG_MAPS, undefined, { accept: "constructor, application/json" })).headers["content-type"]).toBe(
      "application/json",
    );
  });
});

test("a namespace keeps its name as a label after any update", async () => {
  const { call, merge } = harness();
  await call("POST", "/api/v1/namespaces", { metadata: { name: "kept" } });
  const { body } = await merge("/api/v1/namespaces/kept", { metadata: { labels: { "kubernetes.io/metadata.name": "other", a: "b" } } });
  expect(body["metadata"].labels).toEqual({ "kubernetes.io/metadata.name": "kept", a: "b" });
});

test("a replaced namespace keeps the finalizers of its content", async () => {
  const { call } = harness();
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "kept" } };
  await call("POST", "/api/v1/namespaces", namespace);
  expect((await call("PUT", "/api/v1/namespaces/kept", namespace)).body["spec"]).toEqual({ finalizers: ["kubernetes"] });
  expect((await call("GET", "/api/v1/namespaces/kept")).body["spec"]).toEqual({ finalizers: ["kubernetes"] });
});
