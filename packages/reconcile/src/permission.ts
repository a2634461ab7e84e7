/** Rights that a step needs besides those that follow from its other declarations. */
import type { Kind } from "@treadle/apimachinery";

/** A permission verb is a verb of Kubernetes' authorization, as RBAC rules use it. */
export type PermissionVerb = (typeof PERMISSION_VERBS)[number];

/** These are all verbs, in the order in which rules list them. */
export const PERMISSION_VERBS = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "impersonate",
  "bind",
  "escalate",
  "approve",
  "sign",
  "use",
] as const;

/** A permission is a right that a step needs for `req.client`, or for another connection, and that no other declaration gives. */
export interface Permission {
  /** The kind. */
  readonly kind: Kind;
  /** The verbs that the step needs. */
  readonly verbs: readonly PermissionVerb[];
  /** A subresource, such as `log` of Pod or `scale` of Deployment, instead of the objects. @defaultValue the objects */
  readonly subresource?: string;
  /** The names of the objects. Has no effect on `create`, `list` and `watch` of collections, which name no object. @defaultValue all names */
  readonly names?: readonly string[];
  /**
   * The reason, one line of text for the people who grant the right: a comment in the manifest of `treadle-rbac`.
   * @defaultValue the name of the step, without a comment
   */
  readonly because?: string;
}

/** All rights: every verb on every resource of every group, in the whole cluster. */
export interface AllRights {
  /** The reason, one line of text for the people who grant the rights: a comment in the manifest of `treadle-rbac`. */
  readonly because: string;
}
