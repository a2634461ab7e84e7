/** Describes a request as the API does: verb, resource, name. */
import type { ApiRequest } from "@treadle/apimachinery";
import type { RecordedRequest, RequestFilter, Verb } from "../requests.ts";

/** Whether a request matches every member of `filter`. */
export function matches(request: Omit<RecordedRequest, "status">, filter: RequestFilter): boolean {
  const { verb, kind, resource, name, namespace, subresource } = filter;
  const verbs = verb === undefined ? undefined : typeof verb === "string" ? [verb] : verb;
  return (
    (verbs === undefined || verbs.includes(request.verb)) &&
    (kind === undefined || (kind.group === request.group && kind.plural === request.resource)) &&
    (resource === undefined || resource === request.resource) &&
    (name === undefined || name === request.name) &&
    (namespace === undefined || namespace === request.namespace) &&
    (subresource === undefined || subresource === request.subresource)
  );
}

/** Describes a request by its method, path and body. */
export function describeRequest(request: ApiRequest): Omit<RecordedRequest, "status"> {
  const [path = "", query = ""] = request.path.split("?", 2);
  const target = resourceOf(path);
  return { ...target, verb: verbOf(request, target, query), path: request.path, body: bodyOf(request.body) };
}

type Target = Pick<RecordedRequest, "group" | "version" | "resource" | "namespace" | "name" | "subresource">;

const NO_RESOURCE: Target = { group: "", version: "", resource: "", namespace: undefined, name: undefined, subresource: undefined };

function resourceOf(path: string): Target {
  const [root, ...rest] = path.split("/").filter(Boolean).map(decodeURIComponent);
  const group = root === "apis" ? rest.shift() : root === "api" ? "" : undefined;
  const version = rest.shift();
  if (group === undefined || version === undefined || rest.length === 0) return NO_RESOURCE;
  // `namespaces/NAME` is itself a resource unless another one follows; its own subresources are status and finalize.
  const isWithin = rest[0] === "namespaces" && rest.length > 2 && rest[2] !== "status" && rest[2] !== "finalize";
  const namespace = isWithin ? rest[1] : undefined;
  const [resource = "", name, subresource] = isWithin ? rest.slice(2) : rest;
  return { group, version, resource, namespace, name, subresource };
}

function verbOf(request: ApiRequest, target: Target, query: string): Verb {
  if (target.resource === "") return "other";
  switch (request.method) {
    case "GET":
      if (/(^|&)watch=(true|1)(&|$)/.test(query)) return "watch";
      return target.name === undefined ? "list" : "get";
    case "POST":
      return "create";
    case "PUT":
      return "update";
    case "PATCH":
      return request.headers["content-type"]?.startsWith("application/apply-patch") === true ? "apply" : "patch";
    case "DELETE":
      return "delete";
  }
}

function bodyOf(body: string | undefined): unknown {
  if (body === undefined || body === "") return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
