import { describe, expect, test } from "vitest";
import { CONFIG_MAPS, configMap, harness, type Harness, type Json, WIDGETS, widget, widgetCrd } from "./harness.ts";

async function fill({ call }: Harness, count: number): Promise<void> {
  for (let i = 0; i < count; i++)
    await call("POST", CONFIG_MAPS, configMap(`cm-${i}`, { metadata: { labels: { even: String(i % 2 === 0) } } }));
}

function names(list: Json): readonly string[] {
  return list["items"].map((item: Json) => item["metadata"].name);
}

describe("list", () => {
  test("has the order of names and the current version", async () => {
    const given = harness();
    await given.call("POST", CONFIG_MAPS, configMap("b"));
    await given.call("POST", CONFIG_MAPS, configMap("a"));
    const { body } = await given.call("GET", CONFIG_MAPS);
    expect(body).toMatchObject({ kind: "ConfigMapList", apiVersion: "v1", metadata: { resourceVersion: given.server.resourceVersion } });
    expect(names(body)).toEqual(["a", "b"]);
  });

  test("has no kind and apiVersion in items of built-in kinds, but in custom ones, as on the real server", async () => {
    const { call } = harness();
    await call("POST", CONFIG_MAPS, configMap("a"));
    await call("POST", WIDGETS, widget("a"));
    expect((await call("GET", CONFIG_MAPS)).body["items"][0]).not.toHaveProperty("kind");
    expect((await call("GET", WIDGETS)).body["items"][0]).toMatchObject({ kind: "Widget", apiVersion: "example.com/v1" });
  });

  test("pages show one revision, whatever changes between them", async () => {
    const given = harness();
    await fill(given, 5);
    const first = (await given.call("GET", `${CONFIG_MAPS}?limit=2`)).body;
    expect(first["metadata"].remainingItemCount).toBe(3);
    await given.call("DELETE", `${CONFIG_MAPS}/cm-3`);
    await given.call("POST", CONFIG_MAPS, configMap("cm-25"));
    const second = (await given.call("GET", `${CONFIG_MAPS}?limit=2&continue=${first["metadata"].continue}`)).body;
    const third = (await given.call("GET", `${CONFIG_MAPS}?limit=2&continue=${second["metadata"].continue}`)).body;
    expect([first, second, third].flatMap(names)).toEqual(["cm-0", "cm-1", "cm-2", "cm-3", "cm-4"]);
    expect(new Set([first, second, third].map((page) => page["metadata"].resourceVersion)).size).toBe(1);
    expect(third["metadata"]).not.toHaveProperty("continue");
  });

  test("pages of a selection do not count the remaining items", async () => {
    const given = harness();
    await fill(given, 5);
    const { body } = await given.call("GET", `${CONFIG_MAPS}?limit=2&labelSelector=even%3Dtrue`);
    expect(names(body)).toEqual(["cm-0", "cm-2"]);
    expect(body["metadata"]).not.toHaveProperty("remainingItemCount");
    expect(body["metadata"].continue).toBeTypeOf("string");
  });

  test("an expired page gets 410 with a token for the current objects", async () => {
    const given = harness();
    await fill(given, 3);
    const first = (await given.call("GET", `${CONFIG_MAPS}?limit=1`)).body;
    await given.call("DELETE", `${CONFIG_MAPS}/cm-1`);
    given.server.compact();
    const gone = await given.call("GET", `${CONFIG_MAPS}?limit=1&continue=${first["metadata"].continue}`);
    expect(gone).toMatchObject({ status: 410, body: { reason: "Expired" } });
    const rest = await given.call("GET", `${CONFIG_MAPS}?continue=${gone.body["metadata"].continue}`);
    expect(names(rest.body)).toEqual(["cm-2"]);
  });

  test("an exact version gives the state at that version, a future one times out, and version 0 has no pages", async () => {
    const given = harness();
    await fill(given, 2);
    const { resourceVersion } = given.server;
    await given.call("DELETE", `${CONFIG_MAPS}/cm-0`);
    const then = await given.call("GET", `${CONFIG_MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(names(then.body)).toEqual(["cm-0", "cm-1"]);
    expect(then.body["metadata"].resourceVersion).toBe(resourceVersion);
    expect(
      names((await given.call("GET", `${CONFIG_MAPS}?resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`)).body),
    ).toEqual(["cm-1"]);
    const future = await given.call("GET", `${CONFIG_MAPS}?resourceVersion=9999`);
    expect(future).toMatchObject({ status: 504, headers: { "retry-after": "1" }, body: { reason: "Timeout" } });
    expect(future.body["message"]).toMatch(/^Timeout: Too large resource version: 9999, current: \d+$/);
    expect((await given.call("GET", `${CONFIG_MAPS}?resourceVersion=0&limit=1`)).body["metadata"]).not.toHaveProperty("continue");
  });

  test.for([
    { query: "continue=%21%21", status: 400, message: /continue key is not valid/ },
    { query: "limit=many", status: 400, message: /strconv.ParseInt/ },
    { query: "resourceVersionMatch=Exact", status: 422, message: /resourceVersionMatch is forbidden unless resourceVersion is provided/ },
    {
      query: "resourceVersion=0&resourceVersionMatch=Exact",
      status: 422,
      message: /resourceVersionMatch "exact" is forbidden for resourceVersion "0"/,
    },
    {
      query: "resourceVersion=1&resourceVersionMatch=Older",
      status: 422,
      message: /Unsupported value: "Older": supported values: "Exact", "NotOlderThan", ""/,
    },
    { query: "labelSelector=%3D", status: 400, message: /unable to parse requirement|found/ },
    {
      query: "fieldSelector=data.a%3Db",
      status: 400,
      message: /"data.a" is not a known field selector: only "metadata.name", "metadata.namespace"/,
    },
  ])("refuses $query", async ({ query, status, message }) => {
    const answer = await harness().call("GET", `${CONFIG_MAPS}?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.body["message"]).toMatch(message);
  });

  test("selects by the selectable fields of a CRD", async () => {
    const { call } = harness({ resources: [widgetCrd(undefined, { selectableFields: [{ jsonPath: ".spec.mode" }] })] });
    await call("POST", WIDGETS, widget("a", { spec: { mode: "fast" } }));
    await call("POST", WIDGETS, widget("b"));
    expect(names((await call("GET", `${WIDGETS}?fieldSelector=spec.mode%3Dfast`)).body)).toEqual(["a"]);
    expect(names((await call("GET", `${WIDGETS}?fieldSelector=spec.mode!%3Dfast`)).body)).toEqual(["b"]);
  });
});

describe("discovery", () => {
  test("lists what is served", async () => {
    const { call } = harness();
    const { body } = await call("GET", "/apis/example.com/v1");
    expect(body).toMatchObject({ kind: "APIResourceList", groupVersion: "example.com/v1" });
    expect(body["resources"]).toMatchObject([
      { name: "widgets", singularName: "widget", namespaced: true, kind: "Widget", shortNames: ["wd"] },
      { name: "widgets/status", singularName: "", kind: "Widget", verbs: ["get", "patch", "update"] },
    ]);
    expect((await call("GET", "/api")).body["versions"]).toEqual(["v1"]);
    expect((await call("GET", "/apis")).body["groups"].map((group: Json) => group["name"])).toContain("example.com");
    expect((await call("GET", "/apis/apps")).body).toMatchObject({ kind: "APIGroup", preferredVersion: { groupVersion: "apps/v1" } });
    expect((await call("GET", "/version")).body["major"]).toBe("1");
    for (const path of ["/healthz", "/readyz", "/livez"]) expect((await call("GET", path)).text).toBe("ok");
    const scale = (await call("GET", "/apis/apps/v1")).body["resources"].find((one: Json) => one["name"] === "deployments/scale");
    expect(scale).toMatchObject({ group: "autoscaling", version: "v1", kind: "Scale" });
  });

  test("has an aggregated document", async () => {
    const { call } = harness();
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const { body, headers } = await call("GET", "/apis", undefined, { accept });
    expect(headers["content-type"]).toContain("as=APIGroupDiscoveryList");
    const group = body["items"].find((item: Json) => item["metadata"].name === "example.com");
    expect(group.versions[0].resources).toMatchObject([
      { resource: "widgets", scope: "Namespaced", subresources: [{ subresource: "status" }] },
    ]);
  });

  test("serves an event in both of its API groups", async () => {
    const { call } = harness();
    const event = {
      apiVersion: "events.k8s.io/v1",
      kind: "Event",
      metadata: { name: "e" },
      note: "hello",
      regarding: { name: "a" },
      reason: "R",
      action: "Act",
      type: "Normal",
      eventTime: "2026-01-02T03:04:05.000006Z",
      reportingController: "example.com/a",
      reportingInstance: "a",
    };
    expect((await call("POST", "/apis/events.k8s.io/v1/namespaces/default/events", event)).status).toBe(201);
    const core = (await call("GET", "/api/v1/namespaces/default/events/e")).body;
    expect(core).toMatchObject({ apiVersion: "v1", message: "hello", involvedObject: { name: "a" } });
    expect((await call("GET", "/api/v1/events?fieldSelector=involvedObject.name%3Da")).body["items"]).toHaveLength(1);
    expect((await call("GET", "/apis/events.k8s.io/v1/namespaces/default/events/e")).body).toMatchObject({
      note: "hello",
      regarding: { name: "a" },
    });
  });
});
