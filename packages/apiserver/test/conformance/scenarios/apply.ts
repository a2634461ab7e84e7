/** Server-side apply: owners, conflicts and refusals. */
import { gadget } from "../gadget.ts";
import type { Json, Scenario, Session } from "../session.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };
const MERGE = { "content-type": "application/merge-patch+json" };

type Apply = (step: string, manager: string, body: unknown, more?: string) => Promise<Json>;

/** Returns a function that applies to one path. `more` are additional query parameters. */
function applier({ send }: Session, path: string): Apply {
  return (step, manager, body, more = "") =>
    send(step, "PATCH", path, { query: `fieldManager=${manager}${more === "" ? "" : `&${more}`}`, body, headers: APPLY });
}

export const apply: readonly Scenario[] = [
  {
    name: "apply to a custom resource",
    async run(session) {
      const { send, gadgets } = session;
      const path = `${gadgets}/a`;
      const by = applier(session, path);
      const ports = (...names: string[]): Json[] => names.map((name, i) => ({ name, port: 80 + i }));
      await by("creates", "one", gadget("a", { tags: ["x", "y"], ports: ports("a", "b"), settings: { k: "v" }, words: ["w"] }));
      await by("the same again", "one", gadget("a", { tags: ["x", "y"], ports: ports("a", "b"), settings: { k: "v" }, words: ["w"] }));
      await by("the same by another", "two", gadget("a", { tags: ["x", "y"], ports: ports("a", "b"), settings: { k: "v" }, words: ["w"] }));
      await by("a field dropped that another has", "one", gadget("a", { tags: ["x"], ports: ports("a"), words: ["w"] }));
      await by("fields dropped by the last who had them", "two", gadget("a", { tags: ["z"], words: ["w"] }));
      await by("a conflict", "three", gadget("a", { size: 3 }));
      await by("several conflicts", "three", gadget("a", { size: 3, words: ["v"], tags: ["x"], ports: [{ name: "a", port: 81 }] }));
      await by("by force", "three", gadget("a", { size: 3, words: ["v"], tags: ["x"], ports: [{ name: "a", port: 81 }] }), "force=true");
      await send("an update by another", "PATCH", path, {
        query: "fieldManager=four",
        body: { spec: { size: 4, settings: { u: "1" } } },
        headers: MERGE,
      });
      await by("a conflict with an updater", "three", gadget("a", { size: 3 }));
      await by("keeping what another lists in part", "three", gadget("a", { size: 4, ports: [{ name: "a", port: 81 }] }), "force=true");
      await by("nothing", "one", { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name: "a" } });
      await by("null for a field", "five", gadget("a", { size: 4, note: null, mode: null }));
      await by("an empty list and map", "five", gadget("a", { size: 4, tags: [], words: [], settings: {} }), "force=true");
      await by("labels and finalizers", "six", {
        ...gadget("a"),
        metadata: { name: "a", labels: { a: "b" }, finalizers: ["a.b/c"], annotations: { x: "y" } },
        spec: {},
      });
      await by("labels dropped", "six", { ...gadget("a"), metadata: { name: "a", finalizers: ["a.b/c"] }, spec: {} });
      await by("finalizers dropped", "six", { ...gadget("a"), metadata: { name: "a" }, spec: {} });
      await by("dry run", "six", { ...gadget("a"), metadata: { name: "a" }, spec: { title: "abc" } }, "dryRun=All");
      await send("after it", "GET", path);
    },
  },
  {
    name: "apply refused",
    async run(session) {
      const { send, quietly, gadgets, namespace } = session;
      const by = applier(session, `${gadgets}/a`);
      const body = gadget("a");
      const raw = (step: string, text: string, query = "fieldManager=one", headers: Record<string, string> = APPLY): Promise<Json> =>
        send(step, "PATCH", `${gadgets}/a`, { query, body: text, headers });
      await by("with a uid", "one", { ...body, metadata: { name: "a", uid: "00000000-0000-0000-0000-000000000001" } });
      await raw("without a manager", JSON.stringify(body), "");
      await by("of the wrong kind", "one", { ...body, kind: "Widget" });
      await by("of the wrong version", "one", { ...body, apiVersion: "conformance.treadle.dev/v2" });
      await by("of a version that is none", "one", { ...body, apiVersion: "a/b/c" });
      await by("without a kind", "one", { metadata: { name: "a" } });
      await by("without a name", "one", { ...body, metadata: {} });
      await by("of another name", "one", { ...body, metadata: { name: "b" } });
      await by("of another namespace", "one", { ...body, metadata: { name: "a", namespace: "default" } });
      await by("with managedFields", "one", { ...body, metadata: { name: "a", managedFields: [] } });
      await by("with an unknown field", "one", gadget("a", { nope: 1 }));
      await by("with an unknown field of metadata", "one", { ...body, metadata: { name: "a", nope: 1 } });
      await by("with an unknown field at the top", "one", { ...body, nope: 1 });
      await by("with a number for a text", "one", gadget("a", { title: 5 }));
      await by("with a text for a number", "one", gadget("a", { size: "x" }));
      await by("with a list for a map", "one", gadget("a", { settings: ["x"] }));
      await by("with a map for a list", "one", gadget("a", { tags: { a: 1 } }));
      await by("with a text for a boolean", "one", gadget("a", { isOn: "x" }));
      await by("with a member twice", "one", gadget("a", { tags: ["x", "x"] }));
      await by(
        "with an item twice",
        "one",
        gadget("a", {
          ports: [
            { name: "a", port: 1 },
            { name: "a", port: 2 },
          ],
        }),
      );
      await by("with an item without a key", "one", gadget("a", { ports: [{ port: 1 }] }));
      await by("with an item that is none", "one", gadget("a", { ports: ["x"] }));
      await by("with a null item", "one", gadget("a", { ports: [null] }));
      await by("with a null member", "one", gadget("a", { tags: [null] }));
      await by("invalid", "one", gadget("a", { size: 1000 }));
      await by("with a version that is none", "one", { ...body, metadata: { name: "a", resourceVersion: "abc" } });
      await by("with a bad label", "one", { ...body, metadata: { name: "a", labels: { "a b": "c" } } });
      await raw("a text", "just a text");
      await raw("nothing", "");
      await raw("null", "null");
      await raw("a list", "[1]");
      await raw(
        "a key twice, strictly",
        '{"apiVersion":"conformance.treadle.dev/v1","kind":"Gadget","metadata":{"name":"a"},"spec":{"size":1,"size":2}}',
        "fieldManager=one&fieldValidation=Strict",
      );
      await raw("too long a manager", JSON.stringify(body), `fieldManager=${"m".repeat(129)}`);
      await raw("force that is none", JSON.stringify(body), "fieldManager=one&force=maybe&dryRun=All");
      await raw("an unknown dry run", JSON.stringify(body), "fieldManager=one&dryRun=Some");
      await send("in a namespace that is not there", "PATCH", gadgets.replace(namespace, "no-such-namespace") + "/a", {
        query: "fieldManager=one",
        body,
        headers: APPLY,
      });
      await send("to the collection", "PATCH", gadgets, { query: "fieldManager=one", body, headers: APPLY });
      await send("the status of what is not there", "PATCH", `${gadgets}/a/status`, { query: "fieldManager=one", body, headers: APPLY });
      await by("with a version of what is not there", "one", { ...body, metadata: { name: "a", resourceVersion: "1" } });
      await by("with an old version", "one", { ...body, metadata: { name: "a", resourceVersion: "1" } });
      await by("with another uid", "one", { ...body, metadata: { name: "a", uid: "00000000-0000-0000-0000-000000000001" } });
      const live = await quietly("GET", `${gadgets}/a`);
      await by("with its version", "one", {
        ...gadget("a", { size: 7 }),
        metadata: { name: "a", resourceVersion: live["metadata"]?.resourceVersion },
      });
    },
  },
  {
    name: "apply in other forms",
    async run({ send, gadgets, namespace }) {
      const yaml = [
        "apiVersion: conformance.treadle.dev/v1",
        "kind: Gadget",
        "metadata:",
        "  name: a",
        "spec:",
        "  size: 2",
        "  isOn: yes",
      ];
      const patch = (step: string, text: string, query = "fieldManager=one"): Promise<Json> =>
        send(step, "PATCH", `${gadgets}/a`, { query, body: text, headers: APPLY });
      await patch("YAML", yaml.join("\n"));
      await patch("a key twice", [...yaml, "  size: 3"].join("\n"));
      await patch("a key twice, strictly", [...yaml, "  size: 4"].join("\n"), "fieldManager=one&fieldValidation=Strict");
      await patch("a key twice, ignored", [...yaml, "  size: 5"].join("\n"), "fieldManager=one&fieldValidation=Ignore");
      await patch(
        "metadata that is null",
        "apiVersion: conformance.treadle.dev/v1\nkind: Gadget\nmetadata:\nspec: {size: 1}\n",
        "fieldManager=one&force=true",
      );
      await send("answered in YAML", "PATCH", `${gadgets}/a`, {
        query: "fieldManager=one&force=true",
        body: yaml.join("\n"),
        headers: { ...APPLY, accept: "application/yaml" },
      });
      const map = `/api/v1/namespaces/${namespace}/configmaps/a`;
      const body = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { k: "v" }, immutable: null };
      await send("null for a field of a built-in kind", "PATCH", map, { query: "fieldManager=one", body, headers: APPLY });
      await send("null for all", "PATCH", map, { query: "fieldManager=one", body: { ...body, data: null }, headers: APPLY });
    },
  },
  {
    name: "apply to a status",
    async run(session) {
      const { quietly, send, gadgets } = session;
      await quietly("POST", gadgets, { query: "fieldManager=maker", body: gadget("a") });
      const main = applier(session, `${gadgets}/a`);
      const status = applier(session, `${gadgets}/a/status`);
      const condition = (type: string, value: string): Json => ({
        type,
        status: value,
        reason: "R",
        message: "",
        lastTransitionTime: "2026-01-01T00:00:00Z",
      });
      const bare = { apiVersion: "conformance.treadle.dev/v1", kind: "Gadget", metadata: { name: "a" } };
      await status("the first", "one", { ...bare, status: { phase: "Pending", conditions: [condition("A", "True")] } });
      await status("with a spec and labels", "one", {
        ...bare,
        metadata: { name: "a", labels: { a: "b" } },
        spec: { size: 50 },
        status: { phase: "Pending", conditions: [condition("A", "True")] },
      });
      await status("another's condition", "two", { ...bare, status: { conditions: [condition("B", "True")] } });
      await status("a conflict", "two", { ...bare, status: { conditions: [condition("A", "False")] } });
      await status("by force", "two", { ...bare, status: { conditions: [condition("A", "False")] } }, "force=true");
      await status("dropped", "two", { ...bare, status: { conditions: [condition("A", "False")] } });
      await status("all dropped", "one", bare);
      await main("a status by the object", "one", { ...bare, spec: { title: "abc" }, status: { phase: "Ready" } });
      await main("nothing but a status", "three", { ...bare, status: { phase: "Ready" } });
      await send("at last", "GET", `${gadgets}/a`);
    },
  },
  {
    name: "apply after other writes",
    async run(session) {
      const { quietly, send, gadgets } = session;
      const by = applier(session, `${gadgets}/a`);
      await quietly("POST", gadgets, { query: "fieldManager=maker", body: gadget("a", { settings: { a: "1" } }) });
      await send("managedFields reset", "PATCH", `${gadgets}/a`, {
        query: "fieldManager=maker",
        body: { metadata: { managedFields: [{}] } },
        headers: MERGE,
      });
      await by("to what nobody manages", "one", gadget("a", { settings: { b: "2" } }));
      await by("and another", "two", gadget("a", { size: 9 }));
      await send("emptied", "PATCH", `${gadgets}/a`, {
        query: "fieldManager=maker",
        body: { metadata: { managedFields: [] } },
        headers: MERGE,
      });
      // Names sort in this order also within one second.
      const updater = (i: number): string => `u${String(i).padStart(2, "0")}`;
      for (let i = 0; i < 12; i++)
        await quietly("PATCH", `${gadgets}/a`, {
          query: `fieldManager=${updater(i)}`,
          body: { spec: { settings: { [updater(i)]: "x" } } },
          headers: MERGE,
        });
      await send("after twelve updaters", "GET", `${gadgets}/a`);
      await by("to ancient changes", "one", gadget("a", { settings: { u00: "y" } }));
      const last = JSON.stringify({ ...gadget("b"), spec: { size: 1, title: "abc" } });
      await quietly("POST", gadgets, {
        query: "fieldManager=kubectl-client-side-apply",
        body: gadget("b", { title: "abc" }, { metadata: { annotations: { "kubectl.kubernetes.io/last-applied-configuration": last } } }),
      });
      const kubectl = applier(session, `${gadgets}/b`);
      await kubectl("of another than kubectl", "other", gadget("b", { title: "abd" }));
      await kubectl("of kubectl", "kubectl", gadget("b", { title: "abd" }));
      await kubectl("of kubectl again", "kubectl", gadget("b", { title: "abe" }));
      await send("changed by another", "PATCH", `${gadgets}/b`, {
        query: "fieldManager=x",
        body: { spec: { size: 4, title: "abx" } },
        headers: MERGE,
      });
      await kubectl("of kubectl, changed since", "kubectl", gadget("b", { title: "aby" }));
    },
  },
  {
    name: "apply to built-in kinds",
    async run(session) {
      const { namespace, send } = session;
      const map = applier(session, `/api/v1/namespaces/${namespace}/configmaps/a`);
      const configMap = (data: Json, more: Json = {}): Json => ({
        apiVersion: "v1",
        kind: "ConfigMap",
        metadata: { name: "a" },
        data,
        ...more,
      });
      await map("a config map", "one", configMap({ a: "1", b: "2" }));
      await map("its conflict", "two", configMap({ a: "2", c: "3" }));
      await map("its field dropped", "one", configMap({ b: "2" }));
      await map("all dropped", "one", { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
      await map("an unknown field", "one", configMap({}, { nope: 1 }));
      await map("a number", "one", configMap({ a: 1 }));
      const deployment = applier(session, `/apis/apps/v1/namespaces/${namespace}/deployments/a`);
      const container = (name: string, more: Json = {}): Json => ({ name, image: `${name}:1`, ...more });
      const deploy = (containers: readonly Json[], more: Json = {}): Json => ({
        apiVersion: "apps/v1",
        kind: "Deployment",
        metadata: { name: "a" },
        spec: { selector: { matchLabels: { a: "b" } }, template: { metadata: { labels: { a: "b" } }, spec: { containers } }, ...more },
      });
      await deployment(
        "a deployment",
        "one",
        deploy([container("c", { ports: [{ containerPort: 80 }], env: [{ name: "A", value: "1" }] })], { replicas: 2 }),
      );
      await deployment("a sidecar", "two", deploy([container("s")]));
      await deployment("a conflict about a deployment", "two", deploy([container("c", { image: "x:2" })], { replicas: 3 }));
      await deployment("by force", "two", deploy([container("c", { image: "x:2" })], { replicas: 3 }), "force=true");
      await deployment("a container dropped", "one", deploy([container("c", { image: "x:2" })]));
      const service = applier(session, `/api/v1/namespaces/${namespace}/services/a`);
      const serve = (ports: readonly Json[]): Json => ({
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        spec: { selector: { a: "b" }, ports },
      });
      await service("a service", "one", serve([{ name: "http", port: 80 }]));
      await service("a port of another", "two", serve([{ name: "dns", port: 53, protocol: "UDP" }]));
      await service("a conflict about a service", "two", serve([{ name: "web", port: 80 }]));
      await service("a port dropped", "one", serve([]));
      await send("an apply without a body", "PATCH", `/api/v1/namespaces/${namespace}/services/a`, {
        query: "fieldManager=one",
        headers: APPLY,
      });
    },
  },
];
