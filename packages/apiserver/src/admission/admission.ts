/**
 * Admission by webhooks and policies.
 *
 * All other work of a request is synchronous, so a request sees and leaves a consistent store. A call of a webhook takes
 * time. When an answer is missing, the request throws a {@link Suspension}, the webhook is called, and the request is handled
 * again from the start on the new store. An answer is valid only for the objects that the webhook saw. After another write
 * the webhooks are called again, as on the real server.
 */
import { complete } from "../request/draft.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { readMeta } from "../objects/object-meta.ts";
import type { ServedVersion } from "../storage/registry.ts";
import { internalError, StatusError } from "../errors/status-errors.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Wanted } from "./matching.ts";
import { optionsOf } from "./admission-review.ts";
import type { AdmittedCall, AdmittedWrite } from "./admitted-write.ts";
import { type Deliberation, type Outcome, Suspension } from "../request/deliberation.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { askPolicies, hasPolicies, type PolicyContext } from "./policies.ts";
import { Rounds } from "./rounds.ts";
import { hasWebhooks, invocationOf, webhooksOf } from "./webhooks.ts";

export class Admission {
  readonly #client: WebhookClient;
  readonly #uid: () => string;

  constructor(client: WebhookClient, uid: () => string) {
    this.#client = client;
    this.#uid = uid;
  }

  /** Returns the object after all mutating webhooks. @throws Suspension, and StatusError when a webhook denies the request */
  mutate(call: AdmittedCall, write: AdmittedWrite & { readonly draft: Draft }): Draft {
    const outcome = this.#outcome(call, write, "mutating");
    if (outcome?.object === undefined) return write.draft;
    const object = cloneJson(outcome.object);
    try {
      if (!call.served.type.isCustom) return complete(call.served, object).draft;
      // As on the real server, unknown fields are pruned when the object is stored.
      if (call.deliberation !== undefined) call.deliberation.isAmended = true;
      return { ...object, metadata: readMeta(object["metadata"], []) } as Draft; // apiVersion and kind are those of the request
    } catch (error) {
      if (error instanceof MetaTypeError) throw internalError(error.describe(call.served.type));
      throw error;
    }
  }

  /**
   * Calls the policies and the validating webhooks. For a deletion it also calls the mutating webhooks, which cannot change
   * it. @throws Suspension, StatusError
   */
  validate(call: AdmittedCall, write: AdmittedWrite): void {
    if (write.draft === undefined) this.#outcome(call, write, "mutating");
    // Writes of the server itself have no deliberation.
    if (call.deliberation !== undefined && write.subresource !== "scale" && hasPolicies(call.parts)) {
      const wanted = wantedOf(call, write);
      const { deliberation } = call;
      const inVersion: PolicyContext["inVersion"] = (object, version) => shownIn(call, deliberation, { object, version });
      const context = { user: call.user, isDryRun: write.isDryRun, options: optionsOf(write.operation, call.query), inVersion };
      const { warnings, denial } = askPolicies(call.parts, wanted, context);
      call.warnings.push(...warnings);
      if (denial !== undefined) throw denial;
    }
    this.#outcome(call, write, "validating");
  }

  #outcome(call: AdmittedCall, write: AdmittedWrite, phase: "mutating" | "validating"): Outcome | undefined {
    const { parts, deliberation } = call;
    // The webhooks of an object do not expect a Scale.
    if (deliberation === undefined || write.subresource === "scale" || !hasWebhooks(parts.store, phase)) return undefined;
    const wanted = wantedOf(call, write);
    const hooks = webhooksOf(parts.store, phase);
    const matching = hooks.filter((hook) => invocationOf(parts.store, hook, wanted) !== undefined);
    if (matching.length === 0) return undefined;
    const version = write.live?.metadata.resourceVersion ?? "";
    const key = JSON.stringify([phase, write.operation, wanted.name, version, matching.map(({ id }) => id), write.draft]);
    const known = deliberation.outcomes.get(key);
    if (known !== undefined) {
      call.warnings.push(...known.warnings);
      if (known.denial !== undefined) throw known.denial;
      return known;
    }
    const rounds = new Rounds({ client: this.#client, uid: this.#uid, call, wanted, isDryRun: write.isDryRun });
    const asked = phase === "mutating" ? rounds.mutate(hooks) : rounds.validate(hooks);
    throw new Suspension(asked.then((outcome) => void deliberation.outcomes.set(key, outcome)));
  }
}

/** Returns an object in another version of its kind, or the failure of its conversion. @throws Suspension */
function shownIn(
  { served, parts }: AdmittedCall,
  { shown }: Deliberation,
  { object, version }: { readonly object: JsonObject; readonly version: ServedVersion },
): JsonObject | StatusError {
  if (object["apiVersion"] === version.apiVersion) return object;
  const key = JSON.stringify([version.apiVersion, object]);
  const known = shown.get(key);
  if (known !== undefined) return known;
  const asked = parts.conversions.between(served.type, object, version).catch((error: unknown) => {
    if (error instanceof StatusError) return error;
    throw error;
  });
  throw new Suspension(asked.then((result) => void shown.set(key, result)));
}

function wantedOf({ served, route }: AdmittedCall, { operation, draft, live, subresource }: AdmittedWrite): Wanted {
  const metadata: { readonly name?: string; readonly namespace?: string } = draft?.metadata ?? live?.metadata ?? {};
  // A deletion of a collection has no name.
  const name = route.name || (operation === "DELETE" ? "" : metadata.name) || "";
  // The namespace of a Namespace object is its own name.
  const namespace = served.type.id === "namespaces" ? name : (metadata.namespace ?? "");
  return { operation, served, subresource, namespace, name, object: draft, oldObject: live };
}
