/** Options of lists and watches: all forms of selectors, conflicting parameters, streaming lists, and deep paths. */
import { gadget } from "../gadget.ts";
import type { Scenario } from "../session.ts";

const LABEL_SELECTORS = [
  "a in ()",
  "a in (,)",
  "a in (,x)",
  "a in (x,)",
  "a in (x,,y)",
  "a in (x y)",
  "a in (x",
  "a in x",
  "a in",
  "a in(x)",
  "in in (in,notin)",
  "notin",
  "in",
  "!in",
  "a notin ()",
  "a notin (x)",
  "a,",
  ",a",
  ",",
  "a,,b",
  "!a,b",
  "! a",
  "!!a",
  "!a=x",
  "a=",
  "a==",
  "a==x",
  "a===x",
  "a=!x",
  "a!=x",
  "a != x",
  "a!",
  "a>1",
  "a>-1",
  "a>x",
  "a<1,a>0",
  "a>",
  "a gt 1",
  "a>1.5",
  "a>99999999999999999999",
  "a=x b=y",
  "a b",
  "(a)",
  "a=(x)",
  "a in ((x))",
  "a in (x) b",
  "a in (x),b",
  "a notin(x,y),!b",
  " a = x ",
  "a\t=\tx",
  "-a",
  "a-",
  "a/b",
  "a/b/c",
  "/a",
  "a/",
  "example.com/a=x",
  "Example.com/a=x",
  "a=-x",
  "a=x-",
  "a=x/y",
  `a=${"x".repeat(63)}`,
  `a=${"x".repeat(64)}`,
  `${"a".repeat(64)}=x`,
  `${"a".repeat(254)}/b=x`,
  "a in (@)",
  "a in (x,@,$)",
  "a=ü",
  "ü",
  "a=x;b=y",
  "a'=x",
  'a="x"',
  "a=x\\,y",
  "a&b",
  "*",
  "a=*",
  "{}",
  "a:x",
];

const FIELD_SELECTORS = [
  "metadata.name",
  "metadata.name=",
  "metadata.name==a",
  "metadata.name!=a",
  "metadata.name===a",
  "metadata.name=a=b",
  "metadata.name=a,",
  ",metadata.name=a",
  ",",
  "metadata.name=a,metadata.name=b",
  "metadata.name=a,metadata.name!=b",
  " metadata.name = a ",
  "metadata.name = a",
  "metadata.name=a\\,b",
  "metadata.name=a\\=b",
  "metadata.name=a\\x",
  "metadata.name=a\\",
  "metadata.name in (a)",
  "!metadata.name",
  "metadata.name>a",
  "=a",
  "=",
  "metadata.labels.a=x",
  "metadata.uid=x",
  "metadata.namespace!=x,metadata.name=a",
  "metadata.NAME=a",
  "spec.x=1,spec.y=2",
  "metadata.name=a,,metadata.name=a",
];

/** Parameters that conflict or have invalid values. */
const COMBINATIONS = [
  "fieldSelector=spec.x%3D1&resourceVersionMatch=Exact",
  "fieldSelector=a&labelSelector=%40",
  "labelSelector=%40&resourceVersionMatch=Odd",
  "fieldSelector=spec.x%3D1&limit=x",
  "fieldSelector=spec.x%3D1&continue=x",
  "fieldSelector=spec.x%3D1&resourceVersion=x",
  "resourceVersionMatch=Odd&resourceVersion=x",
  "resourceVersionMatch=Exact&resourceVersion=x",
  "resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=NotOlderThan&resourceVersion=0",
  "resourceVersionMatch=NotOlderThan&resourceVersion=",
  "resourceVersionMatch=Exact&resourceVersion=0&limit=1",
  "resourceVersionMatch=Exact&resourceVersion=1&continue=x",
  "resourceVersionMatch=Odd&continue=x",
  "resourceVersionMatch=exact&resourceVersion=1",
  "resourceVersion=x&continue=x",
  "resourceVersion=-1",
  "resourceVersion=1.5",
  "resourceVersion=00",
  "resourceVersion=999999999",
  "resourceVersion=999999999&resourceVersionMatch=NotOlderThan",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
  "sendInitialEvents=false",
  "sendInitialEvents=true&fieldSelector=spec.x%3D1",
  "allowWatchBookmarks=true",
  "timeoutSeconds=x",
  "timeoutSeconds=-1",
  "pretty=true&limit=1",
];

/** Such parameters of watches. */
const WATCHES = [
  "sendInitialEvents=true",
  "sendInitialEvents=false",
  "sendInitialEvents=true&resourceVersionMatch=Exact",
  "sendInitialEvents=true&resourceVersionMatch=Odd&resourceVersion=x",
  "sendInitialEvents=false&resourceVersionMatch=Exact",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=x",
  "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=x",
  "resourceVersionMatch=NotOlderThan",
  "resourceVersionMatch=Exact&resourceVersion=1",
  "resourceVersion=x",
  "continue=x",
  "limit=x",
  "fieldSelector=spec.x%3D1&sendInitialEvents=true",
  "labelSelector=%40&sendInitialEvents=true",
];

const PATHS = [
  "configmaps/a/b",
  "configmaps/a/b/c",
  "configmaps/a/b/c/d/e",
  "configmaps/a/status",
  "configmaps/a/status/b",
  "pods/a/status/b",
  "pods/a/absent",
  "pods/a/absent/b/c",
  "services/a/absent/b",
  "absent/a/b/c",
  "configmaps//a",
  "/configmaps",
];

export const reads: readonly Scenario[] = [
  {
    name: "forms of selectors",
    async run({ send, quietly, gadgets, namespace }) {
      for (const [name, labels] of Object.entries({ a: { a: "x" }, b: { a: "1", b: "y" }, c: { in: "in" }, d: {} }))
        await quietly("POST", gadgets, { body: gadget(name, {}, { metadata: { labels } }) });
      for (const text of LABEL_SELECTORS)
        await send(`label ${text}`, "GET", gadgets, { query: `labelSelector=${encodeURIComponent(text)}` });
      for (const text of FIELD_SELECTORS) {
        await send(`field ${text}`, "GET", gadgets, { query: `fieldSelector=${encodeURIComponent(text)}` });
        const pods = `/api/v1/namespaces/${namespace}/pods`;
        await send(`field of pods ${text}`, "GET", pods, { query: `fieldSelector=${encodeURIComponent(text)}` });
        const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;
        await send(`field of config maps ${text}`, "GET", configMaps, { query: `fieldSelector=${encodeURIComponent(text)}` });
      }
    },
  },
  {
    name: "parameters that do not go together",
    async run({ send, quietly, gadgets, namespace }) {
      await quietly("POST", gadgets, { body: gadget("a") });
      const secrets = `/api/v1/namespaces/${namespace}/secrets`;
      for (const query of COMBINATIONS) {
        await send(`list ${query}`, "GET", gadgets, { query });
        await send(`list of secrets ${query}`, "GET", secrets, { query });
        await send(`deletion ${query}`, "DELETE", gadgets, { query: `${query}&dryRun=All` });
      }
      for (const query of WATCHES) {
        await send(`watch ${query}`, "GET", gadgets, { query: `watch=true&timeoutSeconds=1&${query}` });
        await send(`watch of secrets ${query}`, "GET", secrets, { query: `watch=true&timeoutSeconds=1&${query}` });
      }
    },
  },
  {
    name: "streaming lists",
    async run({ quietly, watch, gadgets, namespace }) {
      for (const name of ["a", "b", "c"])
        await quietly("POST", gadgets, { body: gadget(name, {}, { metadata: { labels: { half: name < "c" ? "first" : "second" } } }) });
      const stream = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";
      const list = await quietly("GET", gadgets);
      const version = String(list["metadata"]?.resourceVersion);
      await watch("with a bookmark", `${gadgets}?${stream}&allowWatchBookmarks=true`, 4);
      await watch("by label", `${gadgets}?${stream}&allowWatchBookmarks=true&labelSelector=half=second`, 2);
      await watch("by name", `${gadgets}?${stream}&allowWatchBookmarks=true&fieldSelector=metadata.name=b`, 2);
      await watch("of nothing", `${gadgets}?${stream}&allowWatchBookmarks=true&labelSelector=half=third`, 1);
      await watch("from zero", `${gadgets}?${stream}&allowWatchBookmarks=true&resourceVersion=0`, 4);
      await watch("from a version", `${gadgets}?${stream}&allowWatchBookmarks=true&resourceVersion=${version}`, 4);
      await watch("from an early version", `${gadgets}?${stream}&allowWatchBookmarks=true&resourceVersion=1`, 4);
      await watch("without bookmarks", `${gadgets}?${stream}`, 4);
      const none = "watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
      await watch("without the state", `${gadgets}?${none}&resourceVersion=${version}`, 1, () =>
        quietly("POST", gadgets, { body: gadget("d") }),
      );
      await watch("and what changes then", `${gadgets}?${stream}&allowWatchBookmarks=true&labelSelector=half`, 5, () =>
        quietly("DELETE", `${gadgets}/b`),
      );
      const headers = { accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io" };
      await watch("of metadata", { path: `${gadgets}?${stream}&allowWatchBookmarks=true`, headers }, 4);
      await watch("of an empty kind", `/api/v1/namespaces/${namespace}/secrets?${stream}&allowWatchBookmarks=true`, 1);
      await watch("asked for in an odd way", `${gadgets}?${stream.replace("=true&res", "=maybe&res")}`, 3);
      await watch("the older path", `${gadgets.replace("/v1/", "/v1/watch/")}?${stream.slice(11)}&allowWatchBookmarks=true`, 4);
    },
  },
  {
    name: "deep paths",
    async run({ send, namespace, gadgets }) {
      const root = `/api/v1/namespaces/${namespace}`;
      for (const path of PATHS)
        for (const method of ["GET", "PUT", "POST", "DELETE"] as const)
          await send(`${method} ${path}`, method, `${root}/${path}`, { body: {} });
      for (const path of ["a/b", "a/b/c", "a/status/c", "a/scale/b"])
        for (const method of ["GET", "POST"] as const) await send(`${method} gadgets/${path}`, method, `${gadgets}/${path}`, { body: {} });
      for (const path of [
        `${root}`,
        "/api/v1/absent/a/b/c",
        "/api/v1/nodes/a/b",
        "/api/v1/nodes/a/status/b",
        "/api/v2/pods",
        "/apis/apps/v2/deployments",
        "/apis/apps/v1/a/b/c/d/e/f/g",
      ])
        await send(`GET ${path.replace(namespace, "x")}`, "GET", path);
    },
  },
];
