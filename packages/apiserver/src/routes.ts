/** Reads a request path: which resource, object and subresource of which API it names. Knows no kinds. */

/** A path of the resource API. `resource` is the plural; a collection has no `name`. */
export interface ResourceRoute {
  readonly type: "resource";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: cluster-scoped, or all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** The old paths of watches: `watch` stands before the rest. */
  readonly isWatch?: boolean;
}

export type Route =
  | ResourceRoute
  /** `/api/v1`, `/apis/GROUP/VERSION`: what a version serves. */
  | { readonly type: "version"; readonly group: string; readonly version: string }
  | { readonly type: "group"; readonly group: string }
  | { readonly type: "groups"; readonly legacy: boolean }
  | { readonly type: "other"; readonly path: string };

export interface Target {
  readonly route: Route;
  readonly query: URLSearchParams;
}

/** Splits path and query and reads the path. Never throws: what it cannot read is `other`. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return { route: parsePath(path), query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)) };
}

function parsePath(path: string): Route {
  const other: Route = { type: "other", path };
  const segments = decodeSegments(path);
  if (segments === undefined) return other;
  const [root, ...rest] = segments;
  if (root === "api") {
    if (rest.length === 0) return { type: "groups", legacy: true };
    return parseVersion("", rest) ?? other;
  }
  if (root !== "apis") return other;
  const [group, ...versioned] = rest;
  if (group === undefined) return { type: "groups", legacy: false };
  if (versioned.length === 0) return { type: "group", group };
  return parseVersion(group, versioned) ?? other;
}

function parseVersion(group: string, segments: readonly string[]): Route | undefined {
  const [version, ...rest] = segments;
  if (version === undefined) return undefined;
  if (rest.length === 0) return { type: "version", group, version };
  if (rest[0] === "watch" && rest.length > 1) {
    const route = parseVersion(group, [version, ...rest.slice(1)]);
    return route?.type === "resource" ? { ...route, isWatch: true } : undefined;
  }
  const at = { type: "resource", group, version } as const;
  const [first = "", second = "", third, fourth = "", fifth = "", ...more] = rest;
  // Below `namespaces/NAME` stands a namespaced resource, except for the subresources of the namespace itself.
  if (first === "namespaces" && third !== undefined && third !== "status" && third !== "finalize") {
    if (more.length > 0) return undefined;
    return { ...at, resource: third, namespace: second, name: fourth, subresource: fifth };
  }
  if (rest.length > 3) return undefined;
  return { ...at, resource: first, namespace: "", name: second, subresource: third ?? "" };
}

/** The segments between slashes, decoded; `undefined` when one is empty or cannot be decoded. One trailing slash is allowed. */
function decodeSegments(path: string): string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const trimmed = path.endsWith("/") ? path.slice(1, -1) : path.slice(1);
  const segments = trimmed.split("/");
  if (segments.includes("")) return undefined;
  if (!trimmed.includes("%")) return segments;
  try {
    return segments.map(decodeURIComponent);
  } catch {
    return undefined;
  }
}
