/** CRDs: accepted names, writes of their status, and their deletion. */
import type { Json, Scenario, Session } from "../session.ts";

export const ALL = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const MERGE = { "content-type": "application/merge-patch+json" };
const TRIES = 100;

export function definition(group: string, names: Json & { readonly plural: string; readonly kind: string }, metadata: object = {}): Json {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}`, ...metadata },
    spec: {
      group,
      scope: "Namespaced",
      names,
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
    },
  };
}

/** Waits until the object is ready, because the real server needs a moment. */
export async function until({ quietly }: Pick<Session, "quietly">, path: string, isSo: (object: Json) => boolean): Promise<void> {
  for (let tries = 0; !isSo(await quietly("GET", path)); tries++) {
    if (tries === TRIES) throw new Error(`${path} does not become what is waited for`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function has(type: string, status: string, reason?: string): (object: Json) => boolean {
  return (object) =>
    ((object["status"]?.conditions ?? []) as Json[]).some(
      (one) => one["type"] === type && one["status"] === status && (reason === undefined || one["reason"] === reason),
    );
}

const ESTABLISHED = has("Established", "True");
const isGone = ({ code }: Json): boolean => code === 404;

export const definitions: readonly Scenario[] = [
  {
    name: "names of definitions",
    async run(session) {
      const { send, quietly, namespace } = session;
      const group = `${namespace}.example.com`;
      const at = (plural: string): string => `${ALL}/${plural}.${group}`;
      const first = definition(group, { plural: "engines", kind: "Engine", shortNames: ["en", "eng"], categories: ["all"] });
      await send("as it is at first", "POST", ALL, { body: first });
      await until(session, at("engines"), ESTABLISHED);
      await send("established", "GET", at("engines"));
      const rivals: Readonly<Record<string, Json & { readonly plural: string; readonly kind: string }>> = {
        "its kind is taken": { plural: "motors", kind: "Engine" },
        "its kind of lists is taken": { plural: "lists", kind: "Lister", listKind: "EngineList" },
        "its kind is that of lists": { plural: "others", kind: "EngineList" },
        "its singular is taken": { plural: "singles", kind: "Single", singular: "engine" },
        "its singular is a short name": { plural: "shorts", kind: "Short", singular: "en" },
        "two short names are taken": { plural: "pairs", kind: "Pair", shortNames: ["en", "new", "eng"] },
        "its plural is a singular": { plural: "engine", kind: "Plural", singular: "pl" },
      };
      for (const [step, names] of Object.entries(rivals)) {
        await quietly("POST", ALL, { body: definition(group, names) });
        await until(session, at(names.plural), has("NamesAccepted", "False"));
        await send(step, "GET", at(names.plural));
        await send(`${step}: not served`, "GET", `/apis/${group}/v1/${names.plural}`);
      }
      const wanted = { spec: { names: { shortNames: ["en", "pair"], categories: ["some"] } } };
      await quietly("POST", ALL, { body: definition(group, { plural: "latecomers", kind: "Latecomer", shortNames: ["late"] }) });
      await until(session, at("latecomers"), ESTABLISHED);
      await quietly("PATCH", at("latecomers"), { body: wanted, headers: MERGE });
      await until(session, at("latecomers"), has("NamesAccepted", "False"));
      await send("one that is served asks for what is taken", "GET", at("latecomers"));
      // On the real server it is random which CRD gets a free name.
      for (const { plural } of Object.values(rivals).filter(({ plural }) => plural !== "motors")) await quietly("DELETE", at(plural));
      await quietly("DELETE", at("engines"));
      await until(session, at("engines"), isGone);
      await until(session, at("motors"), ESTABLISHED);
      await send("the first has gone, and one gets its names", "GET", at("motors"));
      for (const plural of ["motors", "latecomers"]) await quietly("DELETE", at(plural));
    },
  },
  {
    name: "status of definitions",
    async run(session) {
      const { send, quietly, namespace } = session;
      const group = `${namespace}.example.com`;
      const path = `${ALL}/engines.${group}`;
      await send("finalizers of any name", "POST", ALL, {
        query: "dryRun=All",
        body: definition(group, { plural: "engines", kind: "Engine" }, { finalizers: ["plain"] }),
      });
      await send("finalizers that are no names", "POST", ALL, {
        query: "dryRun=All",
        body: definition(group, { plural: "engines", kind: "Engine" }, { finalizers: ["a b"] }),
      });
      await quietly("POST", ALL, { body: definition(group, { plural: "engines", kind: "Engine" }) });
      await until(session, path, ESTABLISHED);
      const status = (step: string, body: Json): Promise<Json> => send(step, "PATCH", `${path}/status`, { body, headers: MERGE });
      await status("metadata", {
        metadata: { labels: { a: "b" }, annotations: { c: "d" }, finalizers: ["example.com/hold"] },
        spec: { scope: "Cluster" },
      });
      await status("a stored version that is none", { status: { storedVersions: ["v1", "v9"] } });
      await send("applied metadata", "PATCH", `${path}/status`, {
        query: "fieldManager=alice&force=true",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: {
          apiVersion: "apiextensions.k8s.io/v1",
          kind: "CustomResourceDefinition",
          metadata: { name: `engines.${group}`, labels: { e: "f" } },
          status: { storedVersions: ["v1"] },
        },
      });
      await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers: MERGE });
      await quietly("DELETE", path);
      await until(session, path, isGone);
    },
  },
  {
    name: "end of definitions",
    async run(session) {
      const { send, quietly, namespace } = session;
      const group = `${namespace}.example.com`;
      const path = `${ALL}/engines.${group}`;
      const engines = `/apis/${group}/v1/namespaces/${namespace}/engines`;
      const engine = (name: string, finalizers: readonly string[] = []): Json => ({
        apiVersion: `${group}/v1`,
        kind: "Engine",
        metadata: { name, finalizers },
      });
      await quietly("POST", ALL, { body: definition(group, { plural: "engines", kind: "Engine" }, { finalizers: ["example.com/last"] }) });
      await until(session, path, ESTABLISHED);
      await until(session, engines, ({ kind }) => kind === "EngineList");
      await quietly("POST", engines, { body: engine("held", ["example.com/hold"]) });
      await quietly("POST", engines, { body: engine("free") });
      await quietly("DELETE", path);
      await until(session, `${engines}/free`, isGone);
      await send("what is held", "GET", `${engines}/held`);
      await send("no new object", "POST", engines, { body: engine("new") });
      await send("no new object, not even to try", "POST", engines, { query: "dryRun=All", body: engine("new") });
      await send("nor by an apply", "PATCH", `${engines}/applied`, {
        query: "fieldManager=alice",
        headers: { "content-type": "application/apply-patch+yaml" },
        body: engine("applied"),
      });
      await send("a change of what is held", "PATCH", `${engines}/held`, { body: { metadata: { labels: { a: "b" } } }, headers: MERGE });
      await until(session, `/apis/${group}/v1`, ({ resources }) => !JSON.stringify(resources).includes("create"));
      await send("what may be done still", "GET", `/apis/${group}/v1`);
      await send("the definition waits", "GET", path);
      // Waits for another second, because the time of the condition has whole seconds.
      await new Promise((resolve) => setTimeout(resolve, 1100));
      await quietly("PATCH", `${engines}/held`, { body: { metadata: { finalizers: null } }, headers: MERGE });
      await until(session, path, has("Terminating", "False"));
      await send("all are gone, and somebody holds the definition", "GET", path);
      await quietly("PATCH", path, { body: { metadata: { finalizers: null } }, headers: MERGE });
      await until(session, path, isGone);
    },
  },
  {
    name: "scale of objects without replicas",
    async run(session) {
      const { send, quietly, namespace } = session;
      const group = `${namespace}.example.com`;
      const path = `${ALL}/engines.${group}`;
      const engines = `/apis/${group}/v1/namespaces/${namespace}/engines`;
      const body = definition(group, { plural: "engines", kind: "Engine" });
      const properties = { spec: { type: "object", properties: { replicas: { type: "integer" } } } };
      const scale = { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" };
      const version = { ...body["spec"].versions[0], schema: { openAPIV3Schema: { type: "object", properties } }, subresources: { scale } };
      await quietly("POST", ALL, { body: { ...body, spec: { ...body["spec"], versions: [version] } } });
      await until(session, engines, ({ kind }) => kind === "EngineList");
      await quietly("POST", engines, { body: { apiVersion: `${group}/v1`, kind: "Engine", metadata: { name: "a" } } });
      await send("none", "GET", `${engines}/a/scale`);
      await send("patched to nothing", "PATCH", `${engines}/a/scale`, { body: { metadata: { labels: { a: "b" } } }, headers: MERGE });
      await send("read then", "GET", `${engines}/a/scale`);
      await send("set to a negative number", "PATCH", `${engines}/a/scale`, { body: { spec: { replicas: -1 } }, headers: MERGE });
      await send("set to zero", "PATCH", `${engines}/a/scale`, { body: { spec: { replicas: 0 } }, headers: MERGE });
      await send("set", "PATCH", `${engines}/a/scale`, { body: { spec: { replicas: 2 } }, headers: MERGE });
      await send("read", "GET", `${engines}/a/scale`);
      await send("then to a negative number", "PATCH", `${engines}/a/scale`, { body: { spec: { replicas: -1 } }, headers: MERGE });
      const deployment = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } };
      await quietly("POST", deployment, {
        body: { metadata: { name: "d" }, spec: { replicas: 0, selector: { matchLabels: { a: "b" } }, template } },
      });
      await send("a built-in kind at zero", "GET", `${deployment}/d/scale`);
      await send("a built-in kind to a negative number", "PATCH", `${deployment}/d/scale`, {
        body: { spec: { replicas: -1 } },
        headers: MERGE,
      });
      await quietly("DELETE", path);
    },
  },
];
