/** A change log: what is reported of each call that changes the provider. */
import type { KubernetesObject } from "@treadle/apimachinery";

/** The calls that change the provider. */
export type ExternalVerb = "create" | "update" | "delete";

/** This is one call that changed the provider, or failed to. It holds no values of Secrets that the pass has read. */
export interface ExternalChange {
  /** The call. */
  readonly verb: ExternalVerb;
  /** The kind of the object. */
  readonly kind: string;
  /** The object for which the call was made. */
  readonly object: KubernetesObject;
  /** The name of the external resource. */
  readonly name: string;
  /** The observation before the call, without the values of `redact`; `undefined` before a create. */
  readonly before: unknown;
  /** The values that were sent: all of `desired` for a create, the differing keys for an update, `undefined` for a delete. */
  readonly changes: Readonly<Record<string, unknown>> | undefined;
  /** Whether an update or create reverts a change that was made at the provider, not in the spec. */
  readonly isDrift: boolean;
  /** The error of the call; `undefined`: it succeeded. */
  readonly error: unknown;
  /** The duration of the call, in milliseconds. */
  readonly durationMs: number;
}
