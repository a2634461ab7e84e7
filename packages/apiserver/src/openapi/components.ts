/** The schemas of an OpenAPI document: those of CRDs, and those that Kubernetes publishes for built-in kinds. */
import type { Parts } from "../request/context.ts";
import { DEFINITIONS_ID } from "../crd/resource.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import type { ResourceType, Served } from "../storage/registry.ts";
import type { Published } from "./published.ts";

const PREFIX = "#/components/schemas/";
/** Any kind can give the header, because it is equal for all. */
const HEADER_OF = "io.k8s.api.core.v1.ConfigMap";
const LIST_HEADER_OF = "io.k8s.api.core.v1.PodList";

/** Returns the schemas by name, with all schemas that they refer to. A schema of a kind names the kind, so that clients find it. */
export function componentsOf(parts: Parts, published: Published, served: readonly Served[]): JsonObject {
  const found = new Components(published);
  const header = headerOf(published.definition(HEADER_OF));
  for (const one of served) {
    const { type, version } = one;
    if (!type.isCustom) {
      found.refer(schemaName(published, type, version));
      if (isListed(type)) found.refer(listName(published, type, version));
      continue;
    }
    const name = schemaName(published, type, version);
    found.add(name, { ...completed(customSchema(parts, one), header), ...ofKind(version, type.kind) });
    found.add(listName(published, type, version), customList(one, name, published));
  }
  return found.schemas;
}

/** Returns the name of a schema as on the real server. For a custom kind it is the reversed group, the version and the kind. */
export function schemaName(published: Published, type: Pick<ResourceType, "kind">, version: Served["version"]): string {
  return nameOf(published, version, type.kind);
}

export function listName(published: Published, type: Pick<ResourceType, "listKind">, version: Served["version"]): string {
  return nameOf(published, version, type.listKind);
}

/** Reports whether a kind has a list. Reviews have none. */
export function isListed({ isReview }: Pick<ResourceType, "isReview">): boolean {
  return isReview !== true;
}

function nameOf(published: Published, { apiVersion, group, version }: Served["version"], kind: string): string {
  const known = published.nameOf(apiVersion, kind);
  return known ?? [...group.split(".").toReversed(), version, kind].filter((part) => part !== "").join(".");
}

/** Returns the schema of a version in its CRD; `{}` when it has none. */
export function customSchema(parts: Parts, { type, version }: Served): JsonObject {
  const spec = parts.store.collection(DEFINITIONS_ID).get(type.id)?.object["spec"];
  const versions = isObject(spec) && Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  const schema = versions.find(({ name }) => name === version.version)?.["schema"];
  const given = isObject(schema) ? schema["openAPIV3Schema"] : undefined;
  return isObject(given) ? given : { type: "object", "x-kubernetes-preserve-unknown-fields": true };
}

class Components {
  readonly schemas: JsonObject = {};
  readonly #published: Published;

  constructor(published: Published) {
    this.#published = published;
  }

  add(name: string, schema: JsonObject): void {
    this.schemas[name] = schema; // before what is inside it: definitions may refer to themselves
    this.#follow(schema);
  }

  refer(name: string): void {
    if (!(name in this.schemas)) this.add(name, this.#published.definition(name));
  }

  #follow(value: unknown): void {
    if (Array.isArray(value)) for (const item of value) this.#follow(item);
    if (!isObject(value)) return;
    const reference = value["$ref"];
    if (typeof reference === "string" && reference.startsWith(PREFIX + IO)) this.refer(reference.slice(PREFIX.length));
    for (const member of Object.values(value)) this.#follow(member);
  }
}

/** Prefix of published schemas. A reference to anything else is a field of a custom kind that is named `$ref`. */
const IO = "io.k8s.";

/** Adds to the schema of an object what the CRD does not say. */
function completed(schema: JsonObject, header: JsonObject): JsonObject {
  const inner = withInner(schema, header);
  return { ...inner, properties: { ...(isObject(inner["properties"]) ? inner["properties"] : {}), ...header } };
}

/** Adds the OpenAPI form of int-or-string, and the header of embedded objects. */
function withInner(schema: JsonObject, header: JsonObject): JsonObject {
  const members = Object.entries(schema).map(([key, member]): [string, unknown] => {
    if (key === "properties" && isObject(member))
      return [key, Object.fromEntries(Object.entries(member).map(([field, one]) => [field, isObject(one) ? withInner(one, header) : one]))];
    const isSchema = (key === "items" || key === "additionalProperties") && isObject(member);
    return [key, isSchema ? withInner(member, header) : member];
  });
  const whole: JsonObject = Object.fromEntries(members);
  const isEither = schema["x-kubernetes-int-or-string"] === true && schema["anyOf"] === undefined;
  if (isEither) return { ...whole, anyOf: [{ type: "integer" }, { type: "string" }] };
  if (schema["x-kubernetes-embedded-resource"] !== true) return whole;
  const given = isObject(whole["properties"]) ? whole["properties"] : {};
  return { ...whole, required: ["kind", "apiVersion"], properties: { ...given, ...EMBEDDED, metadata: header["metadata"] } };
}

const CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";

const EMBEDDED: JsonObject = {
  apiVersion: {
    description: `apiVersion defines the versioned schema of this representation of an object. More info: ${CONVENTIONS}#resources`,
    type: "string",
  },
  kind: {
    description: `kind is a string value representing the type of this object. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
    type: "string",
  },
};

/** Returns apiVersion, kind and metadata, which each object has. */
function headerOf({ properties }: JsonObject): JsonObject {
  const { apiVersion, kind, metadata } = isObject(properties) ? properties : {};
  const { default: _, ...reference } = isObject(metadata) ? metadata : {}; // an empty object is what Go's structs have
  return { apiVersion, kind, metadata: reference };
}

function customList({ type, version }: Served, name: string, published: Published): JsonObject {
  const items = { description: `List of ${type.plural}. More info: ${CONVENTIONS}`, type: "array", items: { $ref: `${PREFIX}${name}` } };
  return {
    description: `${type.listKind} is a list of ${type.kind}`,
    type: "object",
    required: ["items"],
    properties: { items, ...headerOf(published.definition(LIST_HEADER_OF)) },
    ...ofKind(version, type.listKind),
  };
}

function ofKind({ group, version }: Served["version"], kind: string): JsonObject {
  return { "x-kubernetes-group-version-kind": [{ group, version, kind }] };
}
