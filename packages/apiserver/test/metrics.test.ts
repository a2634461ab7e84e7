/** `/metrics`: the counts of requests and of events of watches, in the text format of Prometheus. */
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "@treadle/apimachinery";
import { createApiServer, serveHttp } from "../src/index.ts";
import { RequestMetrics } from "../src/metrics/request-metrics.ts";
import { CONFIG_MAPS, configMap, harness, WIDGETS, widget } from "./harness.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0).toReversed()) await one.close();
});

const SCRAPE = { method: "GET", path: "/metrics", headers: {} } as const;
const ofMaps = 'component="apiserver",dry_run="",group="",resource="configmaps"';

test("a request is counted by its labels and its code", async () => {
  const { call } = harness();
  await call("POST", CONFIG_MAPS, configMap("a"));
  await call("POST", CONFIG_MAPS, configMap("a"));
  await call("POST", `${CONFIG_MAPS}?dryRun=All`, configMap("b"));
  await call("GET", `${CONFIG_MAPS}/a`);
  await call("GET", "/api/v1/configmaps");
  await call("PATCH", `${WIDGETS}/w?fieldManager=m`, widget("w"), { "content-type": "application/apply-patch+yaml" });
  await call("GET", `${WIDGETS}?fieldSelector=metadata.name%3Dw`);
  await call("GET", "/healthz");
  const { text, headers } = await call("GET", "/metrics");
  expect(headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8; escaping=underscores");
  const ofWidgets = 'component="apiserver",dry_run="",group="example.com",resource="widgets"';
  expect(text.split("\n").filter((line) => line.startsWith("apiserver_request_total"))).toEqual([
    `apiserver_request_total{code="200",component="",dry_run="",group="",resource="",scope="",subresource="/healthz",verb="GET",version=""} 1`,
    `apiserver_request_total{code="200",${ofMaps},scope="cluster",subresource="",verb="LIST",version="v1"} 1`,
    `apiserver_request_total{code="200",${ofMaps},scope="resource",subresource="",verb="GET",version="v1"} 1`,
    `apiserver_request_total{code="200",${ofWidgets},scope="resource",subresource="",verb="GET",version="v1"} 1`,
    `apiserver_request_total{code="201",${ofMaps},scope="resource",subresource="",verb="POST",version="v1"} 1`,
    `apiserver_request_total{code="201",${ofWidgets},scope="resource",subresource="",verb="APPLY",version="v1"} 1`,
    `apiserver_request_total{code="201",${ofMaps.replace('dry_run=""', 'dry_run="All"')},scope="resource",subresource="",verb="POST",version="v1"} 1`,
    `apiserver_request_total{code="409",${ofMaps},scope="resource",subresource="",verb="POST",version="v1"} 1`,
  ]);
});

test("a request that no route serves is not counted", async () => {
  const { call } = harness();
  for (const path of ["/api/v1/nopes", `${CONFIG_MAPS}/a/nope`, `${WIDGETS}/a/nope`, "/version", "/nope"]) await call("GET", path);
  await call("PUT", CONFIG_MAPS, configMap("a"));
  expect((await call("GET", "/metrics")).text).toBe("");
});

test("a watch is counted when it ends, with its duration and the events that its client received", async () => {
  const { call, clock, watch } = harness();
  const watching = await watch(`${CONFIG_MAPS}?watch=true&timeoutSeconds=7`);
  await call("POST", CONFIG_MAPS, configMap("a"));
  expect(await watching.take()).toHaveLength(1);
  const events = 'apiserver_watch_events_total{group="",resource="configmaps",version="v1"}';
  const open1 = (await call("GET", "/metrics")).text;
  expect(open1).toContain(`${events} 1\n`);
  expect(open1).not.toContain("WATCH");
  await clock.advance(7_000);
  const { text } = await call("GET", "/metrics");
  const labels = `${ofMaps},scope="namespace",subresource="",verb="WATCH",version="v1"`;
  expect(text).toContain(`apiserver_request_total{code="200",${labels}} 1\n`);
  expect(text).toContain(`apiserver_request_duration_seconds_bucket{${labels},le="6"} 0\n`);
  expect(text).toContain(`apiserver_request_duration_seconds_bucket{${labels},le="8"} 1\n`);
  expect(text).toContain(`apiserver_request_duration_seconds_sum{${labels}} 7\n`);
  expect(text).toContain(`apiserver_request_duration_seconds_count{${labels}} 1\n`);
});

test("metrics need the right to get the path /metrics", async () => {
  const server = createApiServer({ authorization: "RBAC", clock: fakeClock() });
  open.push(server);
  const nobody = server.transport({ as: { user: "nobody" } });
  const refused = await nobody.request(SCRAPE);
  expect(JSON.parse(refused.body ?? "")).toMatchObject({ code: 403, message: expect.stringContaining('cannot get path "/metrics"') });
  const { request } = server.transport();
  const rbac = "/apis/rbac.authorization.k8s.io/v1";
  const post = (path: string, body: object): Promise<unknown> =>
    request({ method: "POST", path: rbac + path, headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  await post("/clusterroles", { metadata: { name: "reader" }, rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }] });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "reader" };
  const subjects = [{ apiGroup: "rbac.authorization.k8s.io", kind: "User", name: "nobody" }];
  await post("/clusterrolebindings", { metadata: { name: "reader" }, roleRef, subjects });
  expect(await nobody.request(SCRAPE)).toMatchObject({ status: 200, body: expect.stringContaining('resource="clusterroles"') });
});

test("metrics over HTTP are text of Prometheus", async () => {
  const server = createApiServer({ clock: fakeClock() });
  const front = await serveHttp(server);
  open.push(server, front);
  await (await fetch(front.url + CONFIG_MAPS)).text();
  const answer = await fetch(`${front.url}/metrics`);
  expect(answer.headers.get("content-type")).toContain("version=0.0.4");
  expect(await answer.text()).toMatch(
    /^# HELP apiserver_request_duration_seconds \[STABLE\] .*\n# TYPE apiserver_request_duration_seconds histogram\n/,
  );
});

test.for([
  { durationMs: 5, bound: "0.005" },
  { durationMs: 5.1, bound: "0.025" },
  { durationMs: 60_000, bound: "60" },
  { durationMs: 60_001, bound: "+Inf" },
])("a duration of $durationMs ms is in the bucket $bound", ({ durationMs, bound }) => {
  const metrics = new RequestMetrics();
  const labels = {
    verb: "GET",
    dryRun: "",
    group: "",
    version: "v1",
    resource: "pods",
    subresource: "",
    scope: "resource",
    component: "x",
  };
  metrics.count(labels, 200, durationMs);
  const lines = metrics.text().split("\n");
  expect(/le="([^"]+)"\} 1$/.exec(lines.find((line) => line.endsWith("} 1")) ?? "")?.[1]).toBe(bound);
});
