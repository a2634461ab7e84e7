/** From a request to the verb that answers it. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { deliberate } from "./admission/admission.ts";
import type { Identity, UserInfo } from "./authorization/identity.ts";
import { checkSize, encode, mediaTypeOf, negotiate } from "./content.ts";
import { type Call, type Parts, respond } from "./context.ts";
import { aggregated, groupDocument, groupList, legacyVersions, resourceList, versionDocument } from "./discovery.ts";
import { openApiDocument } from "./openapi/documents.ts";
import { readBoolean } from "./options.ts";
import { type ResourceType, resourceOf } from "./registry.ts";
import { parseTarget, type ResourceRoute, type Target } from "./routes.ts";
import {
  badRequest,
  failedResponse,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  resourceNotServed,
  StatusError,
} from "./status-errors.ts";
import { create } from "./verbs/create.ts";
import { deleteCollection, deleteOne } from "./verbs/delete.ts";
import { get, list } from "./verbs/list.ts";
import { patch } from "./verbs/patch.ts";
import { requestToken, review } from "./verbs/review.ts";
import { getScale, patchScale, updateScale } from "./verbs/scale.ts";
import { update } from "./verbs/update.ts";
import { watch } from "./verbs/watch.ts";

/** Answers a request that `sender` sends. @throws StatusError for everything that the server refuses. */
export async function dispatch(parts: Parts, request: ApiRequest, sender: Identity): Promise<ApiResponse> {
  const target = parseTarget(request.path);
  const { route } = target;
  const user = parts.access.enter(request, target, sender);
  if (route.type === "resource") return answerResource(parts, request, { route, query: target.query, user });
  const document = request.method === "GET" ? documentOf(parts, request, target) : undefined;
  if (document === undefined) return PAGE_NOT_FOUND;
  if (typeof document === "string") return respond(200, document, "text/plain; charset=utf-8");
  const { encoding } = negotiate(discoveryAccept(request));
  const contentType =
    "items" in document && "kind" in document && document.kind === "APIGroupDiscoveryList" ? AGGREGATED_TYPE : `application/${encoding}`;
  return respond(200, await encode(JSON.stringify(document), encoding), contentType);
}

const AGGREGATED_TYPE = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** What Go's mux answers for a path that nobody serves. */
const PAGE_NOT_FOUND: ApiResponse = {
  status: 404,
  headers: { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" },
  body: "404 page not found\n",
};

function documentOf(parts: Parts, request: ApiRequest, { route }: Target): object | string | undefined {
  switch (route.type) {
    case "groups":
      if (wantsAggregated(request)) return aggregated(parts.registry, route.legacy);
      return route.legacy ? legacyVersions() : groupList(parts.registry);
    case "group":
      return groupDocument(parts.registry, route.group);
    case "version":
      return resourceList(parts.registry, route.group, route.version);
    case "resource":
      return undefined;
    case "other":
      return otherDocument(route.path, parts);
  }
}

function otherDocument(path: string, parts: Parts): object | string | undefined {
  if (path === "/version" || path === "/version/") return versionDocument();
  if (/^\/(healthz|livez|readyz)(\/ping)?$/.test(path)) return "ok";
  const openApi = path.startsWith("/openapi/v3") ? openApiDocument(parts, path) : undefined;
  if (openApi !== undefined) return openApi;
  if (path === "/") {
    const groups = [
      ...new Set([...parts.registry.all()].filter((one) => one.version.group !== "").map((one) => `/apis/${one.version.apiVersion}`)),
    ];
    return { paths: ["/api", "/api/v1", "/apis", ...groups.toSorted(), "/healthz", "/livez", "/openapi/v3", "/readyz", "/version"] };
  }
  return undefined;
}

function wantsAggregated(request: ApiRequest): boolean {
  const accept = request.headers["accept"] ?? "";
  return accept
    .split(",")
    .some((clause) => /as=APIGroupDiscoveryList/i.test(clause) && /;\s*v=v2(\s*;|\s*$)/.test(clause) && clause.includes("json"));
}

/** Discovery documents have no other form, so what is asked beside them is only the encoding. */
function discoveryAccept(request: ApiRequest): string | undefined {
  return request.headers["accept"]
    ?.split(",")
    .map((clause) => mediaTypeOf(clause))
    .join(",");
}

async function answerResource(
  parts: Parts,
  request: ApiRequest,
  { route, query, user }: { readonly route: ResourceRoute; readonly query: URLSearchParams; readonly user: UserInfo },
): Promise<ApiResponse> {
  const served = parts.registry.find(route.group, route.version, route.resource);
  if (served === undefined) {
    // A group that is served answers for its unknown resources; for others nobody does.
    if (resourceList(parts.registry, route.group, route.version) === undefined || isCustomGroup(parts, route)) return PAGE_NOT_FOUND;
    throw resourceNotServed();
  }
  if (!fits(request, route, served.type)) {
    // Custom resources have one handler that knows its paths; the methods of built-in ones are registered one by one.
    if (served.type.isCustom) return PAGE_NOT_FOUND;
    throw served.type.isNamespaced && route.name === "" && served.type.answer === undefined ? methodNotAllowed() : resourceNotServed();
  }
  if (request.body !== undefined) checkSize(request.body);
  const call: Call = {
    parts,
    request,
    user,
    route,
    query,
    served,
    collection: parts.store.collection(served.type.id),
    accepted: negotiate(request.headers["accept"]),
    warnings: served.version.deprecation === undefined ? [] : [served.version.deprecation],
  };
  const deprecations = [...call.warnings];
  const answered = deliberate(parts, call.collection, (deliberation) => {
    call.warnings.splice(0, call.warnings.length, ...deprecations);
    return verbOf({ ...call, deliberation });
  });
  // What was warned of before a refusal is in its answer, too.
  const response = await answered.catch((error: unknown) => {
    if (error instanceof StatusError) return failedResponse(error.status);
    throw error;
  });
  if (call.warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: call.warnings.map(warningOf).join(", ") } };
}

function isCustomGroup(parts: Parts, route: ResourceRoute): boolean {
  for (const { type, version } of parts.registry.all()) if (version.group === route.group && !type.isCustom) return false;
  return true;
}

/** Objects of namespaced kinds are named with their namespace, those of the others without; all namespaces can only be read. */
function fits({ method }: ApiRequest, route: ResourceRoute, { isNamespaced }: ResourceType): boolean {
  if (!isNamespaced) return route.namespace === "";
  return route.namespace !== "" || (route.name === "" && method === "GET");
}

async function verbOf(call: Call): Promise<ApiResponse> {
  const { request, route, served } = call;
  if (served.type.answer !== undefined) {
    if (request.method === "POST" && route.name === "") return review(call, served.type.answer);
    throw route.name === "" ? methodNotAllowed() : resourceNotServed();
  }
  if (route.isWatch === true) {
    if (request.method !== "GET" || route.subresource !== "") throw methodNotAllowed();
    return watch(call);
  }
  switch (route.subresource) {
    case "":
      return route.name === "" ? collectionVerb(call) : objectVerb(call);
    case "status":
      if (!served.version.status) throw noSubresource(call);
      if (request.method === "GET") return get(call);
      if (request.method === "PUT") return update(call);
      if (request.method === "PATCH") return patch(call);
      throw wrongMethod(call);
    case "scale":
      if (served.version.scale === undefined) throw noSubresource(call);
      if (request.method === "GET") return getScale(call);
      if (request.method === "PUT") return updateScale(call);
      if (request.method === "PATCH") return patchScale(call);
      throw wrongMethod(call);
    case "token":
      if (served.type.id !== "serviceaccounts") throw noSubresource(call);
      if (request.method === "POST") return requestToken(call);
      throw methodNotAllowed();
    default:
      throw noSubresource(call);
  }
}

async function collectionVerb(call: Call): Promise<ApiResponse> {
  switch (call.request.method) {
    case "GET":
      return readBoolean(call.query, "watch") === true ? watch(call) : list(call);
    case "POST":
      return create(call);
    case "DELETE":
      if (call.served.type.marksDeletion) throw methodNotAllowed();
      return deleteCollection(call);
    default:
      return customOnly(call);
  }
}

async function objectVerb(call: Call): Promise<ApiResponse> {
  switch (call.request.method) {
    case "GET":
      return readBoolean(call.query, "watch") === true ? watch(call) : get(call);
    case "PUT":
      return update(call);
    case "PATCH":
      return patch(call);
    case "DELETE":
      return deleteOne(call);
    default:
      return customOnly(call);
  }
}

/** Methods that the one handler of custom resources takes where the paths of built-in ones do not have them. */
async function customOnly(call: Call): Promise<ApiResponse> {
  const { request, served } = call;
  if (!served.type.isCustom) throw methodNotAllowed();
  if (request.method === "POST") return create(call);
  if (request.method === "PUT") throw badRequest("name must be provided");
  if (request.method === "PATCH") return patch(call);
  throw wrongMethod(call);
}

function wrongMethod(call: Call): StatusError {
  const { type } = call.served;
  return type.isCustom ? methodNotSupported(resourceOf(type), verbName(call)) : methodNotAllowed();
}

/** To the handler of custom resources a subresource that is not there is an object that is not there. */
function noSubresource({ served: { type }, route }: Call): StatusError {
  return type.isCustom ? notFound(resourceOf(type), route.name) : resourceNotServed();
}

/** The Kubernetes verb of a request, for messages. */
function verbName({ request }: Call): string {
  const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete", GET: "get" };
  return verbs[request.method] ?? request.method;
}

/** RFC 7234, as the real server writes it: code 299, no agent. */
function warningOf(text: string): string {
  // Header values are latin-1 without line breaks; what is beyond would break the answer.
  const clean = text.replace(/[\r\n]+/g, " ").replace(/[^\x20-\x7e]/g, "?");
  return `299 - "${clean.replace(/["\\]/g, "\\$&")}"`;
}
