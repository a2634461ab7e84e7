/** Finds the verb that answers a request. */
import type { ApiRequest, ApiResponse, Status } from "@treadle/apimachinery";
import { deliberate } from "../request/deliberation.ts";
import type { Identity, UserInfo } from "../authorization/identity.ts";
import { checkAccept, checkSize, encode, encodingOfRefusal, negotiate, typeOf } from "../request/content.ts";
import type { Call, Parts } from "../request/context.ts";
import { isUnresolved } from "../crd/resource.ts";
import { documentLabels, resourceLabels } from "../metrics/request-labels.ts";
import type { RequestLabels } from "../metrics/request-metrics.ts";
import { EventQueue } from "../storage/event-queue.ts";
import { answerDocument, isBelowBuiltIn } from "../discovery/non-resource.ts";
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
  PAGE_NOT_FOUND,
  resourceNotServed,
  StatusError,
} from "../errors/status-errors.ts";
import { getComponent, listComponents } from "./component-statuses.ts";
import { connect, isConnection } from "./connect.ts";
import { create } from "./create.ts";
import { deleteCollection, deleteOne } from "./delete.ts";
import { get, list } from "./list.ts";
import { patch } from "./patch.ts";
import { bind, bindNamed, evict } from "./pod-actions.ts";
import { patchTypeOf } from "../patch/patch-body.ts";
import { hasProxy, proxy, readLog } from "./remote.ts";
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
  const labels = documentLabels(given, target);
  if (labels === undefined) return answerDocument(parts, given, target);
  return counted(parts, labels, () => answerDocument(parts, given, target));
}

/** Counts a request and its answer. A watch is counted when it ends. */
async function counted({ metrics, clock }: Parts, labels: RequestLabels, answer: () => Promise<ApiResponse>): Promise<ApiResponse> {
  const startMs = clock.elapsed();
  const count = (code: number): void => metrics.count(labels, code, clock.elapsed() - startMs);
  try {
    const response = await answer();
    if (response.stream instanceof EventQueue) response.stream.onEnd(() => count(response.status));
    else count(response.status);
    return response;
  } catch (error) {
    count(error instanceof StatusError ? error.status.code : 500);
    throw error;
  }
}

/** A request to a path of a kind, and the user that it acts as. */
interface Asked {
  readonly route: ResourceRoute;
  readonly query: URLSearchParams;
  readonly user: UserInfo;
}

async function answerResource(parts: Parts, request: ApiRequest, asked: Asked): Promise<ApiResponse> {
  const { route, query } = asked;
  const served = parts.registry.find(route.group, route.version, route.resource);
  if (served === undefined) {
    if (isBelowBuiltIn(parts, route)) throw resourceNotServed();
    if (isUnresolved(parts, route)) throw internalError("error resolving resource");
    return PAGE_NOT_FOUND;
  }
  // The handler of custom resources ignores segments after a subresource.
  const isProxy = route.subresource === "proxy" && hasProxy(served.type.id);
  if (route.isDeep === true && !served.type.isCustom && !isProxy) throw resourceNotServed();
  if (!fits(request, route, served.type)) {
    // One handler serves all paths of custom resources. For built-in kinds each method has its own route.
    if (served.type.isCustom) return PAGE_NOT_FOUND;
    throw served.type.isNamespaced && route.name === "" && served.type.isReview !== true ? methodNotAllowed() : resourceNotServed();
  }
  const { isCustom } = served.type;
  const verb = verbOf({ request, route, served });
  // The router of built-in kinds checks the media types, so such a refusal is not counted.
  if (!isCustom) checkMedia(request, route, isCustom);
  return counted(parts, resourceLabels(request, route, query, isCustom), async () => {
    if (isCustom) checkMedia(request, route, isCustom);
    return answerVerb(verb, { parts, request, served }, asked);
  });
}

async function answerVerb(
  verb: Verb,
  { parts, request, served }: Pick<Call, "parts" | "request" | "served">,
  { route, query, user }: Asked,
): Promise<ApiResponse> {
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
    return verb({ ...call, deliberation });
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
function checkMedia({ method, headers }: ApiRequest, { name }: ResourceRoute, isCustom: boolean): void {
  if (method === "PATCH") patchTypeOf(headers["content-type"], { isCustom });
  if (!isCustom) checkAccept(headers["accept"], method === "GET" && name === "");
}

/** Answers a request to a path that it serves. */
type Verb = (call: Call) => Promise<ApiResponse>;

/** What decides the verb. */
type Wanted = Pick<Call, "request" | "route" | "served">;

/** Returns the verb of a request. @throws StatusError 404, 405 when no verb has this path and method */
function verbOf(wanted: Wanted): Verb {
  const { request, route, served } = wanted;
  if (served.type.isReview === true) {
    if (request.method === "POST" && route.name === "") return served.type.id === "bindings" ? bindNamed : review;
    const hasRoute = route.name === "" && (route.namespace !== "" || !served.type.isNamespaced);
    throw hasRoute ? methodNotAllowed() : resourceNotServed();
  }
  if (served.type.isComputed === true) {
    if (route.isWatch === true || route.subresource !== "") throw resourceNotServed();
    if (request.method !== "GET") throw methodNotAllowed();
    return route.name === "" ? listComponents : getComponent;
  }
  if (route.isWatch === true) {
    if (request.method !== "GET" || route.subresource !== "") throw methodNotAllowed();
    return watch;
  }
  switch (route.subresource) {
    case "":
      return route.name === "" ? collectionVerb(wanted) : objectVerb(wanted);
    case "status":
      if (!served.version.status) throw noSubresource(wanted);
      if (request.method === "GET") return get;
      if (request.method === "PUT") return update;
      if (request.method === "PATCH") return patch;
      throw wrongMethod(wanted);
    case "scale":
      if (served.version.scale === undefined) throw noSubresource(wanted);
      if (request.method === "GET") return getScale;
      if (request.method === "PUT") return updateScale;
      if (request.method === "PATCH") return patchScale;
      throw wrongMethod(wanted);
    default:
      return ownSubresource(wanted);
  }
}

/** Returns the verb of a subresource that only this kind has. */
function ownSubresource(wanted: Wanted): Verb {
  const { request, route, served } = wanted;
  if (served.type.id === "pods" && isConnection(route.subresource)) {
    if (request.method === "POST" || request.method === "GET") return connect;
    throw methodNotAllowed();
  }
  if (route.subresource === "proxy" && hasProxy(served.type.id)) return proxy;
  if (served.type.id === "pods" && route.subresource === "log") {
    if (request.method === "GET") return readLog;
    throw methodNotAllowed();
  }
  const post = POSTED.get(`${served.type.id} ${route.subresource}`);
  if (post !== undefined) {
    if (request.method === "POST") return post;
    throw methodNotAllowed();
  }
  if (partOf(served.type.id, route.subresource) === undefined) throw noSubresource(wanted);
  if (request.method === "PUT") return update;
  if (route.subresource !== "finalize") {
    if (request.method === "GET") return get;
    if (request.method === "PATCH") return patch;
  }
  throw methodNotAllowed();
}

/** Subresources that can only be posted, by the id of their kind. */
const POSTED: ReadonlyMap<string, Verb> = new Map([
  ["pods eviction", evict],
  ["pods binding", bind],
  ["serviceaccounts token", requestToken],
]);

function collectionVerb(wanted: Wanted): Verb {
  switch (wanted.request.method) {
    case "GET":
      return async (call) => (readBoolean(call.query, "watch") === true ? watch(call) : list(call));
    case "POST":
      return create;
    case "DELETE":
      if (wanted.served.type.marksDeletion) throw methodNotAllowed();
      return deleteCollection;
    default:
      return customOnly(wanted);
  }
}

function objectVerb(wanted: Wanted): Verb {
  switch (wanted.request.method) {
    case "GET":
      return get;
    case "PUT":
      return update;
    case "PATCH":
      return patch;
    case "DELETE":
      return deleteOne;
    default:
      return customOnly(wanted);
  }
}

/** Returns verbs of methods that only the handler of custom resources accepts. Built-in kinds have no routes for them. */
function customOnly(wanted: Wanted): Verb {
  const { request, served } = wanted;
  if (!served.type.isCustom) throw methodNotAllowed();
  if (request.method === "POST") return create;
  if (request.method === "PATCH") return patch;
  if (request.method !== "PUT") throw wrongMethod(wanted);
  return async () => {
    throw badRequest("name must be provided");
  };
}

function wrongMethod(wanted: Wanted): StatusError {
  const { type } = wanted.served;
  return type.isCustom ? methodNotSupported(resourceOf(type), verbName(wanted)) : methodNotAllowed();
}

/** For the handler of custom resources, a missing subresource is a missing object. */
function noSubresource({ served: { type }, route }: Wanted): StatusError {
  return type.isCustom ? notFound(resourceOf(type), route.name) : resourceNotServed();
}

/** Returns the Kubernetes verb of a request, for messages. */
function verbName({ request }: Wanted): string {
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
