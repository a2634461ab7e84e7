/** Metadata that clients send in unusual ways: repeated owners, unqualified finalizers, generations, and invalid managedFields. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";
import { sampleBody, SAMPLES } from "./builtin-objects.ts";

const MERGE = { headers: { "content-type": "application/merge-patch+json" } };
const STRATEGIC = { headers: { "content-type": "application/strategic-merge-patch+json" } };
const JSON_PATCH = { headers: { "content-type": "application/json-patch+json" } };
const APPLY = { query: "fieldManager=applier", headers: { "content-type": "application/apply-patch+yaml" } };

export const metadata: readonly Scenario[] = [
  {
    name: "repeated owners",
    async run(session) {
      const { send, gadgets } = session;
      const maps = pathOf(session, "configmaps");
      const [one, two] = [await ownerIn(session, "one"), await ownerIn(session, "two")];
      await send("create", "POST", maps, { body: map("a", { ownerReferences: [one, one] }) });
      await send("create with others between", "POST", maps, { body: map("b", { ownerReferences: [one, two, two, one, one] }) });
      const blocking = { ...one, blockOwnerDeletion: true };
      await send("create with one uid in different references", "POST", maps, { body: map("c", { ownerReferences: [one, blocking] }) });
      await send("dry run", "POST", maps, { query: "dryRun=All", body: map("d", { ownerReferences: [one, one] }) });
      await send("update without a change", "PUT", `${maps}/a`, { body: map("a", { ownerReferences: [one, one] }) });
      await send("update with an unknown field", "PUT", `${maps}/a`, { body: { ...map("a", { ownerReferences: [two, two] }), x: 1 } });
      await send("merge patch", "PATCH", `${maps}/a`, { ...MERGE, body: { metadata: { ownerReferences: [one, one, two] } } });
      await send("strategic merge patch", "PATCH", `${maps}/a`, { ...STRATEGIC, body: { metadata: { ownerReferences: [two, two] } } });
      const body = [{ op: "add", path: "/metadata/ownerReferences/-", value: one }];
      await send("JSON patch", "PATCH", `${maps}/a`, { ...JSON_PATCH, body });
      await send("apply", "PATCH", `${maps}/e`, { ...APPLY, body: map("e", { ownerReferences: [one, one] }) });
      await send("refused create", "POST", maps, { body: map("Bad_Name", { ownerReferences: [one, one] }) });
      await send("custom kind", "POST", gadgets, { body: gadget("g", {}, { metadata: { ownerReferences: [one, one] } }) });
      const owned = { metadata: { ownerReferences: [one, one, two, two] } };
      await send("merge patch of a custom kind", "PATCH", `${gadgets}/g`, { ...MERGE, body: owned });
      await send("status of a custom kind", "PATCH", `${gadgets}/g/status`, {
        ...MERGE,
        body: { ...owned, status: { phase: "Ready", count: 1 } },
      });
    },
  },
  {
    name: "unqualified finalizers",
    async run(session) {
      const { send, quietly, gadgets } = session;
      const named = (finalizers: readonly string[], more: Json = {}): Json => gadget("a", {}, { metadata: { finalizers, ...more } });
      await send("create", "POST", gadgets, { body: named(["short", "a.example/b", "another", "short"]) });
      await send("create with standard ones", "POST", gadgets, {
        body: gadget("b", {}, { metadata: { finalizers: ["orphan", "kubernetes"] } }),
      });
      await send("dry run", "POST", gadgets, { query: "dryRun=All", body: gadget("c", {}, { metadata: { finalizers: ["short"] } }) });
      await send("refused", "POST", gadgets, { body: gadget("d", { size: "x" }, { metadata: { finalizers: ["short"] } }) });
      await send("label", "PATCH", `${gadgets}/a`, { ...MERGE, body: { metadata: { labels: { a: "b" } } } });
      await send("another one", "PATCH", `${gadgets}/a`, { ...MERGE, body: { metadata: { finalizers: ["short", "new", "dot.ted"] } } });
      await send("status", "PATCH", `${gadgets}/a/status`, { ...MERGE, body: { metadata: { finalizers: ["other"] } } });
      await send("apply", "PATCH", `${gadgets}/e`, { ...APPLY, body: gadget("e", {}, { metadata: { finalizers: ["short"] } }) });
      await send("built-in kind", "POST", pathOf(session, "configmaps"), { body: map("a", { finalizers: ["short", "orphan"] }) });
      for (const name of ["a", "b", "e"]) {
        await quietly("DELETE", `${gadgets}/${name}`);
        await quietly("PATCH", `${gadgets}/${name}`, { ...MERGE, body: { metadata: { finalizers: null } } });
      }
    },
  },
  {
    name: "sent generations",
    async run(session) {
      const { send, gadgets } = session;
      const maps = pathOf(session, "configmaps");
      await send("create", "POST", maps, { body: map("a", { generation: 5 }) });
      await send("update", "PUT", `${maps}/a`, { body: map("a", { generation: 7, labels: { a: "b" } }) });
      await send("update without it", "PUT", `${maps}/a`, { body: map("a", {}) });
      await send("merge patch", "PATCH", `${maps}/a`, { ...MERGE, body: { metadata: { generation: 9 } } });
      await send("create without it", "POST", maps, { body: map("b", {}) });
      await send("update with it", "PUT", `${maps}/b`, { body: map("b", { generation: 3, labels: { a: "b" } }) });
      await send("apply", "PATCH", `${maps}/c`, { ...APPLY, body: map("c", { generation: 4 }) });
      await send("negative", "POST", maps, { body: map("d", { generation: -4 }) });
      await send("negative in an update", "PUT", `${maps}/a`, { body: map("a", { generation: -4 }) });
      await send("zero", "POST", maps, { body: map("e", { generation: 0 }) });
      await send("custom kind", "POST", gadgets, { body: gadget("a", {}, { metadata: { generation: 5 } }) });
      await send("negative, custom kind", "POST", gadgets, { body: gadget("b", {}, { metadata: { generation: -5 } }) });
      await quietCreates(session);
    },
  },
  {
    name: "formats of numbers",
    async run({ send }) {
      for (const format of ["int32", "int64", "float", "double", "int16"]) {
        for (const type of ["integer", "number", "string"]) {
          const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
          await send(`${format} of ${type}`, "POST", path, { query: "dryRun=All", body: definition({ type, format }) });
        }
        const either = { "x-kubernetes-int-or-string": true, format };
        await send(`${format} of either`, "POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
          query: "dryRun=All",
          body: definition(either),
        });
      }
    },
  },
];

function definition(field: Json): Json {
  const schema = { type: "object", properties: { spec: { type: "object", properties: { field } } } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "figures.conformance.treadle.dev" },
    spec: {
      group: "conformance.treadle.dev",
      scope: "Namespaced",
      names: { plural: "figures", singular: "figure", kind: "Figure", listKind: "FigureList" },
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

/** Notes the generation of a new object of each built-in kind that is sent with one. */
async function quietCreates({ quietly, note, namespace }: Session): Promise<void> {
  for (const [kind, { apiVersion, plural, isClusterWide, objects }] of Object.entries(SAMPLES)) {
    const [object] = Object.values(objects);
    if (object === undefined) continue;
    const name = isClusterWide === true ? `${namespace}-generation` : "generation";
    const root = `${apiVersion.includes("/") ? "/apis" : "/api"}/${apiVersion}${isClusterWide === true ? "" : `/namespaces/${namespace}`}/${plural}`;
    const body = sampleBody(kind, apiVersion, name, object);
    const created = await quietly("POST", root, {
      query: "dryRun=All",
      body: { ...body, metadata: { ...body["metadata"], generation: 4 } },
    });
    note(kind, { kind: created["kind"], generation: created["metadata"]?.generation, message: created["message"] });
  }
}

function pathOf({ namespace }: Session, plural: string): string {
  return `/api/v1/namespaces/${namespace}/${plural}`;
}

function map(name: string, given: Json): Json {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, ...given } };
}

/** Creates an owner, because the garbage collector deletes objects without one. */
async function ownerIn(session: Session, name: string): Promise<Json> {
  const { metadata: made } = await session.quietly("POST", pathOf(session, "configmaps"), { body: map(name, {}) });
  return { apiVersion: "v1", kind: "ConfigMap", name, uid: made?.uid };
}
