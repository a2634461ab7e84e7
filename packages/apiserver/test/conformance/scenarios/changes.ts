/** Sequences: events of watchers, pages during changes, generations, and a CRD with changes of its schema and versions. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";

const merge = { "content-type": "application/merge-patch+json" };
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

export const changes: readonly Scenario[] = [
  {
    name: "transitions",
    async run({ quietly, watch, gadgets }) {
      const label = (name: string, value: string | null): Promise<Json> =>
        quietly("PATCH", `${gadgets}/${name}`, { body: { metadata: { labels: { in: value } } }, headers: merge });
      await quietly("POST", gadgets, { body: gadget("a") });
      const from = (await quietly("GET", gadgets))["metadata"].resourceVersion as string; // of a list
      await label("a", "yes");
      await quietly("POST", gadgets, { body: gadget("b", {}, { metadata: { labels: { in: "yes" }, finalizers: ["a.b/c"] } }) });
      await quietly("PATCH", `${gadgets}/b`, { body: { spec: { size: 2 } }, headers: merge });
      await label("a", "no");
      await quietly("DELETE", `${gadgets}/b`);
      await label("b", null);
      await quietly("PATCH", `${gadgets}/b`, { body: { metadata: { finalizers: null } }, headers: merge });
      await label("a", "yes");
      await quietly("DELETE", `${gadgets}/a`);
      const since = `${gadgets}?watch=true&resourceVersion=${from}`;
      await watch("everything", since, 9);
      await watch("by label", `${since}&labelSelector=in%3Dyes`, 8);
      await watch("by name", `${since}&fieldSelector=metadata.name%3Db`, 5);
      await watch("by absence of a label", `${since}&labelSelector=!in`, 3);
      await watch(
        "nothing at first, with bookmarks",
        `${gadgets}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
        1,
      );
    },
  },
  {
    name: "pages",
    async run({ send, quietly, gadgets }) {
      for (const name of ["a", "b", "c", "d", "e"]) await quietly("POST", gadgets, { body: gadget(name) });
      const first = await send("the first", "GET", gadgets, { query: "limit=2" });
      await quietly("DELETE", `${gadgets}/c`);
      await quietly("POST", gadgets, { body: gadget("aa") });
      await quietly("POST", gadgets, { body: gadget("cc") });
      const token = (page: Json): string => `limit=2&continue=${encodeURIComponent(String(page["metadata"]?.continue))}`;
      const second = await send("the second is of the same moment", "GET", gadgets, { query: token(first) });
      await send("the third", "GET", gadgets, { query: token(second) });
      await send("the second again", "GET", gadgets, { query: token(first) });
      await send("a page as large as what is left", "GET", gadgets, { query: token(first).replace("limit=2", "limit=3") });
    },
  },
  {
    name: "generations",
    async run({ send, quietly, gadgets }) {
      await quietly("POST", gadgets, { body: gadget("a", {}, { metadata: { finalizers: ["a.b/one", "a.b/two"] } }) });
      const patch = (step: string, body: Json, sub = ""): Promise<Json> =>
        send(step, "PATCH", `${gadgets}/a${sub}`, { query: "fieldManager=m", body, headers: merge });
      await patch("a label", { metadata: { labels: { a: "b" } } });
      await patch("the spec", { spec: { size: 2 } });
      await patch("the status", { status: { phase: "Ready" } }, "/status");
      await patch("a default written out", { spec: { mode: "slow" } });
      await patch("an unknown field", { spec: { odd: 1 } });
      await send("delete", "DELETE", `${gadgets}/a`);
      await patch("the spec while deleting", { spec: { size: 3 } });
      await patch("the status while deleting", { status: { phase: "Pending" } }, "/status");
      await send("delete again in the foreground", "DELETE", `${gadgets}/a`, { query: "propagationPolicy=Foreground" });
      await patch("its own finalizers removed", { metadata: { finalizers: ["foregroundDeletion"] } });
      await patch("the last one by the status", { metadata: { finalizers: null }, status: { phase: "Ready" } }, "/status");
      await patch("the last one", { metadata: { finalizers: null } });
    },
  },
  { name: "definition", run: definition },
];

const properties = (spec: Json): Json => ({ type: "object", properties: { spec: { type: "object", properties: spec } } });
const version = (name: string, schema: Json, more: Json = {}): Json => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: schema },
  ...more,
});

/** Ratcheting and versions need a separate CRD, in a group that no other run has. */
async function definition({ send, quietly, namespace }: Session): Promise<void> {
  const group = `${namespace}.treadle.dev`;
  const name = `bolts.${group}`;
  const open = properties({ size: { type: "integer" }, tone: { type: "string" }, gone: { type: "string" } });
  const strict = properties({
    size: { type: "integer", maximum: 5 },
    tone: { type: "string", enum: ["low", "high"] },
    extra: { type: "string", default: "x" },
  });
  const spec = (...versions: readonly Json[]): Json => ({ group, scope: "Namespaced", names: { kind: "Bolt", plural: "bolts" }, versions });
  const bolts = (of: string): string => `/apis/${group}/${of}/namespaces/${namespace}/bolts`;
  const bolt = (called: string, given: Json, of = "v1"): Json => ({
    apiVersion: `${group}/${of}`,
    kind: "Bolt",
    metadata: { name: called },
    spec: given,
  });
  const patch = (step: string, body: Json): Promise<Json> => send(step, "PATCH", `${bolts("v1")}/a`, { body, headers: merge });
  // A changed CRD is served, and shown by discovery, a moment later.
  const until = async (path: string, isReady: (answer: Json) => boolean): Promise<void> => {
    for (let tries = 0; tries < 100 && !isReady(await quietly("GET", path)); tries++)
      await new Promise((resolve) => setTimeout(resolve, 100));
  };
  const shows = (count: number): Promise<void> => until(`/apis/${group}`, (answer) => answer["versions"]?.length === count);
  await quietly("POST", CRDS, {
    body: {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: spec(version("v1", open, { storage: true })),
    },
  });
  await until(bolts("v1"), (answer) => answer["kind"] === "BoltList");
  await quietly("POST", bolts("v1"), { body: bolt("a", { size: 9, tone: "odd", gone: "x" }) });
  await quietly("PATCH", `${CRDS}/${name}`, {
    body: { spec: spec(version("v1", strict, { storage: true }), version("v2", strict, { deprecated: true })) },
    headers: merge,
  });
  await until(bolts("v1"), (answer) => answer["items"]?.[0]?.spec?.extra === "x");
  await send("an old object by a new schema", "GET", `${bolts("v1")}/a`);
  await send("the same object in another version", "GET", `${bolts("v2")}/a`);
  await patch("another field changes", { metadata: { labels: { a: "b" } } });
  await patch("a field that was bad gets worse", { spec: { size: 10 } });
  await patch("a field that was bad gets good", { spec: { size: 3 } });
  await patch("and bad again", { spec: { size: 9 } });
  await send("new and bad", "POST", bolts("v1"), { body: bolt("b", { size: 9 }) });
  await send("created in the other version", "POST", bolts("v2"), { body: bolt("c", { size: 2 }, "v2") });
  await send("read in the first", "GET", `${bolts("v1")}/c`);
  await shows(2);
  await send("the group", "GET", `/apis/${group}`);
  await send("the resources of the other version", "GET", `/apis/${group}/v2`);
  await quietly("PATCH", `${CRDS}/${name}`, {
    body: { spec: spec(version("v1", strict, { storage: true }), version("v2", strict, { served: false })) },
    headers: merge,
  });
  await until(bolts("v2"), (answer) => answer["kind"] !== "BoltList");
  await send("a version that is not served any more", "GET", bolts("v2"));
  await shows(1);
  await send("the group with one version", "GET", `/apis/${group}`);
  await quietly("DELETE", `${CRDS}/${name}`);
}
