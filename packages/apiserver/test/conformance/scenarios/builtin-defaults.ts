/** New objects of built-in kinds: defaults, formats of values, managedFields. */
import type { Scenario, Session } from "../session.ts";
import { type Sample, sampleBody, SAMPLES } from "./builtin-objects.ts";

export const builtInDefaults: readonly Scenario[] = Object.entries(SAMPLES).flatMap(([kind, sample]) => [
  { name: `new ${sample.plural}`, run: (session) => createAll(kind, sample, session) },
  { name: `applied ${sample.plural}`, run: (session) => applyAll(kind, sample, session) },
]);

async function createAll(kind: string, { apiVersion, plural, isClusterWide, objects }: Sample, session: Session): Promise<void> {
  const { namespace, send, quietly } = session;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = isClusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
  // A pod needs an account, which a controller of the real server creates if it runs.
  if (kind === "Pod") await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  for (const [label, object] of Object.entries(objects)) {
    const name = isClusterWide === true ? `${namespace}-${label}` : label;
    await send(label, "POST", path, { body: sampleBody(kind, apiVersion, name, object) });
    await send(`${label}, labelled by another`, "PATCH", `${path}/${name}`, {
      query: "fieldManager=two",
      body: { metadata: { labels: { "example.com/two": "x" } } },
      headers: { "content-type": "application/merge-patch+json" },
    });
    await send(`${label}, sent again as it is`, "PUT", `${path}/${name}`, {
      query: "fieldManager=three",
      body: await quietly("GET", `${path}/${name}`),
    });
    // Cluster-scoped objects would be left for the next run.
    if (isClusterWide === true) await quietly("DELETE", `${path}/${name}`);
  }
}

async function applyAll(kind: string, { apiVersion, plural, isClusterWide, objects }: Sample, session: Session): Promise<void> {
  const { namespace, send, quietly } = session;
  const root = apiVersion.includes("/") ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const path = isClusterWide === true ? `${root}/${plural}` : `${root}/namespaces/${namespace}/${plural}`;
  const headers = { "content-type": "application/apply-patch+yaml" };
  if (kind === "Pod") await quietly("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { body: { metadata: { name: "default" } } });
  for (const [label, object] of Object.entries(objects)) {
    const name = isClusterWide === true ? `${namespace}-${label}` : label;
    const body = sampleBody(kind, apiVersion, name, object);
    await send(`${label}, created`, "PATCH", `${path}/${name}`, { query: "fieldManager=one", body, headers });
    await send(`${label}, again`, "PATCH", `${path}/${name}`, { query: "fieldManager=one", body, headers });
    await send(`${label}, by another`, "PATCH", `${path}/${name}`, { query: "fieldManager=two", body, headers });
    const labelled = { ...body, metadata: { ...body["metadata"], labels: { a: "b" } } };
    await send(`${label}, with a label`, "PATCH", `${path}/${name}`, { query: "fieldManager=one&force=true", body: labelled, headers });
    if (isClusterWide === true) await quietly("DELETE", `${path}/${name}`);
  }
}
