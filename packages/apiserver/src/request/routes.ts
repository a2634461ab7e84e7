/** Parses a request path: the resource, the object and the subresource. Knows no kinds. */

/** A path of a resource. `resource` is the plural. A collection has an empty `name`. */
export interface ResourceRoute {
  readonly type: "resource";
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Namespace. Empty for cluster-scoped kinds and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  /** Whether the path has `watch` before the resource, as old clients send it. */
  readonly isWatch?: boolean;
  /** Whether more segments follow the subresource. */
  readonly isDeep?: boolean;
}

export type Route =
  | ResourceRoute
  /** `/api/v1` or `/apis/GROUP/VERSION`. */
  | { readonly type: "version"; readonly group: string; readonly version: string }
  | { readonly type: "group"; readonly group: string }
  | { readonly type: "groups"; readonly legacy: boolean }
  /** Another path. `group` is the group that it is below, if any. */
  | { readonly type: "other"; readonly path: string; readonly group?: string }
  /** A path with a percent sign that encodes nothing. */
  | { readonly type: "unreadable" };

export interface Target {
  readonly route: Route;
  readonly query: URLSearchParams;
}

/** Splits path and query, and parses the path. Never throws: an unknown path is `other`. */
export function parseTarget(target: string): Target {
  const mark = target.indexOf("?");
  const path = mark < 0 ? target : target.slice(0, mark);
  return { route: parsePath(path), query: new URLSearchParams(mark < 0 ? "" : target.slice(mark + 1)) };
}

function parsePath(path: string): Route {
  const decoded = decode(path);
  if (decoded === undefined) return { type: "unreadable" };
  const other: Route = { type: "other", path };
  const segments = segmentsOf(decoded);
  if (segments === undefined) {
    const [, root = "", group = ""] = decoded.split("/");
    return root === "api" ? { ...other, group: "" } : root === "apis" ? { ...other, group } : other;
  }
  const [root, ...rest] = segments;
  if (root === "api") {
    if (rest.length === 0) return { type: "groups", legacy: true };
    return parseVersion("", rest) ?? { ...other, group: "" };
  }
  if (root !== "apis") return other;
  const [group, ...versioned] = rest;
  if (group === undefined) return { type: "groups", legacy: false };
  if (versioned.length === 0) return { type: "group", group };
  return parseVersion(group, versioned) ?? { ...other, group };
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
  // A namespaced resource follows `namespaces/NAME`, except for the subresources of the namespace itself.
  if (first === "namespaces" && third !== undefined && third !== "status" && third !== "finalize") {
    const deep = more.length > 0 ? { isDeep: true } : {};
    return { ...at, resource: third, namespace: second, name: fourth, subresource: fifth, ...deep };
  }
  const deep = rest.length > 3 ? { isDeep: true } : {};
  return { ...at, resource: first, namespace: "", name: second, subresource: third ?? "", ...deep };
}

/** Decodes a path. Bytes that are not UTF-8 become the replacement character. Returns `undefined` for a percent sign without two digits. */
function decode(path: string): string | undefined {
  if (!path.includes("%")) return path;
  if (/%(?![0-9a-fA-F]{2})/.test(path)) return undefined;
  const bytes = path.replaceAll(/%(..)|[^%]+/g, (text, digits: string | undefined) =>
    digits === undefined ? Buffer.from(text).toString("latin1") : String.fromCharCode(Number.parseInt(digits, 16)),
  );
  return Buffer.from(bytes, "latin1").toString();
}

/** Returns the segments of a path, or `undefined` when one is empty. Encoded slashes separate segments, too. */
function segmentsOf(path: string): string[] | undefined {
  if (!path.startsWith("/")) return undefined;
  const segments = path.slice(1).replace(/\/+$/, "").split("/");
  return segments.includes("") ? undefined : segments;
}
