/** Objects inside custom resources (`x-kubernetes-embedded-resource`): what is read, removed and refused in their metadata. */
import type { Json, Scenario } from "../session.ts";
import { serveKind } from "./served-kind.ts";

const MERGE = { "content-type": "application/merge-patch+json" };
const POD = { apiVersion: "v1", kind: "Pod" };

const anything = { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true };
const declared = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: { type: "object", properties: { a: { type: "string" } } },
  },
};
const schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { one: anything, two: declared, list: { type: "array", items: anything } } },
    status: { type: "object", properties: { one: anything } },
  },
};

const owner = (uid: string, more: Json = {}): Json => ({ apiVersion: "v1", kind: "A", name: `n${uid}`, uid, ...more });

/** Metadata of the embedded object. */
const METADATA: Readonly<Record<string, unknown>> = {
  "no fields": {},
  "unknown field": { name: "x", foo: "bar" },
  "bad labels": { name: "x", labels: { "a b": "c", d: "e f" } },
  "bad name": { name: "Bad Name" },
  "name with a slash": { name: "a/b" },
  "bad generateName": { generateName: "a/b" },
  "bad namespace": { name: "x", namespace: "Bad_" },
  "name of a wrong type": { name: 5 },
  "label of a wrong type": { name: "x", labels: { a: 5 } },
  "owner of a wrong type": { name: "x", ownerReferences: [{ controller: "yes" }] },
  "a string": "x",
  null: null,
  "null in it": { name: "x", creationTimestamp: null, labels: null, finalizers: null, annotations: { a: null } },
  "no time": { name: "x", creationTimestamp: "yesterday" },
  "time with fractions": { name: "x", creationTimestamp: "2020-01-01T00:00:00.123Z" },
  "bad finalizer": { name: "x", finalizers: ["short", "a b"] },
  "repeated owners": { name: "x", ownerReferences: [owner("1"), owner("1")] },
  "bad owner": { name: "x", ownerReferences: [owner("1", { kind: "", foo: 1 })] },
  "two controllers": { name: "x", ownerReferences: [owner("1", { controller: true }), owner("2", { controller: true })] },
  "odd managedFields": { name: "x", managedFields: [{ manager: "x", operation: "Odd", fieldsType: "V2", foo: 1 }] },
  "long manager": { name: "x", managedFields: [{ manager: "x".repeat(200), operation: "Apply" }] },
  "empty fields": { name: "x", labels: {}, annotations: {}, finalizers: [], ownerReferences: [], namespace: "" },
  "bad annotation": { name: "x", annotations: { "a b": "c" } },
  "negative generation": { name: "x", generation: -5 },
  "fields of the server": {
    name: "x",
    generation: 5,
    resourceVersion: "7",
    uid: "u",
    selfLink: "/x",
    deletionTimestamp: "2020-01-01T00:00:00Z",
  },
  "several problems": { name: "a/b", foo: 1, labels: { "a b": "c" } },
};

export const embedded: readonly Scenario[] = [
  {
    name: "embedded objects",
    async run(session) {
      const { send } = session;
      const { path, apiVersion, stop } = await serveKind(session, "Holder", [{ name: "v1", schema }]);
      const holder = (name: string, spec: Json, more: Json = {}): Json => ({
        apiVersion,
        kind: "Holder",
        metadata: { name },
        spec,
        ...more,
      });
      let count = 0;
      for (const [step, metadata] of Object.entries(METADATA))
        await send(step, "POST", path, { body: holder(`a${++count}`, { one: { ...POD, metadata } }) });
      const odd = { ...POD, metadata: { name: "x", foo: 1 } };
      for (const query of ["fieldValidation=Strict", "fieldValidation=Ignore"])
        await send(`unknown field with ${query}`, "POST", path, { query, body: holder(`b${++count}`, { one: odd }) });
      await send("unknown fields at many places", "POST", path, {
        body: {
          ...holder("c", { two: { ...odd, bar: 1, spec: { a: "b", c: "d" } }, list: [odd], abc: 1 }),
          metadata: { name: "c", zoo: 1, alpha: 1, ownerReferences: [owner("1", { foo: 1 })] },
          zzz: 1,
        },
      });
      await send("in a list", "POST", path, { body: holder("d", { list: [{ ...POD, metadata: { labels: { "a b": "c" } } }] }) });
      await send("in a status", "POST", path, { body: holder("e", {}, { status: { one: odd } }) });
      await send("update of a status", "PATCH", `${path}/e/status`, { headers: MERGE, body: { status: { one: odd } } });
      const bad = { one: { ...POD, metadata: { labels: { "a b": "c" } } } };
      await send("update of a status with a bad label", "PATCH", `${path}/e/status`, { headers: MERGE, body: { status: bad } });
      await send("patch", "PATCH", `${path}/e`, { headers: MERGE, body: { spec: { one: odd, q: 1 }, abc: 1, metadata: { zoo: 1 } } });
      await send("patch with a bad label", "PATCH", `${path}/c`, { headers: MERGE, body: { spec: bad } });
      const apply = { headers: { "content-type": "application/apply-patch+yaml" }, query: "fieldManager=one" };
      await send("apply", "PATCH", `${path}/f`, { ...apply, body: holder("f", { one: { ...POD, metadata: { name: "x", labels: {} } } }) });
      await send("apply of an unknown field", "PATCH", `${path}/g`, { ...apply, body: holder("g", { one: odd }) });
      await send("unknown fields of a built-in kind", "POST", `/api/v1/namespaces/${session.namespace}/configmaps`, {
        body: {
          apiVersion: "v1",
          kind: "ConfigMap",
          metadata: { name: "a", zoo: 1, ownerReferences: [owner("1", { foo: 1 })], alpha: 1 },
          abc: 1,
        },
      });
      await stop();
    },
  },
];
