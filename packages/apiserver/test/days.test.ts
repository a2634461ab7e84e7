/**
 * A local cluster that runs for a week of virtual time.
 *
 * @module-tag memory
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fakeClock, type FakeClock, seededRandom } from "@treadle/apimachinery";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type LocalCluster, startLocalCluster } from "../src/index.ts";
import type { Json } from "./harness.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let folder: string;
let clock: FakeClock;
let cluster: LocalCluster;
/** Ends the clients of a test. */
let end: AbortController;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "treadle-days-"));
  clock = fakeClock();
  end = new AbortController();
  cluster = await startLocalCluster({
    kubeconfig: join(folder, "kubeconfig"),
    server: { clock, random: seededRandom(1), workloads: true },
  });
});

afterEach(async () => {
  end.abort();
  await cluster.close();
  await rm(folder, { recursive: true });
});

async function call(method: "GET" | "POST" | "DELETE", path: string, body?: object): Promise<Json> {
  const response = await cluster.server.handle({
    method,
    path,
    headers: {},
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return JSON.parse(response.body ?? "{}") as Json;
}

/** Follows a kind as clients do: it opens the watch again when the server ends it. Returns the number of watches so far. */
async function follow(path: string): Promise<() => number> {
  const { signal } = end;
  let opened = 0;
  const open = async (): Promise<void> => {
    opened++;
    const { stream } = await cluster.server.handle({ method: "GET", path, headers: {}, stream: true, signal });
    void (async () => {
      for await (const _ of stream ?? []);
      if (!signal.aborted) await open();
    })();
  };
  await open();
  return () => opened;
}

async function work(name: string): Promise<void> {
  await call("POST", "/api/v1/namespaces", { metadata: { name } });
  const of = (plural: string): string => `/api/v1/namespaces/${name}/${plural}`;
  await cluster.server.settled();
  expect(await call("GET", `${of("serviceaccounts")}/default`), `the account of ${name}`).toMatchObject({ kind: "ServiceAccount" });
  expect(await call("GET", `${of("configmaps")}/kube-root-ca.crt`), `the authority of ${name}`).toMatchObject({ kind: "ConfigMap" });
  await call("DELETE", `${of("serviceaccounts")}/default`);
  const owner = await call("POST", of("configmaps"), { metadata: { name: "owner" } });
  const { uid } = owner["metadata"];
  const ownerReferences = [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid }];
  await call("POST", of("configmaps"), { metadata: { name: "owned", ownerReferences } });
  await call("DELETE", `${of("configmaps")}/owner`);
  const template = { metadata: { labels: { app: "web" } }, spec: { containers: [{ name: "web", image: "web" }] } };
  const spec = { replicas: 2, selector: { matchLabels: { app: "web" } }, template };
  await call("POST", `/apis/apps/v1/namespaces/${name}/deployments`, { metadata: { name: "web" }, spec });
  await cluster.server.settled();
  await clock.advance(60_000);
  await cluster.server.settled();
  expect(await call("GET", `${of("serviceaccounts")}/default`), `the restored account of ${name}`).toMatchObject({
    kind: "ServiceAccount",
  });
  expect(await call("GET", `${of("configmaps")}/owned`), `the owned object of ${name}`).toMatchObject({ code: 404 });
  const { status } = await call("GET", `/apis/apps/v1/namespaces/${name}/deployments/web`);
  expect(status, `the Deployment of ${name}`).toMatchObject({ readyReplicas: 2 });
}

test("a local cluster works after seven days as in its first minute", { timeout: 60_000 }, async () => {
  const opened = await follow("/api/v1/configmaps?watch=true&allowWatchBookmarks=true");
  const pod = { restartPolicy: "Never", containers: [{ name: "a", image: "a" }] };
  const spec = { schedule: "0 * * * *", jobTemplate: { spec: { template: { spec: pod } } } };
  await call("POST", "/apis/batch/v1/namespaces/default/cronjobs", { metadata: { name: "hourly" }, spec });
  const start = clock.now();
  const { metadata } = await call("GET", "/api/v1/configmaps");
  await work("day-0");
  for (let day = 1; day <= 7; day++) {
    while (clock.now() < start + day * DAY_MS) {
      await clock.advance(HOUR_MS / 2);
      await cluster.server.settled();
    }
    await work(`day-${day}`);
  }
  const { status } = await call("GET", "/apis/batch/v1/namespaces/default/cronjobs/hourly");
  expect(clock.now() - Date.parse(String(status.lastScheduleTime)), "the age of the newest Job").toBeLessThanOrEqual(HOUR_MS);
  const old = await call("GET", `/api/v1/configmaps?resourceVersion=${metadata.resourceVersion}&resourceVersionMatch=Exact`);
  expect(old, "a list of the first day").toMatchObject({ code: 410, reason: "Expired" });
  // A watch ends after 30 to 60 minutes.
  expect(opened(), "the watches of a client that opens them again").toBeGreaterThan(7 * 24);
  end.abort();
  expect(cluster.server.watchCount, "open watches of the server itself").toBe(0);
});
