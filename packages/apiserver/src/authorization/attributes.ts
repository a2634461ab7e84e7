/** The attributes of a request that authorization looks at (k8s.io/apiserver `request.RequestInfo`). */
import type { ApiRequest } from "@treadle/apimachinery";
import { goQuote } from "../internal/json.ts";
import { readBoolean } from "../request/write-options.ts";
import type { Target } from "../request/routes.ts";
import { forbiddenError, type StatusError } from "../errors/status-errors.ts";
import type { UserInfo } from "./identity.ts";

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  /** Namespace. Empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

export interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

export type Attributes = ResourceAttributes | PathAttributes;

export function isResource(attributes: Attributes): attributes is ResourceAttributes {
  return "resource" in attributes;
}

/** Returns the attributes of a request. Never throws: an unreadable request has the attributes of its path. */
export function attributesOf({ method, path }: Pick<ApiRequest, "method" | "path">, { route, query }: Target): Attributes {
  if (route.type !== "resource") return { verb: method.toLowerCase(), path: path.split("?")[0] ?? "" };
  const { group, version, resource, subresource } = route;
  // A Namespace object is in its own namespace, so role bindings there can give access to it.
  const namespace = resource === "namespaces" && group === "" && route.namespace === "" ? route.name : route.namespace;
  const at = { group, version, resource, subresource, namespace };
  const verb = VERBS[method] ?? "";
  if (route.isWatch === true) return { ...at, verb: "watch", name: route.name };
  if (route.name !== "" || verb === "create") return { ...at, verb, name: route.name };
  if (verb === "delete") return { ...at, verb: "deletecollection", name: "" };
  if (verb !== "get") return { ...at, verb, name: "" };
  return { ...at, verb: readBoolean(query, "watch") === true ? "watch" : "list", name: selectedName(query) };
}

/** The verbs of the HTTP methods. Other methods have no verb. */
const VERBS: Readonly<Partial<Record<string, string>>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};

/** A list with a field selector on the name has this name. */
function selectedName(query: URLSearchParams): string {
  const terms = (query.get("fieldSelector") ?? "").split(",");
  for (const term of terms) {
    const [, name] = /^metadata\.name==?([^=!]+)$/.exec(term.trim()) ?? [];
    if (name !== undefined && name !== "." && name !== ".." && !/[/%]/.test(name)) return name;
  }
  return "";
}

/** Makes the refusal of a request, with the text of the real server. */
export function forbidden(user: UserInfo, attributes: Attributes, reason: string): StatusError {
  const because = reason === "" ? "" : `: ${reason}`;
  const who = `User ${goQuote(user.name)} cannot ${attributes.verb}`;
  if (!isResource(attributes)) return forbiddenError({ group: "", resource: "" }, "", `${who} path ${goQuote(attributes.path)}${because}`);
  const { group, resource, subresource, namespace, name } = attributes;
  const what = subresource === "" ? resource : `${resource}/${subresource}`;
  const where = namespace === "" ? "at the cluster scope" : `in the namespace ${goQuote(namespace)}`;
  const text = `${who} resource ${goQuote(what)} in API group ${goQuote(group)} ${where}${because}`;
  return forbiddenError({ group, resource }, name, text);
}
