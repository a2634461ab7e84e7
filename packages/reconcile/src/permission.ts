/** Rights that a step needs besides those that follow from its other declarations. */
import type { Kind } from "@treadle/apimachinery";

/** A verb of Kubernetes' authorization, as a rule of RBAC names it. */
export type PermissionVerb = (typeof PERMISSION_VERBS)[number];

/** All of them, in the order in which rules list them. */
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

/** What a step does with objects by `req.client`, or by a connection of its own, that nothing else says. */
export interface Permission {
  /** The kind. */
  readonly kind: Kind;
  /** The verbs that are allowed. */
  readonly verbs: readonly PermissionVerb[];
  /** E.g. `log` of Pod, `scale` of Deployment; the objects themselves are then not included. @defaultValue the objects */
  readonly subresource?: string;
  /** Only objects of these names. Useless with `create`, `list` and `watch` of whole collections, which name no object. @defaultValue all */
  readonly names?: readonly string[];
}
