/** The ReplicaSets of a Deployment as its revisions: the one of the current template, their names, numbers and annotations. Pure. */
import { jsonEqual } from "@treadle/apimachinery";
import type { Deployment, ReplicaSet } from "@treadle/apimachinery/kinds";
import { goJson } from "../internal/json.ts";
import { annotated, bounds, byAge, DESIRED_REPLICAS, MAX_REPLICAS, replicasOf } from "./replica-counts.ts";
import type { Revisions } from "./rollout.ts";

export const HASH_LABEL = "pod-template-hash";
export const REVISION = "deployment.kubernetes.io/revision";
const HISTORY = "deployment.kubernetes.io/revision-history";

/** Annotations that belong to the Deployment or its controller. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  REVISION,
  HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
  "deprecated.deployment.rollback.to",
]);

type Template = NonNullable<Deployment["spec"]>["template"];

/** Returns the revisions. The oldest set of the template is the current one. */
export function revisionsOf({ spec }: Deployment, sets: readonly ReplicaSet[]): Revisions {
  const sorted = sets.toSorted(byAge);
  const current = sorted.find((set) => jsonEqual(withoutHash(set.spec?.template), withoutHash(spec?.template)));
  return { current, old: sorted.filter((set) => set !== current) };
}

function withoutHash(template: Template | undefined): object {
  const { [HASH_LABEL]: _, ...labels } = template?.metadata?.labels ?? {};
  return { ...template, metadata: { ...template?.metadata, labels } };
}

/** Returns the number of the current revision. */
export function nextRevision(old: readonly ReplicaSet[]): number {
  return Math.max(0, ...old.map((set) => annotated(set, REVISION) ?? 0)) + 1;
}

/** Returns the annotations of the current set: those of the Deployment, and its number. */
export function revisionAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: number,
): Readonly<Record<string, string>> {
  const before = set?.metadata.annotations ?? {};
  const copied = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name));
  const annotations: Record<string, string> = { ...before, ...Object.fromEntries(copied) };
  const number = set === undefined ? undefined : annotated(set, REVISION);
  if (number === undefined || number < revision) {
    annotations[REVISION] = String(revision);
    if (number !== undefined) annotations[HISTORY] = [before[HISTORY], number].filter((one) => one !== undefined && one !== "").join(",");
  }
  return annotations;
}

export function scaleAnnotations(deployment: Deployment): Readonly<Record<string, string>> {
  const wanted = replicasOf(deployment);
  return { [DESIRED_REPLICAS]: String(wanted), [MAX_REPLICAS]: String(wanted + bounds(deployment).maxSurge) };
}

/** Returns the hash of a template for names and labels. It differs from the real one, which hashes a representation of Go. */
export function templateHash(template: object, collisions: number | undefined): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(goJson(template) + (collisions === undefined ? "" : String(collisions)))) {
    hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  }
  // No vowels and no similar characters, so that no words result (`SafeEncodeString`).
  return [...String(hash)].map((digit) => "bcdfghjklmnpqrstvwxz2456789"[digit.charCodeAt(0) % 27] ?? "").join("");
}
