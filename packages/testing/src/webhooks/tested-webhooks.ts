/** The webhooks that a test environment registers and calls. Types only. */
import type { Clock, ConversionWebhook, Kind, KubernetesObject } from "@treadle/apimachinery";
import type { Client } from "@treadle/client";
import type { Logger, Permission, Reads } from "@treadle/reconcile";

/** What an API server must know of the webhooks of one kind. */
export interface TestedRegistration {
  /** An entry of a MutatingWebhookConfiguration. */
  readonly mutating: object | undefined;
  /** An entry of a ValidatingWebhookConfiguration. */
  readonly validating: object | undefined;
  /** The CRD of a kind that the webhooks convert. */
  readonly definition: object | undefined;
}

/** What webhooks get besides the request. */
export interface TestedCallEnv {
  /** A client that has exactly the declared `permissions`; where the server checks no rights, it may do everything. */
  readonly client: Client;
  /** The clock of the test. */
  readonly clock: Clock;
  /** A log that the test reads. */
  readonly log: Logger;
  /** Aborted when the API server no longer waits. */
  readonly signal: AbortSignal;
  /** Returns the values of the declared `reads` for an object. */
  read(object: KubernetesObject, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Called for each object whose kept fields could not be used in a conversion. */
  onIgnored(kind: string, name: string, reason: string): void;
}

/** Webhooks of one kind for a test. The values that `webhooks()` of `@treadle/webhooks` returns have these members. */
export interface TestedWebhooks {
  /** The kind whose objects are reviewed. */
  readonly kind: Kind;
  /** The declared reads. */
  readonly reads: Reads<KubernetesObject>;
  /** The declared rights. */
  readonly permissions: readonly Permission[];
  /** Returns the registration. The webhooks of kinds of others do not review the excluded namespaces. */
  registration(env: { clientConfig(path: string): ConversionWebhook; readonly excluded: readonly string[] }): TestedRegistration;
  /**
   * Answers an AdmissionReview or a ConversionReview.
   * @throws an error for the API server. Its `status` is that of HTTP; it is logged already if that is 500
   */
  answer(path: string, review: unknown, env: TestedCallEnv): Promise<unknown>;
}
