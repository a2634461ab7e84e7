/** `/metrics`: who may read it, and what it counts. Only counts that no controller of the real server changes are compared. */
import { gadget } from "../gadget.ts";
import type { Scenario, Session } from "../session.ts";

const COUNTED = /^(apiserver_request_total|apiserver_request_duration_seconds_(?:count|bucket))(\{.*\}) (\d+)$/;
/** Requests in a namespace. Controllers list and watch in all namespaces. */
const OWN = /resource="(?:gadgets|podtemplates)",scope="(?:namespace|resource)"/;
const EVENTS = /^apiserver_watch_events_total\{group="",resource="podtemplates",version="v1"\} (\d+)$/m;

function countsIn(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").flatMap((line) => {
    const [, name = "", labels = "", value = ""] = COUNTED.exec(line) ?? [];
    // Only the last bucket is the same on each run.
    return OWN.test(labels) && !/le="\d/.test(labels) ? [[name + labels, Number(value)] as const] : [];
  });
  return new Map(lines);
}

/** Number of watches that {@link sendAll} opens for two kinds. */
const WATCHES = 4;

/** Waits until the watches are counted, which end after a second. */
async function afterWatches({ read }: Session, before: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> {
  const watches = (counts: ReadonlyMap<string, number>): number =>
    [...counts].reduce((sum, [name, value]) => sum + (/_total\{code="200".*verb="WATCH"/.test(name) ? value : 0), 0);
  for (let tries = 0; ; tries++) {
    const counts = countsIn(await read("/metrics"));
    if (watches(counts) - watches(before) >= WATCHES || tries === 50) return counts;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const eventsIn = (text: string): number => Number(EVENTS.exec(text)?.[1] ?? 0);

const template = (name: string): object => ({
  apiVersion: "v1",
  kind: "PodTemplate",
  metadata: { name },
  template: { spec: { containers: [{ name: "a", image: "b" }] } },
});

/** Sends requests of many forms to the objects at `path`. */
async function sendAll({ quietly }: Session, path: string, object: (name: string) => object): Promise<void> {
  const apply = { "content-type": "application/apply-patch+yaml" };
  const merge = { "content-type": "application/merge-patch+json" };
  for (const name of ["a", "a", "b"]) await quietly("POST", path, { body: object(name) });
  await quietly("POST", path, { query: "dryRun=All", body: object("c") });
  await quietly("POST", path, { query: "dryRun=Some", body: object("c") });
  await quietly("POST", path, { query: "dryRun=All&dryRun=All", body: object("c") });
  await quietly("POST", path, { body: "no object" });
  await quietly("POST", `${path}/a`, { body: object("a") });
  await quietly("PUT", `${path}/a`, { body: object("a") });
  await quietly("PUT", path, { body: object("a") });
  await quietly("PATCH", `${path}/a`, { query: "fieldManager=m&force=true", body: object("a"), headers: apply });
  await quietly("PATCH", `${path}/a`, { body: {}, headers: merge });
  await quietly("PATCH", `${path}/a`, { body: {}, headers: { "content-type": "text/plain" } });
  for (const name of ["a", "none", "a/status", "a/scale", "a/other"]) await quietly("GET", `${path}/${name}`);
  await quietly("GET", path);
  await quietly("GET", path, { query: "limit=x" });
  await quietly("GET", path, { query: "fieldSelector=metadata.name%3Da" });
  await quietly("GET", path, { headers: { accept: "text/html" } });
  await quietly("GET", path, { headers: { "impersonate-user": "nobody" } });
  await quietly("GET", path, { query: "watch=true&timeoutSeconds=1" });
  await quietly("GET", `${path}`, { query: "watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Da" });
  await quietly("GET", path, { query: "watch=true&labelSelector=%21%21" });
  await quietly("HEAD" as "GET", `${path}/a`);
  await quietly("DELETE", `${path}/a`);
  await quietly("DELETE", path);
}

export const requestMetrics: readonly Scenario[] = [
  {
    name: "metrics of requests",
    async run(session) {
      const { gadgets, namespace, note, read, send } = session;
      await send("a user without a right", "GET", "/metrics", { headers: { "impersonate-user": "nobody" } });
      const before = countsIn(await read("/metrics"));
      await sendAll(session, gadgets, gadget);
      await sendAll(session, `/api/v1/namespaces/${namespace}/podtemplates`, template);
      const after = await afterWatches(session, before);
      const changes = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
      note("counts", Object.fromEntries(changes.filter(([, change]) => change !== 0)));
    },
  },
  {
    name: "metrics of watches",
    async run({ namespace, note, quietly, read, send, watch }) {
      const path = `/api/v1/namespaces/${namespace}/podtemplates`;
      const create = async (...names: readonly string[]): Promise<void> => {
        for (const name of names) await quietly("POST", path, { body: template(name) });
      };
      // Controllers of the real server watch the kind, too: they get the events of both halves.
      const start = eventsIn(await read("/metrics"));
      await create("a", "b");
      await quietly("GET", path, { query: "resourceVersion=0" });
      await send("the objects exist", "GET", path, { query: "fieldSelector=metadata.name%3Da" });
      const between = eventsIn(await read("/metrics"));
      await watch("a watch", `${path}?watch=true&resourceVersion=0`, 4, () => create("c", "d"));
      const end = eventsIn(await read("/metrics"));
      note("events of the watch", end - between - (between - start));
    },
  },
];
