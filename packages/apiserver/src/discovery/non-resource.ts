/** Answers requests to non-resource paths: discovery, OpenAPI, health, and paths that do not exist. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { encode, mediaTypeOf, negotiate, typeOf } from "../request/content.ts";
import { type Parts, respond } from "../request/context.ts";
import { aggregated, groupDocument, groupList, legacyVersions, resourceList, SERVER_VERSION, versionDocument } from "./discovery.ts";
import { healthText } from "./health.ts";
import { openApiDocument, swaggerDocument } from "../openapi/documents.ts";
import { issuerDocument } from "./token-issuer.ts";
import { bytesField } from "../protobuf/wire.ts";
import type { Target } from "../request/routes.ts";
import { methodNotAllowed, resourceNotServed } from "../errors/status-errors.ts";

/** Answers a request to a non-resource path. @throws StatusError 404, 405, 406 */
export async function answerDocument(parts: Parts, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const { route } = target;
  if (route.type === "unreadable") return BAD_PATH;
  if (route.type === "other" && route.path === "/metrics") return respond(200, parts.metrics.text(), METRICS_TYPE);
  if (route.type === "other" && route.path === "/openapi/v2") return swagger(parts, request);
  const issuer = route.type === "other" ? issuerDocument(parts.access, route.path, request) : undefined;
  if (issuer !== undefined) return issuer;
  const document = await documentOf(parts, request, target);
  if (document === undefined) {
    if (isBelowBuiltIn(parts, route)) throw resourceNotServed();
    return PAGE_NOT_FOUND;
  }
  if (request.method !== "GET" && isReadOnly(parts, route)) throw methodNotAllowed();
  if (typeof document === "string") return { ...respond(200, document), headers: TEXT_HEADERS };
  const { encoding } = negotiate(discoveryAccept(request), DOCUMENT);
  if ("kind" in document && document.kind === "APIGroupDiscoveryList")
    return { ...respond(200, JSON.stringify(document)), headers: AGGREGATED_HEADERS };
  const indent = route.type === "other" && !route.path.startsWith("/openapi") ? 2 : undefined;
  return respond(200, await encode(JSON.stringify(document, undefined, indent), encoding), typeOf(encoding));
}

/** Answers with the document, or with 304 when the client already has it. */
async function swagger(parts: Parts, { headers }: ApiRequest): Promise<ApiResponse> {
  if (headers["accept"]?.includes("+protobuf") === true) return respond(200, bareSwagger(), SWAGGER_PROTOBUF);
  const { json, tag } = await swaggerDocument(parts);
  const etag = `"${tag}"`;
  if (headers["if-none-match"] === etag) return { status: 304, headers: { etag }, body: "" };
  const answer = respond(200, json);
  return { ...answer, headers: { ...answer.headers, etag } };
}

/**
 * OpenAPI v2 in protobuf (gnostic's `openapi.v2.Document`), with only a title. kubectl looks here for kinds that v3 does not
 * have, and then reports that there are none. An answer in JSON would make it report an error of the wire format.
 */
function bareSwagger(): string {
  const text = (field: number, value: string): Buffer => bytesField(field, Buffer.from(value));
  const info = Buffer.concat([text(1, "Kubernetes"), text(2, SERVER_VERSION.gitVersion)]);
  return Buffer.concat([text(1, "2.0"), bytesField(2, info)]).toString("latin1");
}

const SWAGGER_PROTOBUF = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** Reports whether a path is below a group with built-in kinds, which answers for missing paths itself. */
export function isBelowBuiltIn({ registry }: Parts, route: Target["route"]): boolean {
  if (!("group" in route) || route.group === undefined || route.type === "group") return false;
  const { group } = route;
  return [...registry.all()].some(({ type, version }) => version.group === group && !type.isCustom);
}

/** The text format of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

const TEXT_HEADERS = { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" };

/** Answer of Go's mux for a path that does not exist. */
export const PAGE_NOT_FOUND: ApiResponse = {
  status: 404,
  headers: TEXT_HEADERS,
  body: "404 page not found\n",
};

/** Reports whether only GET is allowed. The other documents are sent for each method. */
function isReadOnly(parts: Parts, route: Target["route"]): boolean {
  if (route.type === "groups") return route.legacy;
  return route.type === "other" ? route.path.startsWith("/version") : isBelowBuiltIn(parts, route);
}

/** For documents that have no form in protobuf. */
const DOCUMENT = { isCustom: true };

/** Clients may keep the document, and ask again with its tag. */
const AGGREGATED_HEADERS = {
  "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "cache-control": "public",
  vary: "Accept",
};

/** Answer of Go's HTTP server for an unreadable path. */
const BAD_PATH: ApiResponse = { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };

async function documentOf(parts: Parts, request: ApiRequest, { route, query }: Target): Promise<object | string | undefined> {
  switch (route.type) {
    case "groups":
      if (wantsAggregated(request)) return aggregated(parts.registry, route.legacy);
      return route.legacy ? legacyVersions() : groupList(parts.registry);
    case "group":
      return groupDocument(parts.registry, route.group);
    case "version":
      return resourceList(parts.registry, route.group, route.version);
    case "resource":
    case "unreadable":
      return undefined;
    case "other":
      return healthText(route.path, query) ?? otherDocument(route.path, parts);
  }
}

async function otherDocument(path: string, parts: Parts): Promise<object | string | undefined> {
  if (path === "/version" || path === "/version/") return versionDocument();
  const openApi = path.startsWith("/openapi/v3") ? await openApiDocument(parts, path) : undefined;
  if (openApi !== undefined) return openApi;
  if (path === "/") {
    const groups = [
      ...new Set([...parts.registry.all()].filter((one) => one.version.group !== "").map((one) => `/apis/${one.version.apiVersion}`)),
    ];
    return {
      paths: ["/api", "/api/v1", "/apis", ...groups.toSorted(), "/healthz", "/livez", "/openapi/v2", "/openapi/v3", "/readyz", "/version"],
    };
  }
  return undefined;
}

function wantsAggregated(request: ApiRequest): boolean {
  const accept = request.headers["accept"] ?? "";
  return accept
    .split(",")
    .some((clause) => /as=APIGroupDiscoveryList/i.test(clause) && /;\s*v=v2(\s*;|\s*$)/.test(clause) && clause.includes("json"));
}

/** The encoding that the client accepts. Discovery documents have no other forms, such as tables. */
function discoveryAccept(request: ApiRequest): string | undefined {
  return request.headers["accept"]
    ?.split(",")
    .map((clause) => mediaTypeOf(clause))
    .join(",");
}
