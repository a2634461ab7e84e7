/** `webhooks()`: what is reviewed and converted of one kind. */
import { DefinitionError, groupKindOf, type Kind, type KubernetesObject, type ObjectOf } from "@treadle/apimachinery";
import type { Permission, Reads } from "@treadle/reconcile";
import type { CallEnv } from "./call.ts";
import { type AnyWebhooks, definitionProblems, type GivenOptions, settle } from "./definition.ts";
import { answerCall } from "./answer.ts";
import { type RegistrationEnv, registrationOf, type WebhookRegistration } from "./manifests/registration.ts";
import type { ConvertOption, WebhooksOptions } from "./types.ts";

/** The webhooks of one kind, as {@link webhooks} returns them. A frozen record. */
export interface Webhooks<K extends Kind = Kind, out R = {}> {
  /** Marks what {@link webhooks} made. */
  readonly type: "webhooks";
  /** The kind; for an own kind the hub. */
  readonly kind: K;
  /** The declared reads. */
  readonly reads: Reads<KubernetesObject>;
  /** The declared rights. */
  readonly permissions: readonly Permission[];
  /** For the compiler only: the declared reads, whose values `review()` needs. */
  readonly $reads?: R;
  /** Returns what an API server must know of these webhooks. For test environments; deployers use `webhookManifests`. */
  registration(env: RegistrationEnv): WebhookRegistration;
  /**
   * Answers a review that came to a path. For test environments; a server is `webhookServer`.
   * @throws an error with the status of HTTP as `status`
   */
  answer(path: string, review: unknown, env: CallEnv): Promise<object>;
}

/**
 * Declares the webhooks of a kind: functions that complete, refuse and convert its objects where they enter the cluster.
 * Nothing is registered before `webhookServer` and the manifests of `webhookManifests`.
 *
 * Of an own kind authors see one version, the hub: the API server converts objects of the other versions before. Status writes, objects that
 * are being deleted and updates that leave the spec as it was are not refused.
 *
 * @throws DefinitionError with all problems of the options, such as a version without conversion
 */
export function webhooks<K extends Kind, const R extends Reads<ObjectOf<K>> = {}, const Whole extends boolean = false>(
  kind: K,
  options: WebhooksOptions<K, R, Whole> & ConvertOption<K>,
): Webhooks<K, R> {
  const given = options as unknown as GivenOptions; // the settled form has the author's functions, for any kind
  const problems = definitionProblems(kind, given);
  if (problems.length > 0) throw new DefinitionError(`webhooks of ${kind === undefined ? "no kind" : groupKindOf(kind)}`, problems);
  const settled = settle(kind, given);
  return Object.freeze({
    ...settled,
    kind,
    registration: (env: RegistrationEnv) => registrationOf(settled, env),
    answer: (path: string, review: unknown, env: CallEnv) => answerCall(settled, path, review, env),
  });
}

/** Returns webhooks with all their options. */
export function settledOf(webhooks: Webhooks<Kind, unknown>): AnyWebhooks {
  return webhooks as Webhooks<Kind, unknown> & AnyWebhooks; // made by webhooks(), which adds to what settle() returned
}
