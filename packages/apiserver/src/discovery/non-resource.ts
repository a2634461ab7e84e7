/** Answers requests to non-resource paths: discovery, OpenAPI, health, and paths that do not exist. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { encode, mediaTypeOf, negotiate, typeOf } from "../request/content.ts";
import { type Parts, respond } from "../request/context.ts";
import { aggregated, groupDocument, groupList, legacyVersions, resourceList, versionDocument } from "./discovery.ts";
import { healthText } from "./health.ts";
import { answerOpenApi } from "../openapi/serve.ts";
import { servedPaths } from "./paths.ts";
import { issuerDocument } from "./token-issuer.ts";
import type { Target } from "../request/routes.ts";
import { methodNotAllowed, PAGE_NOT_FOUND, resourceNotServed, TEXT_HEADERS } from "../errors/status-errors.ts";

/** Answers a request to a non-resource path. @throws StatusError 404, 405, 406 */
export async function answerDocument(parts: Parts, request: ApiRequest, target: Target): Promise<ApiResponse> {
  const { route } = target;
  if (route.type === "unreadable") return BAD_PATH;
  if (route.type === "other" && route.path === "/metrics") return respond(200, parts.metrics.text(), METRICS_TYPE);
  const openApi = await answerOpenApi(parts, request, target);
  if (openApi !== undefined) return openApi;
  const issuer = route.type === "other" ? issuerDocument(parts.access, route.path, request) : undefined;
  if (issuer !== undefined) return issuer;
  const document = documentOf(parts, request, target);
  if (document === undefined) {
    if (isBelowBuiltIn(parts, route)) throw resourceNotServed();
    return PAGE_NOT_FOUND;
  }
  if (request.method !== "GET" && isReadOnly(parts, route)) throw methodNotAllowed();
  if (typeof document === "string") {
    const isOneCheck = request.path.split("/").length > 2;
    return { ...respond(200, document), headers: isOneCheck ? ONE_CHECK_HEADERS : TEXT_HEADERS };
  }
  const { encoding } = negotiate(discoveryAccept(request), DOCUMENT);
  if ("kind" in document && document.kind === "APIGroupDiscoveryList")
    return { ...respond(200, JSON.stringify(document)), headers: AGGREGATED_HEADERS };
  const indent = route.type === "other" ? 2 : undefined;
  return respond(200, await encode(JSON.stringify(document, undefined, indent), encoding), typeOf(encoding));
}

/** Reports whether a path is below a group with built-in kinds, which answers for missing paths itself. */
export function isBelowBuiltIn({ registry }: Parts, route: Target["route"]): boolean {
  if (!("group" in route) || route.group === undefined || route.type === "group") return false;
  const { group } = route;
  return [...registry.all()].some(({ type, version }) => version.group === group && !type.isCustom);
}

/** The text format of Prometheus. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";

/** Reports whether only GET is allowed. The other documents are sent for each method. */
function isReadOnly(parts: Parts, route: Target["route"]): boolean {
  if (route.type === "groups") return route.legacy;
  return route.type === "other" ? route.path.startsWith("/version") : isBelowBuiltIn(parts, route);
}

/** For documents that have no form in protobuf. */
const DOCUMENT = { isCustom: true };

/** The answer of a single check has fewer headers than that of all checks. */
const ONE_CHECK_HEADERS = { "content-type": TEXT_HEADERS["content-type"] };

/** Clients may keep the document, and ask again with its tag. */
const AGGREGATED_HEADERS = {
  "content-type": "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
  "cache-control": "public",
  vary: "Accept",
};

/** Answer of Go's HTTP server for an unreadable path. */
const BAD_PATH: ApiResponse = { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };

function documentOf(parts: Parts, request: ApiRequest, { route, query }: Target): object | string | undefined {
  switch (route.type) {
    case "groups":
      if (wantsAggregated(request)) return aggregated(parts.registry, route.legacy);
      return route.legacy ? legacyVersions(request.headers["host"]) : groupList(parts.registry);
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

function otherDocument(path: string, parts: Parts): object | undefined {
  if (path === "/version" || path === "/version/") return versionDocument();
  return path === "/" ? { paths: servedPaths(parts) } : undefined;
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
