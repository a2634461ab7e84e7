/** Tables, tested through the API. The conformance scenarios compare them with those of Kubernetes. */
import { expect, test } from "vitest";
import { configMap, CONFIG_MAPS, harness, widget, widgetCrd, WIDGETS } from "./harness.ts";

const TABLE = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json" };
const columns = [
  { name: "Size", type: "integer", jsonPath: ".spec.size" },
  { name: "Born", type: "date", jsonPath: ".metadata.creationTimestamp", priority: 1 },
];

test("a table of custom resources has the columns of the CRD, and ages follow the server's clock", async () => {
  const { call, clock } = harness({ resources: [widgetCrd(undefined, { additionalPrinterColumns: columns })] });
  await call("POST", WIDGETS, widget("a", { spec: { size: 7 } }));
  await clock.advance(150_000);
  await call("POST", WIDGETS, widget("b"));
  const { body, headers } = await call("GET", WIDGETS, undefined, TABLE);
  expect(headers["content-type"]).toBe("application/json");
  expect(body).toMatchObject({ kind: "Table", apiVersion: "meta.k8s.io/v1" });
  expect(body["columnDefinitions"].map((column: object) => Object.values(column).slice(0, 2))).toEqual([
    ["Name", "string"],
    ["Size", "integer"],
    ["Born", "date"],
  ]);
  expect(body["rows"].map((row: { cells: unknown }) => row.cells)).toEqual([
    ["a", 7, "2m30s"],
    ["b", 1, "0s"],
  ]);
  expect(body["rows"][0].object).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "a" } });
});

test("a table without columns shows the age, and a new definition is effective at once", async () => {
  const { call } = harness();
  await call("POST", WIDGETS, widget("a"));
  const cells = async (): Promise<unknown> => (await call("GET", WIDGETS, undefined, TABLE)).body["rows"][0].cells;
  expect(await cells()).toEqual(["a", "0s"]);
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.example.com";
  const { body } = await call("GET", path);
  body["spec"].versions[0].additionalPrinterColumns = [columns[0]];
  await call("PUT", path, body);
  expect(await cells()).toEqual(["a", 1]);
});

test.for([
  ["None", null],
  ["Object", { kind: "ConfigMap", data: { x: "1" } }],
  ["Metadata", { kind: "PartialObjectMetadata" }],
])("rows hold what is asked for: %s", async ([include, object]) => {
  const { call } = harness();
  await call("POST", CONFIG_MAPS, configMap("a", { data: { x: "1" } }));
  const { body } = await call("GET", `${CONFIG_MAPS}?includeObject=${String(include)}`, undefined, TABLE);
  if (object === null) expect(body["rows"][0].object).toBeNull();
  else expect(body["rows"][0].object).toMatchObject(object as object);
});

test("a watch sends tables with one row, and only the first has the columns", async () => {
  const { call, watch } = harness();
  await call("POST", CONFIG_MAPS, configMap("a"));
  const watching = await watch(`${CONFIG_MAPS}?watch=true`, TABLE);
  await call("POST", CONFIG_MAPS, configMap("b", { data: { x: "1" } }));
  await call("DELETE", `${CONFIG_MAPS}/a`);
  const events = await watching.take();
  expect(events.map(({ type, object }) => [type, object.kind, object.rows[0].cells, object.columnDefinitions?.length])).toEqual([
    ["ADDED", "Table", ["a", 0, "0s"], 3],
    ["ADDED", "Table", ["b", 1, "0s"], undefined],
    ["DELETED", "Table", ["a", 0, "0s"], undefined],
  ]);
  watching.stop();
});

test.for(["configmaps", "pods", "services", "nodes", "events", "jobs", "deployments"])(
  "the bookmark after a streaming list of %s is the row of an empty object",
  async (plural) => {
    const { watch } = harness();
    const root = ["jobs"].includes(plural) ? "/apis/batch/v1" : plural === "deployments" ? "/apis/apps/v1" : "/api/v1";
    const query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const watching = await watch(`${root}/${plural}?${query}&labelSelector=no=body`, TABLE);
    const [event] = await watching.take();
    expect(event).toMatchObject({ type: "BOOKMARK", object: { kind: "Table", rows: [{ object: { kind: "PartialObjectMetadata" } }] } });
    expect(event?.object.rows[0].object.metadata).toEqual({
      resourceVersion: expect.any(String),
      annotations: { "k8s.io/initial-events-end": "true" },
    });
    watching.stop();
  },
);

test("a row of another version shows the metadata of the stored form", async () => {
  const { call } = harness();
  const autoscalers = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers";
  await call("POST", autoscalers, {
    metadata: { name: "a", annotations: { note: "kept" } },
    spec: {
      maxReplicas: 3,
      scaleTargetRef: { kind: "Deployment", name: "web" },
      metrics: [{ type: "Resource", resource: { name: "memory", target: { type: "Utilization", averageUtilization: 5 } } }],
    },
  });
  const path = autoscalers.replace("/v2/", "/v1/");
  expect((await call("GET", path)).body["items"][0].metadata.annotations).toHaveProperty(["autoscaling.alpha.kubernetes.io/metrics"]);
  const { body } = await call("GET", path, undefined, TABLE);
  expect(body["rows"][0].object.metadata.annotations).toEqual({ note: "kept" });
});
