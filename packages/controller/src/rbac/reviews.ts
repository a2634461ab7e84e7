/** What an operator may ask about others: who reads its metrics. */
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

export function reviewRights(): readonly Right[] {
  return REVIEWS.map((review) => ({
    kind: review,
    verb: "create",
    because: "the metrics are for those who may read them: metrics.authorize",
  }));
}

export function reviewRules(): readonly PolicyRule[] {
  return REVIEWS.map(({ group, plural }) => ({ apiGroups: [group], resources: [plural], verbs: ["create"] }));
}
