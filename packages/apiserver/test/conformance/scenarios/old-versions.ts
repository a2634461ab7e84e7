/**
 * Versions that are too old. The scenarios of {@link oldVersions} need a real server that compacts its history every few
 * seconds (`--etcd-compaction-interval`), so `run.ts` plays them only with `--compaction-seconds`.
 */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const merge = { "content-type": "application/merge-patch+json" };

/** A change of a CRD needs no compaction: the real server makes a new watch cache then. */
export const changedDefinitions: readonly Scenario[] = [
  {
    name: "versions before a changed definition",
    async run(session) {
      const { send, quietly, watch, namespace } = session;
      const plural = `n${namespace.replaceAll("-", "")}`;
      const definition = `${CRDS}/${plural}.conformance.treadle.dev`;
      const path = `/apis/conformance.treadle.dev/v1/namespaces/${namespace}/${plural}`;
      const before = await quietly("POST", `/api/v1/namespaces/${namespace}/configmaps`, { body: { metadata: { name: "before" } } });
      await quietly("POST", CRDS, { body: definitionOf(plural, "first") });
      await isServed(session, path);
      await watch("before the definition", `${path}?watch=true&resourceVersion=${versionOf(before)}`, 1);
      const object = { apiVersion: "conformance.treadle.dev/v1", kind: `K${plural}`, metadata: { name: "a" } };
      const old = versionOf(await quietly("POST", path, { body: object }));
      await quietly("POST", path, { body: { ...object, metadata: { name: "b" } } });
      await watch("with the first definition", `${path}?watch=true&resourceVersion=${old}`, 1);
      await quietly("PATCH", definition, { headers: merge, body: { spec: { versions: [versionWith("second")] } } });
      await isServed(session, path);
      await watch("with the second definition", `${path}?watch=true&resourceVersion=${old}`, 1);
      await watch("the present state", `${path}?watch=true`, 2);
      await send("a list of the old version", "GET", path, { query: exactly(old) });
      await quietly("DELETE", definition);
    },
  },
];

export const oldVersions: readonly Scenario[] = [
  {
    name: "expired versions",
    async run({ send, quietly, watch, gadgets, namespace }) {
      const inNamespace = `/api/v1/namespaces/${namespace}`;
      const event = { metadata: { name: "a" }, involvedObject: { namespace } };
      const ofEvent = versionOf(await quietly("POST", `${inNamespace}/events`, { body: event }));
      const old = versionOf(await quietly("POST", gadgets, { body: gadget("a") }));
      for (const name of ["b", "c", "d"]) await quietly("POST", gadgets, { body: gadget(name) });
      const page = await send("the first page", "GET", gadgets, { query: "limit=2" });
      const token = encodeURIComponent(String(page["metadata"]?.continue));
      await send("a list of a version", "GET", gadgets, { query: exactly(old) });
      await quietly("DELETE", `${gadgets}/d`);

      await expired(quietly, `${gadgets}?${exactly(versionOf(page))}`);
      await send("a list of an expired version", "GET", gadgets, { query: exactly(old) });
      await send("a page of an expired version", "GET", gadgets, { query: `resourceVersion=${old}&limit=2` });
      await send("another kind at an expired version", "GET", `${inNamespace}/secrets`, { query: exactly(old) });
      await send("a table of an expired version", "GET", gadgets, {
        query: exactly(old),
        headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" },
      });
      const refused = await send("the second page", "GET", gadgets, { query: `limit=2&continue=${token}` });
      const next = encodeURIComponent(String(refused["metadata"]?.continue));
      await send("the second page with the new token", "GET", gadgets, { query: `limit=2&continue=${next}` });
      await send("a version that is not older", "GET", gadgets, { query: `resourceVersion=${old}&resourceVersionMatch=NotOlderThan` });
      await send("an object", "GET", `${gadgets}/a`, { query: `resourceVersion=${old}` });
      await watch("a watch from an expired version", `${gadgets}?watch=true&resourceVersion=${old}`, 4);
      await watch("a watch of a kind without a cache", `${inNamespace}/events?watch=true&resourceVersion=${ofEvent}`, 1);
    },
  },
  {
    name: "versions before the watch cache",
    async run({ quietly, watch, namespace }) {
      const path = `/api/v1/namespaces/${namespace}/secrets`;
      const body = (text: string): Json => ({ metadata: { name: "a" }, stringData: { text } });
      const old = versionOf(await quietly("POST", path, { body: body("") }));
      await watch("within it", `${path}?watch=true&resourceVersion=${old}`, 1, () => quietly("PUT", `${path}/a`, { body: body("first") }));
      await new Promise((resolve) => setTimeout(resolve, CACHE_MS));
      let newer = "";
      for (let count = 1; count <= CACHE_CHANGES; count++) {
        const changed = await quietly("PUT", `${path}/a`, { body: body(String(count)) });
        if (count === CACHE_CHANGES - 2) newer = versionOf(changed);
      }
      await watch("before it", `${path}?watch=true&resourceVersion=${old}`, 1);
      await watch(
        "before it, without the state",
        `${path}?watch=true&resourceVersion=${old}&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`,
        1,
      );
      await watch(
        "before it, with the state",
        `${path}?watch=true&resourceVersion=${old}&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
        1,
      );
      await watch("a newer version", `${path}?watch=true&resourceVersion=${newer}`, 2);
    },
  },
];

/** Age at which a change can leave the watch cache, and a number of changes that makes it leave. */
const CACHE_MS = 76_000;
const CACHE_CHANGES = 210;

function versionOf({ metadata }: Json): string {
  return String(metadata?.resourceVersion);
}

function exactly(version: string): string {
  return `resourceVersion=${version}&resourceVersionMatch=Exact`;
}

function versionWith(description: string): Json {
  const openAPIV3Schema = { type: "object", description, "x-kubernetes-preserve-unknown-fields": true };
  return { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
}

function definitionOf(plural: string, description: string): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.conformance.treadle.dev` },
    spec: {
      group: "conformance.treadle.dev",
      scope: "Namespaced",
      names: { kind: `K${plural}`, plural },
      versions: [versionWith(description)],
    },
  };
}

/** Waits until the kind has its new watch cache. */
async function isServed({ quietly }: Session, path: string): Promise<void> {
  // The real server replaces the kind a moment after the answer. Then it refuses lists until the cache is filled.
  for (let tries = 0; tries < 100; tries++) {
    const { kind = "" } = await quietly("GET", path, { query: "resourceVersion=0" });
    if (tries >= 30 && String(kind).endsWith("List")) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${path} is not served after ten seconds`);
}

/** Waits until the answer is 410. @throws Error after a minute: the server compacts too rarely */
async function expired(quietly: Session["quietly"], path: string): Promise<void> {
  for (let tries = 0; (await quietly("GET", path))["code"] !== 410; tries++) {
    if (tries === 120) throw new Error(`${path} has not expired after a minute: start the server with a short --etcd-compaction-interval`);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
