/** Fields that a server accepts but does not store: an older CRD prunes them, or a webhook removes them. */
import { applyMergePatch, createMergePatch, type KubernetesObject } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";
import type { Pass } from "../record/pass-state.ts";

/** @throws ReconcileError naming the fields that the server did not store. */
export function requireStored(pass: Pass, missing: unknown, under: string): void {
  if (missing === undefined) return;
  const { kind } = pass.pipeline;
  throw new ReconcileError(
    "ERR_NOT_STORED",
    `the server accepted but did not store ${pathsOf(missing, under).join(", ")} of ${kind.kind} ${pass.object.metadata.name}: ${NOT_STORED_HINT}`,
  );
}

export const NOT_STORED_HINT =
  "its installed CRD lacks the field, or a webhook removes it; install the CRD that the handler was built with";

/** The paths of a status patch, without observedGeneration at any depth: many kinds do not have it, and no user needs it. */
export function describeMissing(missing: object, newest: KubernetesObject): readonly string[] {
  const { status: before = {} } = newest as { readonly status?: object };
  const { status: patch } = missing as { readonly status?: unknown };
  const rest = createMergePatch(withoutGenerations(before), withoutGenerations(applyMergePatch(before, patch)));
  return rest === undefined ? [] : pathsOf(rest, "status");
}

function withoutGenerations(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key: string, inner: unknown) => (key === "observedGeneration" ? undefined : inner)));
}

function pathsOf(patch: unknown, path: string): string[] {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return [path];
  return Object.entries(patch).flatMap(([key, value]) => pathsOf(value, path === "" ? key : `${path}.${key}`));
}

/** The fields of the status that a patch changes. */
export function fieldsOf(patch: object): readonly string[] {
  return Object.keys((patch as { readonly status?: object }).status ?? {});
}
