/**
 * OpenAPI v3 documents: one for each group and version, with the paths that are served, what their requests take, and the
 * schemas of the kinds. kubectl asks them what a PATCH understands before it creates or applies, and `kubectl explain` prints
 * them. Built-in schemas have no descriptions. Only JSON; the older `/openapi/v2` is not there.
 */
import { createHash } from "node:crypto";
import type { Parts } from "../context.ts";
import { SERVER_VERSION } from "../discovery.ts";
import type { JsonObject } from "../internal/json.ts";
import type { Served } from "../registry.ts";
import { componentsOf, schemaName } from "./components.ts";
import { DELETE_PARAMETERS, READ_PARAMETERS, WRITE_PARAMETERS } from "./parameters.ts";

const ROOT = "/openapi/v3";

/** The document at a path, or `undefined` where there is none. */
export function openApiDocument(parts: Parts, path: string): object | undefined {
  if (path === ROOT)
    return { paths: Object.fromEntries([...versions(parts)].map((name) => [name, { serverRelativeURL: urlOf(parts, name) }])) };
  const name = path.startsWith(`${ROOT}/`) ? path.slice(ROOT.length + 1) : "";
  const served = servedIn(parts, name);
  return served.length === 0 ? undefined : documentOf(parts, served);
}

function versions({ registry }: Parts): ReadonlySet<string> {
  return new Set([...registry.all()].map(documentName).toSorted());
}

function documentName({ version }: Served): string {
  return version.group === "" ? `api/${version.version}` : `apis/${version.apiVersion}`;
}

/** The hash is another one when the document is: clients keep what they read by it. Documents of built-in kinds never change. */
function urlOf(parts: Parts, name: string): string {
  const served = servedIn(parts, name);
  const isFixed = served.every(({ type }) => !type.isCustom);
  const content = isFixed ? `${SERVER_VERSION.gitVersion} ${name}` : JSON.stringify(documentOf(parts, served));
  return `${ROOT}/${name}?hash=${createHash("sha512").update(content).digest("hex").toUpperCase()}`;
}

function servedIn({ registry }: Parts, name: string): readonly Served[] {
  return [...registry.all()].filter((one) => documentName(one) === name);
}

function documentOf(parts: Parts, served: readonly Served[]): object {
  const isCustom = served.every(({ type }) => type.isCustom);
  const info = isCustom
    ? { title: "Kubernetes CRD Swagger", version: "v0.1.0" }
    : { title: "Kubernetes", version: SERVER_VERSION.gitVersion };
  const paths = Object.assign({}, ...served.map(pathsOf)) as object;
  return { openapi: "3.0.0", info, paths, components: { schemas: componentsOf(parts, served) } };
}

function pathsOf(served: Served): JsonObject {
  const { type, version } = served;
  const root = `/${documentName(served)}`;
  const scope = type.isNamespaced ? "/namespaces/{namespace}" : "";
  const collection = `${root}${scope}/${type.plural}`;
  const object = `${collection}/{name}`;
  const paths: JsonObject = {
    [collection]: operations(served, { get: "list", post: "post", delete: "deletecollection" }),
    [object]: operations(served, { get: "get", put: "put", patch: "patch", delete: "delete" }),
  };
  if (type.isNamespaced) paths[`${root}/${type.plural}`] = operations(served, { get: "list" });
  if (version.status) paths[`${object}/status`] = operations(served, { get: "get", put: "put", patch: "patch" });
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

function operations(served: Served, actions: Readonly<Record<string, string>>): JsonObject {
  const { type, version } = served;
  const reference = { $ref: `#/components/schemas/${schemaName(type, version.version)}` };
  const found: JsonObject = {
    parameters: [...(type.isNamespaced ? [pathParameter("namespace")] : []), ...(actions["get"] === "get" ? [pathParameter("name")] : [])],
  };
  for (const [method, action] of Object.entries(actions)) {
    const parameters = method === "get" ? READ_PARAMETERS : method === "delete" ? DELETE_PARAMETERS : WRITE_PARAMETERS;
    const types = (BODIES[method] ?? []).filter((one) => !type.isCustom || !one.includes("strategic"));
    const content = Object.fromEntries(types.map((one) => [one, { schema: method === "patch" ? { type: "object" } : reference }]));
    found[method] = {
      parameters: method === "patch" ? parameters : parameters.filter(({ name }) => name !== "force"),
      ...(types.length === 0 ? {} : { requestBody: { required: true, content } }),
      responses: {
        200: { description: "OK", content: { "application/json": { schema: reference } } },
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
