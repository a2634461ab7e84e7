/** Metadata that the server accepts with a warning: repeated owner references, and finalizers without a domain. */
import { jsonEqual } from "@treadle/apimachinery";
import { goQuote, type JsonObject } from "../internal/json.ts";
import { stringsOf } from "./object-meta.ts";
import type { Draft } from "../storage/stored-object.ts";

/**
 * Removes repeated owner references from a draft, with a warning. `isAdmitted`: webhooks have changed the draft, or it is
 * the result of a patch, which the real server checks only then.
 */
export function dropRepeatedOwners(
  { warnings }: { readonly warnings: string[] },
  { metadata }: Draft,
  { isAdmitted = false }: { readonly isAdmitted?: boolean } = {},
): void {
  const references = metadata["ownerReferences"];
  if (!Array.isArray(references)) return;
  const kept: { readonly uid?: string }[] = [];
  const repeated: string[] = [];
  // Read by readMeta.
  for (const reference of references as readonly { readonly uid?: string }[]) {
    if (kept.some((one) => jsonEqual(one, reference))) repeated.push(reference.uid ?? "");
    else kept.push(reference);
  }
  if (repeated.length === 0) return;
  metadata["ownerReferences"] = kept;
  const when = isAdmitted ? " after mutating admission happens" : "";
  warnings.push(
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such ` +
      `requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${repeated.join(", ")}`,
  );
}

/** Returns the warnings about new finalizers of a custom resource. For built-in kinds such names are errors. */
export function finalizerWarnings(meta: JsonObject, old: JsonObject = {}): readonly string[] {
  const known = new Set([...stringsOf(old["finalizers"]), ...STANDARD_FINALIZERS]);
  const added = new Set(stringsOf(meta["finalizers"]).filter((name) => !name.includes("/") && !known.has(name)));
  const advice = (name: string): string =>
    `prefer a domain-qualified finalizer name ${name.includes(".") ? "including a path (/) " : ""}to avoid accidental conflicts with other finalizer writers`;
  return [...added].toSorted().map((name) => `metadata.finalizers: ${goQuote(name)}: ${advice(name)}`);
}

const STANDARD_FINALIZERS = ["orphan", "foregroundDeletion", "kubernetes"] as const;
