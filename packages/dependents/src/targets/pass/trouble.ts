/** What an error of a target says about the target. Pure. */
import { isApiError } from "@treadle/apimachinery";
import { isConnectionError } from "@treadle/client";
import { errorsIn } from "@treadle/reconcile/unstable/engine";
import { isTargetError } from "../target-error.ts";

/**
 * `away`: the target does not answer. `refused`: it does not accept the credential, or a right is missing. `undefined`: the error is
 * that of a single object, or of the operator's own API server.
 */
export type Trouble = "away" | "refused" | undefined;

/** Returns what an error says about the target. Of several errors the first one that says something counts. */
export function troubleOf(error: unknown): Trouble {
  for (const each of errorsIn(error)) {
    if (!isTargetError(each)) continue;
    if (isConnectionError(each)) return "away";
    if (!isApiError(each)) continue;
    if (each.status === 401) return "refused";
    // What a gateway in front of the API server answers has no reason of Kubernetes.
    if ([502, 503, 504].includes(each.status) && each.reason === "") return "away";
  }
  return undefined;
}
