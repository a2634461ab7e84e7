/**
 * OpenAPI v3 documents, one for each group and version, with the served paths, their parameters and bodies, and the schemas
 * of the kinds. kubectl reads from them which PATCH types exist, and `kubectl explain` prints them. Only JSON. `v2.ts` makes
 * the older form, which is one document.
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

const ROOT = "/openapi/v3";

/** Returns the document at a path, or `undefined` when there is none. */
export async function openApiDocument(parts: Parts, path: string): Promise<object | undefined> {
  if (path === ROOT)
    return { paths: Object.fromEntries([...versions(parts)].map((name) => [name, { serverRelativeURL: urlOf(parts, name) }])) };
  const name = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
  const served = servedIn(parts, name);
  return served.length === 0 ? undefined : documentOf(parts, await loadPublished(), served);
}

/** A document with a tag that changes with the document. Clients ask whether it is still the same. */
export interface Tagged {
  readonly json: string;
  readonly tag: string;
}

// Kept by the parts of a server, and no longer than these: a document has megabytes, and clients poll it.
const SWAGGERS = new WeakMap<Parts, Tagged>();

/** Makes `/openapi/v2`. */
export async function swaggerDocument(parts: Parts): Promise<Tagged> {
  const all = [...parts.registry.all()];
  const tag = hashOf(all.map((one) => contentOf(parts, one)));
  const known = SWAGGERS.get(parts);
  if (known?.tag === tag) return known;
  const published = await loadPublished();
  const paths = Object.assign({}, ...all.map((one) => pathsOf(published, one))) as JsonObject;
  const document = swaggerOf(SERVER_VERSION.gitVersion, paths, componentsOf(parts, published, all));
  const made = { json: JSON.stringify(document), tag };
  SWAGGERS.set(parts, made);
  return made;
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
  const content = [SERVER_VERSION.gitVersion, ...servedIn(parts, name).map((one) => contentOf(parts, one))];
  return `${ROOT}/${name}?hash=${hashOf(content)}`;
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
