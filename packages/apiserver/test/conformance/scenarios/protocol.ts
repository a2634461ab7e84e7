/** Errors before an object is read, and reads: paths, methods, media types, lists, watches, namespaces, discovery. */
import { gadget } from "../gadget.ts";
import type { Scenario } from "../session.ts";

const group = "/apis/conformance.treadle.dev/v1";

export const protocol: readonly Scenario[] = [
  {
    name: "paths and methods",
    async run({ send, quietly, gadgets, namespace }) {
      await quietly("POST", gadgets, { body: gadget("a") });
      await send("absent object", "GET", `${gadgets}/absent`);
      await send("absent kind", "GET", `${group}/namespaces/${namespace}/gizmos`);
      await send("absent version", "GET", `/apis/conformance.treadle.dev/v9/namespaces/${namespace}/gadgets`);
      await send("absent group", "GET", `/apis/absent.treadle.dev/v1/namespaces/${namespace}/gadgets`);
      await send("absent core kind", "GET", `/api/v1/namespaces/${namespace}/gizmos`);
      await send("absent path", "GET", "/absent");
      await send("absent subresource", "GET", `${gadgets}/a/absent`);
      await send("scale of a kind without", "GET", `${gadgets}/a/scale`);
      await send("absent namespace", "GET", `${group}/namespaces/nowhere/gadgets`);
      await send("object in an absent namespace", "GET", `${group}/namespaces/nowhere/gadgets/a`);
      await send("post to an object", "POST", `${gadgets}/a`, { body: gadget("a") });
      await send("post to an absent object", "POST", `${gadgets}/absent`, { body: gadget("posted") });
      await send("put to a collection", "PUT", gadgets, { body: gadget("a") });
      await send("patch of a collection", "PATCH", gadgets, { body: {}, headers: { "content-type": "application/merge-patch+json" } });
      await send("post to all namespaces", "POST", `${group}/gadgets`, { body: gadget("b") });
      await send("get a namespaced object without its namespace", "GET", `${group}/gadgets/a`);
      await send("delete of all namespaces", "DELETE", `${group}/gadgets`, { query: "labelSelector=no%3Dsuch" });
      await send("a core object by the wrong method", "POST", "/api/v1/namespaces/default", { body: {} });
      await send("a slash at the end", "GET", `${gadgets}/`);
      await send("status of a config map", "GET", `/api/v1/namespaces/${namespace}/configmaps/a/status`);
    },
  },
  {
    name: "bodies and types",
    async run({ send, gadgets }) {
      await send("no JSON", "POST", gadgets, { body: "{" });
      await send("empty", "POST", gadgets, { body: "" });
      await send("a list", "POST", gadgets, { body: [] });
      await send("text", "POST", gadgets, { body: '"x"' });
      await send("null", "POST", gadgets, { body: "null" });
      await send("behind the object", "POST", gadgets, { body: `${JSON.stringify(gadget("behind"))} x` });
      await send("an unknown type", "POST", gadgets, { body: gadget("a"), headers: { "content-type": "text/plain" } });
      await send("no type", "POST", gadgets, { body: gadget("notype"), headers: { "content-type": "" } });
      await send("YAML", "POST", gadgets, {
        body: "apiVersion: conformance.treadle.dev/v1\nkind: Gadget\nmetadata: {name: yaml}\nspec: {size: 1}\n",
        headers: { "content-type": "application/yaml" },
      });
      await send("YAML that is none", "POST", gadgets, { body: "a: [", headers: { "content-type": "application/yaml" } });
      await send("parameters of the type", "POST", gadgets, {
        body: gadget("charset"),
        headers: { "content-type": "application/json; charset=utf-8" },
      });
      await send("an unknown patch type", "PATCH", `${gadgets}/yaml`, { body: {}, headers: { "content-type": "text/plain" } });
      await send("nothing acceptable", "GET", gadgets, { headers: { accept: "text/html" } });
      await send("anything acceptable", "GET", `${gadgets}/yaml`, { headers: { accept: "*/*" } });
      await send("YAML wanted", "GET", `${gadgets}/yaml`, { headers: { accept: "application/yaml" } });
      await send("metadata only", "GET", `${gadgets}/yaml`, {
        headers: { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" },
      });
      await send("metadata only of a list", "GET", gadgets, {
        headers: { accept: "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io" },
      });
      await send("a table", "GET", `${gadgets}/yaml`, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
      await send(
        "a config map with a number",
        "POST",
        gadgets.replace(/\/apis.*namespaces/, "/api/v1/namespaces").replace("gadgets", "configmaps"),
        {
          body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: 1 } },
        },
      );
    },
  },
  {
    name: "lists",
    async run({ send, quietly, gadgets }) {
      await send("empty", "GET", gadgets);
      for (const name of ["c", "a", "b", "d"])
        await quietly("POST", gadgets, {
          body: gadget(name, {}, { metadata: { labels: { name, half: name < "c" ? "first" : "second" } } }),
        });
      await send("all", "GET", gadgets);
      const page = await send("first page", "GET", gadgets, { query: "limit=3" });
      await send("second page", "GET", gadgets, { query: `limit=3&continue=${encodeURIComponent(String(page["metadata"]?.continue))}` });
      await send("by label", "GET", gadgets, { query: "labelSelector=half%3Dfirst" });
      await send("by a set of labels", "GET", gadgets, { query: "labelSelector=name+in+(a,d),half" });
      await send("by a label's absence", "GET", gadgets, { query: "labelSelector=!half" });
      await send("by name", "GET", gadgets, { query: "fieldSelector=metadata.name%3Da" });
      await send("by namespace and not name", "GET", gadgets, { query: "fieldSelector=metadata.name!%3Da" });
      await send("by a field that cannot be selected", "GET", gadgets, { query: "fieldSelector=spec.size%3D1" });
      await send("bad label selector", "GET", gadgets, { query: "labelSelector=a%3Db%3Dc" });
      await send("bad label value", "GET", gadgets, { query: "labelSelector=a%3D%40" });
      await send("bad field selector", "GET", gadgets, { query: "fieldSelector=a" });
      await send("bad continue", "GET", gadgets, { query: "continue=x&limit=1" });
      await send("bad limit", "GET", gadgets, { query: "limit=x" });
      await send("negative limit", "GET", gadgets, { query: "limit=-1" });
      await send("bad version", "GET", gadgets, { query: "resourceVersion=x" });
      await send("match without a version", "GET", gadgets, { query: "resourceVersionMatch=Exact" });
      await send("unknown match", "GET", gadgets, { query: "resourceVersion=1&resourceVersionMatch=Odd" });
      await send("exactly version zero", "GET", gadgets, { query: "resourceVersion=0&resourceVersionMatch=Exact" });
      await send("version zero", "GET", gadgets, { query: "resourceVersion=0" });
      await send("a version in the future", "GET", gadgets, { query: "resourceVersion=999999999&resourceVersionMatch=Exact" });
      await send("continue with a version", "GET", gadgets, {
        query: `limit=1&resourceVersion=5&continue=${encodeURIComponent(String(page["metadata"]?.continue))}`,
      });
      await send("get with version zero", "GET", `${gadgets}/a`, { query: "resourceVersion=0" });
      await send("get with a version that is none", "GET", `${gadgets}/a`, { query: "resourceVersion=x" });
    },
  },
  {
    name: "watches",
    async run({ send, quietly, watch, gadgets }) {
      const merge = { "content-type": "application/merge-patch+json" };
      await quietly("POST", gadgets, { body: gadget("a", {}, { metadata: { labels: { in: "yes" } } }) });
      const { metadata } = await quietly("GET", gadgets);
      const from = `resourceVersion=${metadata.resourceVersion}`;
      await watch("the present state", `${gadgets}?watch=true`, 1);
      await watch("changes", `${gadgets}?watch=true&${from}`, 4, async () => {
        await quietly("POST", gadgets, { body: gadget("b", {}, { metadata: { finalizers: ["a.b/c"] } }) });
        await quietly("PATCH", `${gadgets}/b`, { body: { spec: { size: 2 } }, headers: merge });
        await quietly("PATCH", `${gadgets}/b`, { body: { spec: { size: 2 } }, headers: merge });
        await quietly("DELETE", `${gadgets}/b`);
        await quietly("PATCH", `${gadgets}/b`, { body: { metadata: { finalizers: null } }, headers: merge });
      });
      await watch("from before", `${gadgets}?watch=1&${from}`, 4);
      await watch("into and out of a selector", `${gadgets}?watch=true&${from}&labelSelector=in%3Dyes`, 3, async () => {
        await quietly("PATCH", `${gadgets}/a`, { body: { metadata: { labels: { in: "no" } } }, headers: merge });
        await quietly("PATCH", `${gadgets}/a`, { body: { spec: { size: 3 } }, headers: merge });
        await quietly("PATCH", `${gadgets}/a`, { body: { metadata: { labels: { in: "yes" } } }, headers: merge });
        await quietly("DELETE", `${gadgets}/a`);
      });
      await quietly("POST", gadgets, { body: gadget("c") });
      await watch(
        "the state as a stream",
        `${gadgets}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan`,
        2,
      );
      await watch(
        "the state as a stream without bookmarks",
        `${gadgets}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan`,
        1,
      );
      await watch("the state as a stream without a match", `${gadgets}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`, 1);
      await watch("a bad version", `${gadgets}?watch=true&resourceVersion=x`, 1);
      await watch("a bad selector", `${gadgets}?watch=true&labelSelector=a%3Db%3Dc`, 1);
      await watch("one object", `${gadgets}?watch=true&fieldSelector=metadata.name%3Dc`, 1);
      await watch("by the old path", gadgets.replace("/v1/", "/v1/watch/"), 1);
      await send("initial events of a list", "GET", gadgets, { query: "sendInitialEvents=true" });
    },
  },
  {
    name: "namespaces",
    async run({ send, quietly, namespace }) {
      const path = `/api/v1/namespaces/${namespace}`;
      await send("get", "GET", path);
      await send("again", "POST", "/api/v1/namespaces", { body: { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } } });
      await send("bad name", "POST", "/api/v1/namespaces", { body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "a.b" } } });
      await send("a config map", "POST", `${path}/configmaps`, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" } },
      });
      await send("delete of a system namespace", "DELETE", "/api/v1/namespaces/kube-system", { query: "dryRun=All" });
      await send("delete of the default namespace", "DELETE", "/api/v1/namespaces/default", { query: "dryRun=All" });
      await quietly("POST", "/api/v1/namespaces", { body: { apiVersion: "v1", kind: "Namespace", metadata: { name: `${namespace}-x` } } });
      await quietly("POST", `/api/v1/namespaces/${namespace}-x/configmaps`, {
        body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "held", finalizers: ["a.b/c"] } },
      });
      await send("delete", "DELETE", `/api/v1/namespaces/${namespace}-x`);
      await send("create in one that goes", "POST", `/api/v1/namespaces/${namespace}-x/configmaps`, {
        body: { apiVersion: "v1", kind: "Namespace", metadata: { name: "late" } },
      });
      await send("delete of an absent one", "DELETE", "/api/v1/namespaces/nowhere");
    },
  },
  {
    name: "config maps",
    async run({ send, quietly, namespace }) {
      const merge = { "content-type": "application/merge-patch+json" };
      const path = `/api/v1/namespaces/${namespace}/configmaps`;
      await send("create", "POST", path, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { a: "b" }, binaryData: { c: "ZA==" } },
      });
      await send("unknown field", "POST", path, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b" }, odd: 1 } });
      await send("unknown field, strict", "POST", path, {
        query: "fieldValidation=Strict",
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "b2" }, odd: 1 },
      });
      await send("without kind and apiVersion", "POST", path, { body: { metadata: { name: "untyped" }, data: { a: "b" } } });
      await send("bad key", "POST", path, { body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" }, data: { "a b": "c" } } });
      await send("bad base64", "POST", path, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "d" }, binaryData: { a: "%" } },
      });
      await send("patch", "PATCH", `${path}/a`, { query: "fieldManager=two", body: { data: { a: null, e: "f" } }, headers: merge });
      await quietly("POST", path, {
        body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "im" }, immutable: true, data: { a: "b" } },
      });
      await send("immutable", "PATCH", `${path}/im`, { body: { data: { a: "c" } }, headers: merge });
      await send("list", "GET", path);
      await send("delete", "DELETE", `${path}/a`);
      const secrets = `/api/v1/namespaces/${namespace}/secrets`;
      await send("secret", "POST", secrets, {
        body: { apiVersion: "v1", kind: "Secret", metadata: { name: "s" }, stringData: { a: "b" }, data: { c: "ZA==" } },
      });
      await send("secret with bad base64", "POST", secrets, {
        body: { apiVersion: "v1", kind: "Secret", metadata: { name: "t" }, data: { c: "%" } },
      });
      await send("secret of another type", "PATCH", `${secrets}/s`, { body: { type: "other" }, headers: merge });
      await send("secrets as a table", "GET", secrets, { headers: { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" } });
    },
  },
  {
    name: "discovery",
    async run({ send }) {
      await send("of the group", "GET", "/apis/conformance.treadle.dev");
      await send("of the version", "GET", group);
      await send("of a version that is absent", "GET", "/apis/conformance.treadle.dev/v9");
      await send("the versions of the core", "GET", "/api");
    },
  },
];
