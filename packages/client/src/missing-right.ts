/** The right that a refused request lacks, as the API server's authorizer names it. */
import { isForbidden } from "@treadle/apimachinery";

/** Names the right that a request was refused for: a verb on a resource, or on a URL path. */
export type MissingRight =
  | {
      readonly type: "resource";
      /** As in an RBAC rule: `patch`. */
      readonly verb: string;
      /** API group; empty for the core group. */
      readonly group: string;
      /** Plural, with the subresource: `pods/status`. */
      readonly resource: string;
      /** Absent: the right is needed in the whole cluster. */
      readonly namespace?: string;
    }
  | { readonly type: "path"; readonly verb: string; readonly path: string };

/** k8s.io/apiserver `responsewriters`, `forbiddenMessage`. Names in it hold no quotes. */
const RESOURCE =
  /User "(?:[^"\\]|\\.)*" cannot (?<verb>\S+) resource "(?<resource>[^"]*)" in API group "(?<group>[^"]*)" (?:in the namespace "(?<namespace>[^"]*)"|at the cluster scope)/;
const PATH = /User "(?:[^"\\]|\\.)*" cannot (?<verb>\S+) path "(?<path>[^"]*)"/;

/**
 * Returns the right that is missing where the server's authorizer refused a request; `undefined` for other errors. Admission
 * and quotas answer 403 too, and no right helps against them.
 */
export function missingRightOf(error: unknown): MissingRight | undefined {
  return isForbidden(error) ? missingRightIn(error.message) : undefined;
}

/** Like {@link missingRightOf}, for the text of a 403. */
export function missingRightIn(message: string): MissingRight | undefined {
  const { verb = "", resource, group = "", namespace } = RESOURCE.exec(message)?.groups ?? {};
  if (resource !== undefined) return { type: "resource", verb, group, resource, ...(namespace === undefined ? {} : { namespace }) };
  const { verb: method = "", path } = PATH.exec(message)?.groups ?? {};
  return path === undefined ? undefined : { type: "path", verb: method, path };
}

/** The RBAC rule that gives `right`, and the kind of role that must hold it. */
export function ruleFor(right: MissingRight): string {
  const list = (text: string): string => `[${JSON.stringify(text)}]`;
  if (right.type === "path") return `{ nonResourceURLs: ${list(right.path)}, verbs: ${list(right.verb)} } in a ClusterRole`;
  const { group, resource, verb, namespace } = right;
  const role = namespace === undefined ? "a ClusterRole" : `a Role of namespace ${namespace}`;
  return `{ apiGroups: ${list(group)}, resources: ${list(resource)}, verbs: ${list(verb)} } in ${role}`;
}
