/**
 * Makes the table by which layers merge lists, from the OpenAPI documents of an API server. The entries of a list are told apart by
 * the keys that the server publishes. The exceptions are below.
 */
import { join } from "node:path";

/** The file that `main.ts` writes. */
export const FILE: string = join(import.meta.dirname, "../../packages/dependents/src/layers/merge-keys-data.ts");

/** A part of an OpenAPI v3 document. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
}

/** What the file of the table contains; the format is described there. */
export interface Table {
  readonly kinds: Readonly<Record<string, string>>;
  readonly types: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Lists whose keys are not those of the server.
 * - Ports: a layer that names a port means the port with that name. The server has the number and the protocol as key.
 * - Tolerations, subjects and metrics: the server has no key and replaces the lists. Each entry has an identity nevertheless.
 */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "core.v1.Container.ports": "name|containerPort,protocol=TCP",
  "core.v1.EphemeralContainer.ports": "name|containerPort,protocol=TCP",
  "core.v1.ServiceSpec.ports": "name|port,protocol=TCP",
  "core.v1.PodSpec.tolerations": "key,operator=Equal,value,effect",
  "rbac.v1.RoleBinding.subjects": "kind,name,namespace",
  "rbac.v1.ClusterRoleBinding.subjects": "kind,name,namespace",
  "autoscaling.v2.HorizontalPodAutoscalerSpec.metrics": [
    "type",
    "resource.name",
    "containerResource.name",
    "containerResource.container",
    "pods.metric.name",
    "pods.metric.selector",
    "object.describedObject.apiVersion",
    "object.describedObject.kind",
    "object.describedObject.name",
    "object.metric.name",
    "object.metric.selector",
    "external.metric.name",
    "external.metric.selector",
  ].join(","),
};

/** Returns the table for all kinds of stable versions in `documents`. */
export function tableOf(documents: readonly Readonly<Record<string, Schema>>[]): Table {
  const schemas = Object.assign({}, ...documents) as Readonly<Record<string, Schema>>; // a name has one schema in all documents
  const types: Record<string, Record<string, string>> = {};
  const kinds: Record<string, string> = {};
  for (const [name, schema] of Object.entries(schemas)) {
    const id = stableKindOf(schema);
    // The status of an object is not part of its desired state.
    const root = id === undefined ? undefined : read(name, { schemas, types, without: ["status", "metadata", "conditions"] });
    if (id !== undefined && root !== undefined) kinds[id] = root;
  }
  return { kinds: sorted(kinds), types: sorted(types) };
}

/** `apps/v1/Deployment` for the schema of a kind whose objects can be stored, in a stable version. */
function stableKindOf(schema: Schema): string | undefined {
  const kinds = schema["x-kubernetes-group-version-kind"] as readonly Readonly<Record<string, string>>[] | undefined;
  const { group, version = "", kind = "" } = kinds?.[0] ?? {};
  if (kinds?.length !== 1 || !/^v\d+$/.test(version) || kind.endsWith("List") || schema.properties?.["metadata"] === undefined)
    return undefined;
  return `${group === "" ? "" : `${group}/`}${version}/${kind}`;
}

interface Walk {
  readonly schemas: Readonly<Record<string, Schema>>;
  /** The types found so far; a type without lists that have a key is empty. */
  readonly types: Record<string, Record<string, string>>;
  readonly without?: readonly string[];
}

/** Reads a definition into the types. Returns its short name; `undefined` if it reaches no list with a key. */
function read(name: string, { schemas, types, without = [] }: Walk): string | undefined {
  const short = name.replace(/^io\.k8s\.(api|apimachinery\.pkg\.apis|kube-aggregator\.pkg\.apis|apiextensions-apiserver\.pkg\.apis)\./, "");
  if (short in types) return Object.keys(types[short] ?? {}).length === 0 ? undefined : short;
  const fields: Record<string, string> = {};
  types[short] = fields; // it may refer to itself
  for (const [field, property] of Object.entries(schemas[name]?.properties ?? {})) {
    if (without.includes(field) || field === "ownerReferences") continue; // the owner is not part of a desired state
    const keys = property.type === "array" ? (EXCEPTIONS[`${short}.${field}`] ?? keysOf(property, schemas)) : undefined;
    const below = refOf(property) ?? refOf(property.items);
    if (property.type === "array" && keys === undefined) continue; // it is replaced, whatever is below
    const type = below === undefined ? undefined : read(below, { schemas, types });
    if (keys !== undefined) fields[field] = `[${keys}]${type ?? ""}`;
    else if (type !== undefined) fields[field] = type;
  }
  if (Object.keys(fields).length > 0) return short;
  delete types[short];
  return undefined;
}

function keysOf(list: Schema, schemas: Readonly<Record<string, Schema>>): string | undefined {
  const mapKeys = list["x-kubernetes-list-map-keys"] as readonly string[] | undefined;
  const mergeKey = list["x-kubernetes-patch-merge-key"] as string | undefined;
  const item = schemas[refOf(list.items) ?? ""];
  return (mapKeys ?? (mergeKey === undefined ? undefined : [mergeKey]))
    ?.map((key) => {
      const missing = item?.properties?.[key]?.["default"];
      return missing === undefined || missing === "" ? key : `${key}=${String(missing)}`;
    })
    .join(",");
}

function refOf(schema: Schema | undefined): string | undefined {
  return (schema?.$ref ?? schema?.allOf?.[0]?.$ref)?.split("/").at(-1);
}

function sorted<Value>(record: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
