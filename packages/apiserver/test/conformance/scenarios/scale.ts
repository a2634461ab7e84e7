/** Applies of the subresource `scale`: the owners of the replicas, their version, and refusals. */
import type { Json, Scenario, Session } from "../session.ts";
import { ALL, definition, until } from "./definitions.ts";

const APPLY = { "content-type": "application/apply-patch+yaml" };
const MERGE = { "content-type": "application/merge-patch+json" };
const PODS = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "a", image: "a" }] } };

type Apply = (step: string, manager: string, body: unknown, more?: string) => Promise<Json>;

/** Returns a function that applies to one path, and records the object each time. */
function applier({ send }: Session, path: string, subresource = "/scale"): Apply {
  return async (step, manager, body, more = "") => {
    const query = `fieldManager=${manager}${more === "" ? "" : `&${more}`}`;
    await send(step, "PATCH", path + subresource, { query, body, headers: APPLY });
    return send(`${step}: the object`, "GET", path);
  };
}

function scaleTo(replicas: unknown, more: Json = {}): Json {
  return { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" }, spec: { replicas }, ...more };
}

/** Paths of the built-in kinds with a scale, and their required fields. */
const BUILT_IN = [
  { apiVersion: "apps/v1", kind: "Deployment", plural: "deployments", spec: { selector: { matchLabels: { a: "b" } }, template: PODS } },
  { apiVersion: "apps/v1", kind: "ReplicaSet", plural: "replicasets", spec: { selector: { matchLabels: { a: "b" } }, template: PODS } },
  {
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    plural: "statefulsets",
    spec: { serviceName: "a", selector: { matchLabels: { a: "b" } }, template: PODS },
  },
  { apiVersion: "v1", kind: "ReplicationController", plural: "replicationcontrollers", spec: { selector: { a: "b" }, template: PODS } },
] as const;

const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** Reads and changes a scale in each form that is not the Scale itself. */
async function scaleInForms({ send }: Session, path: string): Promise<void> {
  const get = (step: string, accept: string, query = ""): Promise<Json> => send(step, "GET", path, { query, headers: { accept } });
  await get("a table", TABLE);
  await get("a table of kubectl", `${TABLE},application/json`);
  await get("a table of v1beta1", TABLE.replace("v=v1", "v=v1beta1"));
  for (const include of ["None", "Metadata", "Object", "All"]) await get(`a table with ${include}`, TABLE, `includeObject=${include}`);
  await get("a table in YAML", TABLE.replace("json", "yaml"));
  await get("only metadata", TABLE.replace("Table", "PartialObjectMetadata"));
  await get("metadata as a list", TABLE.replace("Table", "PartialObjectMetadataList"));
  const headers = { accept: TABLE, ...MERGE };
  await send("a patch answered as a table", "PATCH", path, { body: { spec: { replicas: 7 } }, headers });
  await send("a patch to zero answered as a table", "PATCH", path, { body: { spec: { replicas: 0 } }, headers });
}

export const scale: readonly Scenario[] = [
  ...BUILT_IN.map(({ apiVersion, kind, plural, spec }) => ({
    name: `scale applied to a ${kind}`,
    async run(session: Session) {
      const { send, quietly, namespace } = session;
      const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
      const path = `${root}/namespaces/${namespace}/${plural}`;
      const object = (more: Json): Json => ({ apiVersion, kind, metadata: { name: "a" }, spec: { ...spec, ...more } });
      const by = applier(session, `${path}/a`);
      const byObject = applier(session, `${path}/a`, "");
      await quietly("POST", path, { query: "fieldManager=creator", body: object({ replicas: 2 }) });
      await by("a conflict with an updater", "one", scaleTo(3));
      await by("the same number", "one", scaleTo(2));
      await by("another number, of a field that another has, too", "one", scaleTo(3));
      await by("dry run", "one", scaleTo(3), "force=true&dryRun=All");
      await by("by force", "one", scaleTo(3), "force=true");
      await by("the same again", "one", scaleTo(3));
      await by("another number", "one", scaleTo(4));
      await by("a conflict with an applier", "two", scaleTo(5));
      await by("a second owner", "two", scaleTo(4));
      await by("an owner who leaves", "two", scaleTo(undefined));
      await byObject("a conflict of the object's own apply", "three", object({ replicas: 7 }));
      await byObject("the object's own apply", "one", object({ replicas: 4 }));
      await byObject("which leaves the replicas", "one", object({}));
      await send("an update", "PATCH", `${path}/a/scale`, { query: "fieldManager=four", body: { spec: { replicas: 6 } }, headers: MERGE });
      await by("a conflict with an updater of scale", "one", scaleTo(5));
      await by("taken from the updater", "one", scaleTo(5), "force=true");
      await by("the last owner who leaves", "one", scaleTo(undefined));
      await by("to nothing", "one", scaleTo(0));
      await scaleInForms(session, `${path}/a/scale`);
    },
  })),
  {
    name: "scale applied and refused",
    async run(session) {
      const { send, quietly, namespace } = session;
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments`;
      const at = `${path}/a`;
      const by = applier(session, at);
      const [{ spec }] = BUILT_IN;
      const body = { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "a" }, spec };
      await send("nobody there", "PATCH", `${at}/scale`, { query: "fieldManager=one", body: scaleTo(1), headers: APPLY });
      await quietly("PATCH", at, { query: "fieldManager=creator", body, headers: APPLY });
      await send("without a manager", "PATCH", `${at}/scale`, { body: scaleTo(1), headers: APPLY });
      await by("a number that nobody owned", "one", scaleTo(2));
      await by("by force", "one", scaleTo(2), "force=true");
      await by("a negative number", "one", scaleTo(-1));
      await by("a text", "one", scaleTo("3"));
      await by("a fraction", "one", scaleTo(1.5));
      await by("a number that is too large", "one", scaleTo(3_000_000_000));
      await by("null", "one", scaleTo(null));
      await by("no body", "one", "");
      await by("a list", "one", "[]");
      await by("another kind", "one", body);
      await by("another version", "one", { ...scaleTo(1), apiVersion: "autoscaling/v2" });
      await by("no kind", "one", { spec: { replicas: 3 } });
      await by("another name", "one", scaleTo(3, { metadata: { name: "b" } }));
      await by("no name", "one", { apiVersion: "autoscaling/v1", kind: "Scale", spec: { replicas: 3 } });
      await by("another namespace", "one", scaleTo(3, { metadata: { name: "a", namespace: "default" } }));
      await by("another uid", "one", scaleTo(3, { metadata: { name: "a", uid: "x" } }));
      await by("an old version", "one", scaleTo(3, { metadata: { name: "a", resourceVersion: "1" } }));
      await by("a version that is none", "one", scaleTo(3, { metadata: { name: "a", resourceVersion: "x" } }));
      await by("managed fields", "one", scaleTo(3, { metadata: { name: "a", managedFields: [] } }));
      await by("labels", "one", scaleTo(4, { metadata: { name: "a", labels: { x: "y" }, annotations: { x: "y" } } }));
      await by("a status", "one", scaleTo(5, { status: { replicas: 9, selector: "x=y" } }));
      await by("an unknown field", "one", scaleTo(6, { spec: { replicas: 6, more: 1 } }));
      await by("an unknown field at the root", "one", scaleTo(6, { more: 1 }));
      const twice = "apiVersion: autoscaling/v1\nkind: Scale\nmetadata: {name: a}\nspec:\n  replicas: 7\n  replicas: 8\n";
      await by("a key twice", "one", twice);
      await by("a key twice, strictly", "one", twice, "fieldValidation=Strict");
      await by("a map for the spec", "one", scaleTo(1, { spec: [] }));
      await by("labels that are no text", "one", scaleTo(6, { metadata: { name: "a", labels: { x: 1 } } }));
      await send("patched to another name", "PATCH", `${at}/scale`, { body: { metadata: { name: "b" } }, headers: MERGE });
      await send("patched to another namespace", "PATCH", `${at}/scale`, { body: { metadata: { namespace: "b" } }, headers: MERGE });
      const other = { metadata: { uid: "x" }, spec: { replicas: 3 } };
      await send("patched with another uid", "PATCH", `${at}/scale`, { body: other, headers: MERGE });
      for (const [step, metadata] of Object.entries({
        "under another name": { name: "b" },
        "without a name": {},
        "in another namespace": { name: "a", namespace: "b" },
        "with another uid": { name: "a", uid: "x" },
      }))
        await send(`put ${step}`, "PUT", `${at}/scale`, { body: scaleTo(3, { metadata }) });
      const replaced = { op: "replace", path: "", value: null };
      await send("patched away", "PATCH", `${at}/scale`, { body: [replaced], headers: { "content-type": "application/json-patch+json" } });
      await by("by kubectl, which conflicts", "kubectl", scaleTo(1));
      await by("nothing but the name", "one", { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "a" } });
    },
  },
  {
    name: "scale applied to a custom resource",
    async run(session) {
      const { send, quietly, namespace } = session;
      const group = `${namespace}.example.com`;
      const engines = `/apis/${group}/v1/namespaces/${namespace}/engines`;
      const later = `/apis/${group}/v2/namespaces/${namespace}/engines`;
      const body = definition(group, { plural: "engines", kind: "Engine" });
      const size = { type: "integer" };
      const properties = { spec: { type: "object", properties: { size, replicas: size, other: { type: "string" } } } };
      const version = (name: string, field: string): Json => ({
        ...body["spec"].versions[0],
        name,
        storage: name === "v1",
        schema: { openAPIV3Schema: { type: "object", properties } },
        subresources: { scale: { specReplicasPath: `.spec.${field}`, statusReplicasPath: ".status.replicas" } },
      });
      const versions = [version("v1", "replicas"), version("v2", "size"), { ...version("v3", "size"), subresources: {} }];
      await quietly("POST", ALL, { body: { ...body, spec: { ...body["spec"], versions } } });
      await until(session, engines, ({ kind }) => kind === "EngineList");
      const engine = (spec: Json, of = "v1"): Json => ({ apiVersion: `${group}/${of}`, kind: "Engine", metadata: { name: "a" }, spec });
      const by = applier(session, `${engines}/a`);
      const byObject = applier(session, `${engines}/a`, "");
      await byObject("the object", "creator", engine({ other: "x" }));
      await send("an update where there is no number", "PATCH", `${engines}/a/scale`, { body: { spec: { replicas: 1 } }, headers: MERGE });
      await by("without a number where there is none", "one", scaleTo(undefined));
      await by("a negative number", "one", scaleTo(-1));
      await by("a number where there was none", "one", scaleTo(2));
      await by("another name", "one", scaleTo(3, { metadata: { name: "b" } }));
      await by("another kind", "one", engine({ replicas: 1 }));
      await by("a conflict", "two", scaleTo(3));
      await by("by force", "two", scaleTo(3), "force=true");
      await by("another uid", "two", scaleTo(3, { metadata: { name: "a", uid: "x" } }));
      await by("an old version", "two", scaleTo(4, { metadata: { name: "a", resourceVersion: "1" } }));
      await by("an unknown field", "two", scaleTo(4, { more: 1 }));
      await by("labels", "two", scaleTo(4, { metadata: { name: "a", labels: { x: "y" } } }));
      await by("a text", "two", scaleTo("4"));
      await byObject("the object's own", "two", engine({ replicas: 4 }));
      await send("an update", "PATCH", `${engines}/a/scale`, {
        query: "fieldManager=four",
        body: { spec: { replicas: 6 } },
        headers: MERGE,
      });
      await by("a conflict with an updater of scale", "two", scaleTo(5));
      const other = { metadata: { uid: "x" }, spec: { replicas: 6 } };
      await send("patched with another uid", "PATCH", `${engines}/a/scale`, { body: other, headers: MERGE });
      await by("by force from an updater", "two", scaleTo(5), "force=true");
      await by("the same number", "two", scaleTo(6));
      await by("the same number and a label", "two", scaleTo(6, { metadata: { name: "a", labels: { x: "y" } } }));
      await by("an unknown field of the spec", "two", scaleTo(4, { spec: { replicas: 6, more: 1 } }));
      await by("no number", "two", scaleTo(undefined));
      const inLater = applier(session, `${later}/a`);
      await inLater("in a version with another field", "five", scaleTo(8));
      await by("in the first version again", "five", scaleTo(9), "force=true");
      await applier(session, `/apis/${group}/v3/namespaces/${namespace}/engines/a`, "")(
        "in a version without scale",
        "six",
        engine({ size: 8 }, "v3"),
      );
      await by("and in the first again", "five", scaleTo(1), "force=true");
      await scaleInForms(session, `${engines}/a/scale`);
      await quietly("DELETE", `${ALL}/engines.${group}`);
    },
  },
];
