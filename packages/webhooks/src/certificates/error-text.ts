/** Texts of errors for logs and probes. */
import { withoutSecrets } from "@treadle/reconcile/unstable/engine";

/** The message of an error, without secrets. That of a 403 names the RBAC rule. */
export function textOf(error: unknown): string {
  return withoutSecrets(error instanceof Error ? error.message : String(error));
}
