/** Life of one object: create, read, update, delete, and what metadata does meanwhile. */
import { gadget } from "../gadget.ts";
import { type Scenario, withVersion } from "../session.ts";

export const objects: readonly Scenario[] = [
  {
    name: "create",
    async run({ send, quietly, gadgets, namespace }) {
      await send("plain", "POST", gadgets, { body: gadget("a") });
      await send("again", "POST", gadgets, { body: gadget("a") });
      await send("what the server owns is not taken from the client", "POST", gadgets, {
        body: gadget(
          "owned",
          {},
          {
            metadata: {
              uid: "11111111-2222-3333-4444-555555555555",
              generation: 7,
              creationTimestamp: "2001-01-01T00:00:00Z",
              deletionTimestamp: "2001-01-01T00:00:00Z",
              selfLink: "/x",
              labels: { a: "b" },
              annotations: { c: "d" },
              finalizers: ["example.com/f"],
            },
            status: { phase: "Ready", count: 1 },
          },
        ),
      });
      await send("with a resourceVersion", "POST", gadgets, { body: gadget("rv", {}, { metadata: { resourceVersion: "1" } }) });
      await send("generateName", "POST", gadgets, {
        body: { ...gadget("x"), metadata: { generateName: "made-random-" } },
      });
      await send("name and generateName", "POST", gadgets, { body: gadget("both", {}, { metadata: { generateName: "made-random-" } }) });
      await send("no name", "POST", gadgets, { body: { ...gadget("x"), metadata: {} } });
      await send("no metadata", "POST", gadgets, { body: { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", spec: { size: 1 } } });
      await send("bad name", "POST", gadgets, { body: gadget("Bad_Name") });
      await send("bad name and spec", "POST", gadgets, { body: gadget("Bad_Name", { size: "x" }) });
      await send("bad labels and spec", "POST", gadgets, {
        body: gadget("labelled", { size: 1000 }, { metadata: { labels: { a: "-" } } }),
      });
      await send("long name", "POST", gadgets, { body: gadget("n".repeat(254)) });
      await send("bad generateName", "POST", gadgets, { body: { ...gadget("x"), metadata: { generateName: "Bad_random-" } } });
      await send("the namespace of the path", "POST", gadgets, { body: gadget("ns", {}, { metadata: { namespace } }) });
      await send("another namespace than the path's", "POST", gadgets, {
        body: gadget("other", {}, { metadata: { namespace: "default" } }),
      });
      await send("no kind", "POST", gadgets, {
        body: { apiVersion: "conformance.treadle.dev/v1", metadata: { name: "nokind" }, spec: { size: 1 } },
      });
      await send("no apiVersion", "POST", gadgets, { body: { kind: "Gadget", metadata: { name: "noversion" }, spec: { size: 1 } } });
      await send("another kind", "POST", gadgets, { body: gadget("kind", {}, { kind: "Gizmo" }) });
      await send("another version", "POST", gadgets, { body: gadget("version", {}, { apiVersion: "conformance.treadle.dev/v2" }) });
      await send("another group", "POST", gadgets, { body: gadget("group", {}, { apiVersion: "other.treadle.dev/v1" }) });
      await send("in a namespace that does not exist", "POST", "/apis/conformance.treadle.dev/v1/namespaces/nowhere/gadgets", {
        body: gadget("a"),
      });
      await send("dry run", "POST", gadgets, { query: "dryRun=All", body: gadget("dry") });
      const ofAVersion = { ...gadget("dry"), metadata: { ...gadget("dry").metadata, resourceVersion: "1" } };
      await send("dry run with a version", "POST", gadgets, { query: "dryRun=All", body: ofAVersion });
      await send("create with a version", "POST", gadgets, { body: ofAVersion });
      await send("dry run stored nothing", "GET", `${gadgets}/dry`);
      await send("bad dry run", "POST", gadgets, { query: "dryRun=yes", body: gadget("dry2") });
      await send("bad label", "POST", gadgets, { body: gadget("label", {}, { metadata: { labels: { "a b": "c" } } }) });
      await send("bad label value", "POST", gadgets, { body: gadget("label", {}, { metadata: { labels: { d: "e f" } } }) });
      await send("bad annotation", "POST", gadgets, { body: gadget("annotation", {}, { metadata: { annotations: { "a b": "c" } } }) });
      await send("bad finalizer", "POST", gadgets, {
        body: gadget("finalizer", {}, { metadata: { finalizers: ["Bad Finalizer", "short"] } }),
      });
      await send("bad owner", "POST", gadgets, {
        body: gadget("owner", {}, { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "", uid: "" }] } }),
      });
      const reference = { apiVersion: "v1", kind: "ConfigMap", name: "x", uid: "11111111-2222-3333-4444-555555555555", controller: true };
      await send("two controllers", "POST", gadgets, {
        body: gadget(
          "owners",
          {},
          { metadata: { ownerReferences: [reference, { ...reference, name: "y", uid: "21111111-2222-3333-4444-555555555555" }] } },
        ),
      });
      await send("unknown metadata", "POST", gadgets, { body: gadget("meta", {}, { metadata: { colour: "red" } }) });
      await send("metadata of a wrong type", "POST", gadgets, { body: gadget("metatype", {}, { metadata: { labels: { a: 1 } } }) });
      await quietly("DELETE", `${gadgets}/a`);
    },
  },
  {
    name: "update",
    async run({ send, quietly, gadgets }) {
      const current = withVersion(quietly, `${gadgets}/a`);
      const first = await quietly("POST", gadgets, { body: gadget("a", { tags: ["x"] }) });
      await quietly("PUT", `${gadgets}/a/status`, { body: { ...first, status: { phase: "Pending", count: 1 } } });
      await send("with an old version", "PUT", `${gadgets}/a`, { body: { ...first, spec: { size: 2 } } });
      const live = await quietly("GET", `${gadgets}/a`);
      const second = await send("spec", "PUT", `${gadgets}/a`, { body: { ...live, spec: { size: 2 }, status: { phase: "Ready" } } });
      const third = await send("nothing changed", "PUT", `${gadgets}/a`, { body: second });
      const fourth = await send("labels only", "PUT", `${gadgets}/a`, {
        body: { ...third, metadata: { ...third["metadata"], labels: { a: "b" } } },
      });
      await send("without a version", "PUT", `${gadgets}/a`, { body: gadget("a", { size: 3 }) });
      await send("with another uid", "PUT", `${gadgets}/a`, {
        body: await current(gadget("a", { size: 4 }, { metadata: { uid: "11111111-2222-3333-4444-555555555555" } })),
      });
      await send("with another name", "PUT", `${gadgets}/a`, { body: await current(gadget("b", { size: 5 })) });
      await send("without a name", "PUT", `${gadgets}/a`, { query: "dryRun=All", body: await current({ ...gadget("b"), metadata: {} }) });
      await send("an absent one", "PUT", `${gadgets}/absent`, { body: gadget("absent") });
      await send("an absent one with a version", "PUT", `${gadgets}/absent`, {
        body: gadget("absent", {}, { metadata: { resourceVersion: "1" } }),
      });
      await send("a version that is no number", "PUT", `${gadgets}/a`, { body: gadget("a", {}, { metadata: { resourceVersion: "x" } }) });
      await send("a version that is zero", "PUT", `${gadgets}/a`, {
        body: gadget("a", { size: 6 }, { metadata: { resourceVersion: "0" } }),
      });
      await send("generation and creation are the server's", "PUT", `${gadgets}/a`, {
        body: await current(gadget("a", { size: 6 }, { metadata: { generation: 70, creationTimestamp: "2001-01-01T00:00:00Z" } })),
      });
      await send("dry run", "PUT", `${gadgets}/a`, { query: "dryRun=All", body: await current(gadget("a", { size: 9 })) });
      await send("the object at last", "GET", `${gadgets}/a`);
      await send("invalid", "PUT", `${gadgets}/a`, { body: await current(gadget("a", { size: 900 })) });
      await send("an old version and invalid", "PUT", `${gadgets}/a`, { body: { ...fourth, spec: { size: 900 } } });
    },
  },
  {
    name: "status",
    async run({ send, quietly, gadgets }) {
      const current = withVersion(quietly, `${gadgets}/a`);
      const first = await quietly("POST", gadgets, { body: gadget("a") });
      await send("get", "GET", `${gadgets}/a/status`);
      const second = await send("put", "PUT", `${gadgets}/a/status`, {
        body: {
          ...first,
          metadata: { ...first["metadata"], labels: { not: "taken" }, annotations: { not: "taken" }, finalizers: ["a.b/c"] },
          spec: { size: 50 },
          status: { phase: "Ready", count: 2 },
        },
      });
      await send("old version", "PUT", `${gadgets}/a/status`, { body: { ...first, status: { count: 3 } } });
      await send("nothing changed", "PUT", `${gadgets}/a/status`, { body: second });
      await send("without a version", "PUT", `${gadgets}/a/status`, { body: gadget("a", {}, { status: { count: 4 } }) });
      await send("removed", "PUT", `${gadgets}/a/status`, { body: await current(gadget("a")) });
      await send("invalid", "PUT", `${gadgets}/a/status`, {
        body: await current(gadget("a", {}, { status: { phase: "Odd", count: "x" } })),
      });
      await send("unknown fields", "PUT", `${gadgets}/a/status`, {
        body: await current(gadget("a", {}, { status: { count: 5, odd: 1 } })),
      });
      await send("merge patch", "PATCH", `${gadgets}/a/status`, {
        body: { status: { phase: "Ready" }, spec: { size: 70 } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("merge patch with an invalid spec", "PATCH", `${gadgets}/a/status`, {
        body: { status: { phase: "Pending" }, spec: { size: 700 } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("merge patch of another uid", "PATCH", `${gadgets}/a/status`, {
        body: { metadata: { uid: "11111111-2222-3333-4444-555555555555" }, status: { count: 9 } },
        headers: { "content-type": "application/merge-patch+json" },
      });
      await send("of an absent one", "PUT", `${gadgets}/absent/status`, { body: gadget("absent", {}, { status: { count: 1 } }) });
      await send("post", "POST", `${gadgets}/a/status`, { body: gadget("a") });
      await send("delete", "DELETE", `${gadgets}/a/status`);
    },
  },
  {
    name: "delete",
    async run({ send, quietly, gadgets }) {
      await quietly("POST", gadgets, { body: gadget("one") });
      await send("of another uid", "DELETE", `${gadgets}/one`, {
        body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid: "11111111-2222-3333-4444-555555555555" } },
      });
      await send("of another version", "DELETE", `${gadgets}/one`, { body: { preconditions: { resourceVersion: "1" } } });
      await send("dry run", "DELETE", `${gadgets}/one`, { query: "dryRun=All" });
      await send("dry run in the body", "DELETE", `${gadgets}/one`, { body: { dryRun: ["All"] } });
      await send("bad policy", "DELETE", `${gadgets}/one`, { body: { propagationPolicy: "Whatever" } });
      await send("policy and orphanDependents", "DELETE", `${gadgets}/one`, {
        body: { propagationPolicy: "Orphan", orphanDependents: true },
      });
      await send("negative grace period", "DELETE", `${gadgets}/one`, {
        body: { gracePeriodSeconds: -1, preconditions: { resourceVersion: "1" } },
      });
      await send("options of another kind", "DELETE", `${gadgets}/one`, {
        query: "dryRun=All",
        body: { kind: "Gadget", apiVersion: "conformance.treadle.dev/v1" },
      });
      await send("options that are no JSON", "DELETE", `${gadgets}/one`, { body: "{" });
      const two = await quietly("POST", gadgets, { body: gadget("two") });
      await send("with the uid and the version", "DELETE", `${gadgets}/two`, {
        body: { preconditions: { uid: two["metadata"].uid, resourceVersion: two["metadata"].resourceVersion } },
      });
      await send("again", "DELETE", `${gadgets}/two`);
      await quietly("POST", gadgets, { body: gadget("back") });
      await send("in the background", "DELETE", `${gadgets}/back`, { body: { propagationPolicy: "Background" } });
      await quietly("POST", gadgets, { body: gadget("fore") });
      await send("options in query and body", "DELETE", `${gadgets}/fore`, {
        query: "propagationPolicy=Orphan",
        body: { gracePeriodSeconds: 0, dryRun: ["All"] },
      });
      await quietly("POST", gadgets, { body: gadget("c1", {}, { metadata: { labels: { set: "c" } } }) });
      await quietly("POST", gadgets, { body: gadget("c2", {}, { metadata: { labels: { set: "c" }, finalizers: ["a.b/c"] } }) });
      await quietly("POST", gadgets, { body: gadget("c3") });
      await send("collection", "DELETE", gadgets, { query: "labelSelector=set%3Dc" });
      await send("what is left of the collection", "GET", gadgets);
    },
  },
  {
    name: "finalizers",
    async run({ send, quietly, gadgets }) {
      const merge = { "content-type": "application/merge-patch+json" };
      await quietly("POST", gadgets, { body: gadget("a", {}, { metadata: { finalizers: ["a.b/one", "a.b/two"] } }) });
      await send("delete", "DELETE", `${gadgets}/a`);
      await send("delete again", "DELETE", `${gadgets}/a`);
      await send("get", "GET", `${gadgets}/a`);
      await send("a finalizer is added", "PATCH", `${gadgets}/a`, {
        body: { metadata: { finalizers: ["a.b/one", "a.b/two", "a.b/three"] } },
        headers: merge,
      });
      await send("spec changes", "PATCH", `${gadgets}/a`, { body: { spec: { size: 2 } }, headers: merge });
      await send("the deletion cannot be undone", "PATCH", `${gadgets}/a`, {
        body: { metadata: { deletionTimestamp: null, deletionGracePeriodSeconds: null } },
        headers: merge,
      });
      await send("one is removed", "PATCH", `${gadgets}/a`, { body: { metadata: { finalizers: ["a.b/two"] } }, headers: merge });
      await send("created again meanwhile", "POST", gadgets, { body: gadget("a") });
      await send("the last one is removed", "PATCH", `${gadgets}/a`, { body: { metadata: { finalizers: null } }, headers: merge });
      await send("gone", "GET", `${gadgets}/a`);
      await quietly("POST", gadgets, { body: gadget("b", {}, { metadata: { finalizers: ["a.b/one"] } }) });
      await quietly("DELETE", `${gadgets}/b`);
      const live = await quietly("GET", `${gadgets}/b`);
      await send("the last one is removed by an update", "PUT", `${gadgets}/b`, {
        body: { ...live, metadata: { ...live["metadata"], finalizers: [] } },
      });
      await quietly("POST", gadgets, { body: gadget("o") });
      await send("orphaning, not done", "DELETE", `${gadgets}/o`, { query: "propagationPolicy=Orphan&dryRun=All" });
      await send("in the foreground, not done", "DELETE", `${gadgets}/o`, { query: "propagationPolicy=Foreground&dryRun=All" });
    },
  },
  {
    name: "update with another uid",
    async run({ send, quietly, namespace }) {
      const backend = { defaultBackend: { service: { name: "a", port: { number: 1 } } } };
      const kinds: Readonly<Record<string, object>> = {
        "/api/v1 services": { spec: { ports: [{ port: 80 }] } },
        "/api/v1 endpoints": {},
        "/api/v1 configmaps": {},
        "/apis/networking.k8s.io/v1 ingresses": { spec: backend },
        "/apis/rbac.authorization.k8s.io/v1 roles": { rules: [] },
      };
      // The message contains the storage path of the kind.
      for (const [kind, object] of Object.entries(kinds)) {
        const [root = "", plural = ""] = kind.split(" ");
        const path = `${root}/namespaces/${namespace}/${plural}`;
        await quietly("POST", path, { body: { metadata: { name: "u" }, ...object } });
        await send(kind, "PUT", `${path}/u`, { body: { metadata: { name: "u", uid: "x" }, ...object } });
      }
    },
  },
];
