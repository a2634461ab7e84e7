/** Finds the verb that answers a request. */
import type { ApiRequest, ApiResponse, Status } from "@treadle/apimachinery";
import { deliberate } from "../request/deliberation.ts";
import type { Identity, UserInfo } from "../authorization/identity.ts";
import { checkAccept, checkSize, encode, encodingOfRefusal, negotiate, typeOf } from "../request/content.ts";
import type { Call, Parts } from "../request/context.ts";
import { isUnresolved } from "../crd/resource.ts";
import { answerDocument, isBelowBuiltIn, PAGE_NOT_FOUND } from "../discovery/non-resource.ts";
import { readBoolean } from "../request/write-options.ts";
import { partOf } from "../builtin/partial-writes.ts";
import { type ResourceType, resourceOf } from "../storage/registry.ts";
import { parseTarget, type ResourceRoute } from "../request/routes.ts";
import {
  badRequest,
  failedResponse,
  internalError,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  resourceNotServed,
  StatusError,
} from "../errors/status-errors.ts";
import { connect, isConnection } from "./connect.ts";
import { create } from "./create.ts";
import { deleteCollection, deleteOne } from "./delete.ts";
import { get, list } from "./list.ts";
import { patch } from "./patch.ts";
import { bind, evict } from "./pod-actions.ts";
import { patchTypeOf } from "../patch/patch-body.ts";
import { requestToken, review } from "./review.ts";
import { getScale, patchScale, updateScale } from "./scale.ts";
import { update } from "./update.ts";
import { watch } from "./watch.ts";

/** Answers a request of `sender`. @throws StatusError for each refusal */
export async function dispatch(parts: Parts, given: ApiRequest, sender: Identity): Promise<ApiResponse> {
  const target = parseTarget(given.path);
  const { route } = target;
  const isHead = (given.method as string) === "HEAD"; // fronts pass on every method
  const request: ApiRequest = isHead ? { ...given, method: "GET" } : given;
  const user = parts.access.enter(request, target, sender);
  // The paths of built-in kinds have no HEAD.
  if (route.type === "resource")
    return answerResource(parts, isHead && isBelowBuiltIn(parts, route) ? given : request, { route, query: target.query, user });
  return answerDocument(parts, given, target);
}

async function answerResource(
  parts: Parts,
  request: ApiRequest,
  { route, query, user }: { readonly route: ResourceRoute; readonly query: URLSearchParams; readonly user: UserInfo },
): Promise<ApiResponse> {
  const served = parts.registry.find(route.group, route.version, route.resource);
  if (served === undefined) {
    if (isBelowBuiltIn(parts, route)) throw resourceNotServed();
    if (isUnresolved(parts, route)) throw internalError("error resolving resource");
    return PAGE_NOT_FOUND;
  }
  // The handler of custom resources ignores segments after a subresource.
  if (route.isDeep === true && !served.type.isCustom) throw resourceNotServed();
  if (!fits(request, route, served.type)) {
    // One handler serves all paths of custom resources. For built-in kinds each method has its own route.
    if (served.type.isCustom) return PAGE_NOT_FOUND;
    throw served.type.isNamespaced && route.name === "" && served.type.isReview !== true ? methodNotAllowed() : resourceNotServed();
  }
  const isList = request.method === "GET" && route.name === "";
  checkMedia(request, { isCustom: served.type.isCustom, isList });
  if (request.body !== undefined) checkSize(request.body);
  const call: Call = {
    parts,
    request,
    user,
    route,
    query,
    served,
    collection: parts.store.collection(served.type.id),
    accepted: negotiate(request.headers["accept"], served.type),
    warnings: served.version.deprecation === undefined ? [] : [served.version.deprecation],
  };
  const deprecations = [...call.warnings];
  const answered = deliberate(parts, call.collection, (deliberation) => {
    call.warnings.splice(0, call.warnings.length, ...deprecations);
    return verbOf({ ...call, deliberation });
  });
  // The answer to a refused request has its warnings, too.
  const response = await answered.catch((error: unknown) => {
    if (error instanceof StatusError) return refusal(error.status, request.headers["accept"]);
    throw error;
  });
  if (call.warnings.length === 0) return response;
  return { ...response, headers: { ...response.headers, warning: [...new Set(call.warnings)].map(warningOf).join(", ") } };
}

/** Reports whether the path fits the scope of the kind. Only reads can name all namespaces. */
function fits({ method }: ApiRequest, route: ResourceRoute, { isNamespaced }: ResourceType): boolean {
  if (!isNamespaced) return route.namespace === "";
  return route.namespace !== "" || (route.name === "" && method === "GET");
}

/** Makes the answer of a failure, in an accepted encoding. */
export async function refusal(status: Status, accept: string | undefined): Promise<ApiResponse> {
  const { headers } = failedResponse(status);
  const encoding = encodingOfRefusal(accept);
  return {
    status: status.code,
    headers: { ...headers, "content-type": typeOf(encoding) },
    body: await encode(JSON.stringify(status), encoding),
  };
}

/** Checks the media types before anything else. @throws StatusError 406, 415 */
function checkMedia({ method, headers }: ApiRequest, { isCustom, isList }: { readonly isCustom: boolean; readonly isList: boolean }): void {
  if (method === "PATCH") patchTypeOf(headers["content-type"], { isCustom });
  if (!isCustom) checkAccept(headers["accept"], isList);
}

async function verbOf(call: Call): Promise<ApiResponse> {
  const { request, route, served } = call;
  if (served.type.isReview === true) {
    if (request.method === "POST" && route.name === "") return review(call);
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
    default:
      return ownSubresource(call);
  }
}

/** Handles a subresource that only this kind has. */
async function ownSubresource(call: Call): Promise<ApiResponse> {
  const { request, route, served } = call;
  if (served.type.id === "pods" && isConnection(route.subresource)) {
    if (request.method === "POST" || request.method === "GET") return connect(call);
    throw methodNotAllowed();
  }
  const post = POSTED.get(`${served.type.id} ${route.subresource}`);
  if (post !== undefined) {
    if (request.method === "POST") return post(call);
    throw methodNotAllowed();
  }
  if (partOf(served.type.id, route.subresource) === undefined) throw noSubresource(call);
  if (request.method === "PUT") return update(call);
  if (route.subresource !== "finalize") {
    if (request.method === "GET") return get(call);
    if (request.method === "PATCH") return patch(call);
  }
  throw methodNotAllowed();
}

/** Subresources that can only be posted, by the id of their kind. */
const POSTED: ReadonlyMap<string, (call: Call) => Promise<ApiResponse>> = new Map([
  ["pods eviction", evict],
  ["pods binding", bind],
  ["serviceaccounts token", requestToken],
]);

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
      return get(call);
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

/** Handles methods that only the handler of custom resources accepts. Built-in kinds have no routes for them. */
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

/** For the handler of custom resources, a missing subresource is a missing object. */
function noSubresource({ served: { type }, route }: Call): StatusError {
  return type.isCustom ? notFound(resourceOf(type), route.name) : resourceNotServed();
}

/** Returns the Kubernetes verb of a request, for messages. */
function verbName({ request }: Call): string {
  const verbs: Readonly<Record<string, string>> = { POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete", GET: "get" };
  return verbs[request.method] ?? "";
}

/** Formats a warning (RFC 7234) as the real server does: code 299, no agent. */
function warningOf(text: string): string {
  // A header contains bytes without line breaks. Other characters would break the answer.
  const clean = Buffer.from(text.replace(/[\r\n]+/g, " "))
    .toString("latin1")
    .replace(/[^\x20-\x7e\x80-\xff]/g, "?");
  return `299 - "${clean.replace(/["\\]/g, "\\$&")}"`;
}
