/** The labels of a request in metrics (k8s.io/apiserver `endpoints/metrics`). */
import type { ApiRequest } from "@treadle/apimachinery";
import { attributesOf } from "../authorization/attributes.ts";
import type { ResourceRoute, Target } from "../request/routes.ts";
import type { RequestLabels } from "./request-metrics.ts";

/** Returns the labels of a request to a kind. For custom kinds, a list of one name has the scope of an object. */
export function resourceLabels(request: ApiRequest, route: ResourceRoute, query: URLSearchParams, isCustom: boolean): RequestLabels {
  const { group, version, resource, subresource } = route;
  const scope = scopeOf(request, route, isCustom ? query : undefined);
  const verb = verbOf(request, route, { scope, query });
  return { verb, dryRun: dryRunOf(query), group, version, resource, subresource, scope, component: "apiserver" };
}

/** Returns the labels of a request to a document, or `undefined` when such requests are not counted. */
export function documentLabels({ method }: ApiRequest, { route, query }: Target): RequestLabels | undefined {
  const counted = countedDocument(route);
  if (counted === undefined) return undefined;
  const verb = (method as string) === "HEAD" ? "GET" : METHODS.has(method) ? method : "other";
  return { verb, dryRun: dryRunOf(query), group: "", version: "", resource: "", scope: "", ...counted };
}

type Counted = Pick<RequestLabels, "subresource" | "component">;

function countedDocument(route: Target["route"]): Counted | undefined {
  if (route.type === "groups") return { subresource: route.legacy ? "api" : "apis", component: "apiserver" };
  if (route.type !== "other") return undefined;
  const { path } = route;
  if (/^\/(?:healthz|livez|readyz)$/.test(path)) return { subresource: path, component: "" };
  if (path === "/openapi/v3") return { subresource: "openapi/v3", component: "" };
  return path.startsWith("/openapi/v3/") ? { subresource: "openapi/v3/", component: "" } : undefined;
}

function scopeOf(request: ApiRequest, route: ResourceRoute, query: URLSearchParams | undefined): string {
  if (route.name !== "" || request.method === "POST") return "resource";
  if (query?.has("fieldSelector") === true) {
    const attributes = attributesOf(request, { route, query });
    if ("name" in attributes && attributes.name !== "") return "resource";
  }
  return route.namespace === "" ? "cluster" : "namespace";
}

function verbOf(
  { method, headers }: ApiRequest,
  route: ResourceRoute,
  { scope, query }: { readonly scope: string; readonly query: URLSearchParams },
): string {
  if (CONNECTIONS.has(route.subresource)) return "CONNECT";
  if (route.isWatch === true) return "WATCH";
  if (method === "GET" && isWatch(query)) return "WATCH";
  if (method === "GET" || (method as string) === "HEAD") return scope === "resource" ? "GET" : "LIST";
  if (method === "PATCH" && headers["content-type"] === "application/apply-patch+yaml") return "APPLY";
  return METHODS.has(method) ? method : "other";
}

const METHODS: ReadonlySet<string> = new Set(["GET", "POST", "PUT", "PATCH", "DELETE"]);
const CONNECTIONS: ReadonlySet<string> = new Set(["log", "exec", "portforward", "attach", "proxy"]);

/** As Go's converter of queries: every other value is true. */
function isWatch(query: URLSearchParams): boolean {
  const value = query.get("watch")?.toLowerCase();
  return value !== undefined && value !== "0" && value !== "false";
}

function dryRunOf(query: URLSearchParams): string {
  if (!query.has("dryRun")) return "";
  return query.getAll("dryRun").every((value) => value === "All") ? "All" : "invalid";
}
