/** The schemas of an OpenAPI document: of custom kinds what their CRD says, of built-in ones the data, each with what it refers to. */
import { definition, definitionOf } from "../builtin/schemas.ts";
import type { Parts } from "../context.ts";
import { DEFINITIONS_ID } from "../crd/resource.ts";
import { isObject, type JsonObject } from "../internal/json.ts";
import type { ResourceType, Served } from "../registry.ts";

const PREFIX = "#/components/schemas/";
const META = "meta.v1.ObjectMeta";

/** By name; kinds say whose schema it is, so that a client finds it. */
export function componentsOf(parts: Parts, served: readonly Served[]): JsonObject {
  const found = new Components();
  for (const one of served) {
    const { type, version } = one;
    const schema = type.isCustom ? customSchema(parts, one) : builtInSchema(one);
    const ofKind = [{ group: version.group, version: version.version, kind: type.kind }];
    found.add(schemaName(type, version.version), { ...schema, "x-kubernetes-group-version-kind": ofKind });
  }
  return found.schemas;
}

/** As the real server names it: the group backwards, the version, the kind. */
export function schemaName({ group, kind }: Pick<ResourceType, "group" | "kind">, version: string): string {
  return [...group.split(".").toReversed(), version, kind].filter((part) => part !== "").join(".");
}

class Components {
  readonly schemas: JsonObject = {};

  add(name: string, schema: JsonObject): void {
    this.schemas[name] = this.#published(schema);
  }

  /** A schema as documents have it: whole names in references, and nothing that is this server's own. */
  #published(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((item) => this.#published(item));
    if (!isObject(schema)) return schema;
    const reference = schema["$ref"];
    if (typeof reference === "string") this.#refer(reference);
    const members = Object.entries(schema).flatMap(([key, member]): [string, unknown][] => {
      if (key === "$ref") return [];
      if (key === "properties" && isObject(member))
        return [[key, Object.fromEntries(Object.entries(member).map(([field, one]) => [field, this.#published(one)]))]];
      if (key === "go" || key === "zero") return [];
      return [[key, key === "default" || key === "enum" ? member : this.#published(member)]];
    });
    // Beside a reference nothing else counts, so the two stand in a list of what must hold.
    if (typeof reference !== "string") return Object.fromEntries(members);
    return { ...Object.fromEntries(members), allOf: [{ $ref: `${PREFIX}${reference}` }] };
  }

  #refer(name: string): void {
    if (name in this.schemas) return;
    this.schemas[name] = {}; // before what is inside it: definitions may refer to themselves
    this.add(name, definition(name) as JsonObject);
  }
}

function builtInSchema({ type, version }: Served): JsonObject {
  const name = definitionOf(type, version);
  return name === undefined ? UNKNOWN : withHeader(definition(name) as JsonObject);
}

const UNKNOWN: JsonObject = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function customSchema(parts: Parts, { type, version }: Served): JsonObject {
  const spec = parts.store.collection(DEFINITIONS_ID).get(type.id)?.object["spec"];
  const versions = isObject(spec) && Array.isArray(spec["versions"]) ? spec["versions"].filter(isObject) : [];
  const schema = versions.find(({ name }) => name === version.version)?.["schema"];
  const given = isObject(schema) ? schema["openAPIV3Schema"] : undefined;
  return isObject(given) ? withHeader(given) : UNKNOWN;
}

/** apiVersion, kind and metadata, which every object has. */
function withHeader(schema: JsonObject): JsonObject {
  const given = isObject(schema["properties"]) ? schema["properties"] : {};
  const header = {
    apiVersion: { type: "string", description: "The group and version of this kind." },
    kind: { type: "string", description: "The kind of the object." },
    metadata: { $ref: META },
  };
  return { ...schema, properties: { ...given, ...header } };
}
