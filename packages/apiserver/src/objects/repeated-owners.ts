/** Owner references that a client sent more than once. The server keeps the first of equal ones, with a warning. */
import { jsonEqual } from "@treadle/apimachinery";
import type { Call } from "../request/context.ts";
import type { Draft } from "../storage/stored-object.ts";

/**
 * Removes repeated owner references from a draft, and adds a warning. `isAdmitted`: webhooks have changed the draft, or it is
 * the result of a patch, which the real server checks only then.
 */
export function dropRepeatedOwners(
  { warnings }: Pick<Call, "warnings">,
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
