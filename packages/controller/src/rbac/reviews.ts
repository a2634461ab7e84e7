/** The rights of an operator that asks the server who may read its metrics. */
import { kind } from "@treadle/apimachinery";
import type { InspectedManager } from "../inspect-managers.ts";
import type { Right } from "./rights.ts";
import type { PolicyRule } from "./rules.ts";

const REVIEWS = [
  kind({ group: "authentication.k8s.io", version: "v1", kind: "TokenReview", scope: "Cluster" }),
  kind({ group: "authorization.k8s.io", version: "v1", kind: "SubjectAccessReview", scope: "Cluster" }),
] as const;

/** Whether a manager asks the server who may read its metrics. */
export function reviewsAccess({ metrics }: InspectedManager): boolean {
  return typeof metrics === "object" && metrics.authorize === true;
}

/** The rights to ask who may read the metrics. */
export function reviewRights(): readonly Right[] {
  return REVIEWS.map((review) => ({
    kind: review,
    verb: "create",
    because: "metrics.authorize asks the server who may read the metrics",
  }));
}

/** The rules for the rights to ask who may read the metrics. */
export function reviewRules(): readonly PolicyRule[] {
  return REVIEWS.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ["create"] }));
}
