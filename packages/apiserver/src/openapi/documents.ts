/**
 * OpenAPI v3 documents, one for each group and version, with the served paths, their parameters and bodies, and the schemas
 * of the kinds. kubectl reads from them which PATCH types exist, and `kubectl explain` prints them. Only JSON. `v2.ts` makes
 * the older form, which is one document, and `gnostic.ts` its protobuf.
 */
import { createHash } from "node:crypto";
import type { Parts } from "../request/context.ts";
import { SERVER_VERSION } from "../discovery/discovery.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Served } from "../storage/registry.ts";
import { componentsOf, customSchema, isListed, listName, schemaName } from "./components.ts";
import { DELETE_PARAMETERS, READ_PARAMETERS, WRITE_PARAMETERS } from "./parameters.ts";
import { loadPublished, type Published } from "./published.ts";
import { swaggerOf } from "./v2.ts";

/** Path of the index of the documents, and the start of their paths. */
export const OPENAPI_V3 = "/openapi/v3";

/** A document with a tag that changes with the document. Clients ask whether it is still the same. */
export interface Tagged {
  readonly json: string;
  readonly tag: string;
  /** Time at which this content was first asked for, in milliseconds since the epoch. */
  readonly madeMs: number;
}

/** Makes the index, which names each document with its hash. */
export function openApiIndex(parts: Parts): object {
  return { paths: Object.fromEntries([...versions(parts)].map((name) => [name, { serverRelativeURL: urlOf(parts, name) }])) };
}

/** Returns the tag of a document, and a function that makes it. Returns `undefined` when there is no such document. */
export function openApiDocument(parts: Parts, name: string): { readonly tag: string; made(): Promise<Tagged> } | undefined {
  const served = servedIn(parts, name);
  if (served.length === 0) return undefined;
  const tag = tagOf(parts, served);
  return {
    tag,
    made: async () => {
      const json = JSON.stringify(documentOf(parts, await loadPublished(), served));
      return { json, tag, madeMs: firstAsked(parts, name, tag) };
    },
  };
}

// Kept by the parts of a server, and no longer than these.
const FIRST_ASKED = new WeakMap<Parts, Map<string, Pick<Tagged, "tag" | "madeMs">>>();

/** Returns the time at which a document had this tag for the first time. */
function firstAsked(parts: Parts, name: string, tag: string): number {
  const documents = FIRST_ASKED.get(parts) ?? new Map<string, Pick<Tagged, "tag" | "madeMs">>();
  FIRST_ASKED.set(parts, documents);
  const known = documents.get(name);
  if (known?.tag === tag) return known.madeMs;
  const madeMs = parts.clock.now();
  documents.set(name, { tag, madeMs });
  return madeMs;
}

/** `/openapi/v2`. */
export interface Swagger extends Tagged {
  /** Returns the document in protobuf, with one character for each byte. */
  protobuf(): Promise<string>;
}

// A document has megabytes, and clients poll it.
const SWAGGERS = new WeakMap<Parts, Swagger>();

/** Makes `/openapi/v2`. */
export async function swaggerDocument(parts: Parts): Promise<Swagger> {
  const all = [...parts.registry.all()];
  const tag = hashOf(all.map((one) => contentOf(parts, one)));
  const known = SWAGGERS.get(parts);
  if (known?.tag === tag) return known;
  const published = await loadPublished();
  const paths = Object.assign({}, ...all.map((one) => pathsOf(published, one))) as JsonObject;
  const json = JSON.stringify(swaggerOf(SERVER_VERSION.gitVersion, paths, componentsOf(parts, published, all)));
  let protobuf: Promise<string> | undefined;
  const made: Swagger = { json, tag, madeMs: parts.clock.now(), protobuf: () => (protobuf ??= inProtobuf(json)) };
  SWAGGERS.set(parts, made);
  return made;
}

async function inProtobuf(json: string): Promise<string> {
  const { encodeSwagger } = await import("./gnostic.ts");
  return encodeSwagger(JSON.parse(json) as JsonObject).toString("latin1"); // the document is an object
}

function hashOf(content: unknown): string {
  return createHash("sha512").update(JSON.stringify(content)).digest("hex").toUpperCase();
}

/** Returns what a document depends on. Built-in kinds never change. */
function contentOf(parts: Parts, one: Served): unknown {
  const { type, version } = one;
  return type.isCustom ? [type.id, type.kind, version.apiVersion, version.status, customSchema(parts, one)] : [type.id, version.apiVersion];
}

function versions({ registry }: Parts): ReadonlySet<string> {
  return new Set([...registry.all()].map(documentName).toSorted());
}

function documentName({ version }: Served): string {
  return version.group === "" ? `api/${version.version}` : `apis/${version.apiVersion}`;
}

/** Makes the URL of a document. Its hash changes with the document, because clients cache by it. */
function urlOf(parts: Parts, name: string): string {
  return `${OPENAPI_V3}/${name}?hash=${tagOf(parts, servedIn(parts, name))}`;
}

function tagOf(parts: Parts, served: readonly Served[]): string {
  return hashOf([SERVER_VERSION.gitVersion, ...served.map((one) => contentOf(parts, one))]);
}

function servedIn({ registry }: Parts, name: string): readonly Served[] {
  return [...registry.all()].filter((one) => documentName(one) === name);
}

function documentOf(parts: Parts, published: Published, served: readonly Served[]): object {
  const isCustom = served.every(({ type }) => type.isCustom);
  const info = isCustom
    ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
    : { title: "Kubernetes", version: SERVER_VERSION.gitVersion };
  const paths = Object.assign({}, ...served.map((one) => pathsOf(published, one))) as object;
  return { openapi: "3.0.0", info, paths, components: { schemas: componentsOf(parts, published, served) } };
}

function pathsOf(published: Published, served: Served): JsonObject {
  const { type, version } = served;
  const root = `/${documentName(served)}`;
  const scope = type.isNamespaced ? "/namespaces/{namespace}" : "";
  const collection = `${root}${scope}/${type.plural}`;
  const object = `${collection}/{name}`;
  if (!isListed(type)) return { [collection]: operations(published, served, { post: "post" }) };
  const paths: JsonObject = {
    [collection]: operations(published, served, { get: "list", post: "post", delete: "deletecollection" }),
    [object]: operations(published, served, { get: "get", put: "put", patch: "patch", delete: "delete" }),
  };
  if (type.isNamespaced) paths[`${root}/${type.plural}`] = operations(published, served, { get: "list" });
  if (version.status) paths[`${object}/status`] = operations(published, served, { get: "get", put: "put", patch: "patch" });
  return paths;
}

const BODIES: Readonly<Record<string, readonly string[]>> = {
  put: ["application/json", "application/yaml"],
  post: ["application/json", "application/yaml"],
  patch: [
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
  ],
};

function operations(published: Published, { type, version }: Served, actions: Readonly<Record<string, string>>): JsonObject {
  const reference = { $ref: `#/components/schemas/${schemaName(published, type, version)}` };
  const list = { $ref: `#/components/schemas/${listName(published, type, version)}` };
  const inPath = [...(type.isNamespaced ? ["namespace"] : []), ...(actions["get"] === "get" ? ["name"] : [])];
  // An empty list would not survive a client that reads and writes the document.
  const found: JsonObject = inPath.length === 0 ? {} : { parameters: inPath.map(pathParameter) };
  for (const [method, action] of Object.entries(actions)) {
    const parameters = method === "get" ? READ_PARAMETERS : method === "delete" ? DELETE_PARAMETERS : WRITE_PARAMETERS;
    const types = (BODIES[method] ?? []).filter((one) => !type.isCustom || !one.includes("strategic"));
    const content = Object.fromEntries(types.map((one) => [one, { schema: method === "patch" ? { type: "object" } : reference }]));
    found[method] = {
      parameters: method === "patch" ? parameters : parameters.filter(({ name }) => name !== "force"),
      ...(types.length === 0 ? {} : { requestBody: { required: true, content } }),
      responses: {
        200: { description: "OK", content: { "application/json": { schema: action === "list" ? list : reference } } },
        401: { description: "Unauthorized" },
      },
      "x-kubernetes-action": action,
      "x-kubernetes-group-version-kind": { group: version.group, version: version.version, kind: type.kind },
    };
  }
  return found;
}

function pathParameter(name: string): JsonObject {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}
