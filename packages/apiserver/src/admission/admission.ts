/**
 * Admission by webhooks and policies. Mutating policies come before mutating webhooks, validating ones before validating webhooks.
 *
 * All other work of a request is synchronous, so a request sees and leaves a consistent store. A call of a webhook takes
 * time. When an answer is missing, the request throws a {@link Suspension}, the webhook is called, and the request is handled
 * again from the start on the new store. An answer is valid only for the objects that the webhook saw. After another write
 * the webhooks are called again, as on the real server.
 */
import { objectIn } from "../crd/object-version.ts";
import { complete } from "../request/draft.ts";
import { cloneJson, type JsonObject } from "../internal/json.ts";
import { textAt } from "../internal/read.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { readMeta } from "../objects/object-meta.ts";
import { internalError } from "../errors/status-errors.ts";
import type { Draft } from "../storage/stored-object.ts";
import type { Wanted } from "./matching.ts";
import { optionsOf } from "./admission-review.ts";
import type { AdmittedCall, AdmittedPart, AdmittedWrite } from "./admitted-write.ts";
import { type Outcome, Suspension } from "../request/deliberation.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { askPolicies, type PolicyContext } from "./policies.ts";
import { hasPolicies, invocationsOf } from "./policy-invocations.ts";
import { rightsOf } from "./request-names.ts";
import { Rounds } from "./rounds.ts";
import { hasWebhooks, invocationOf, type Phase, webhooksOf } from "./webhooks.ts";

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
    // A Scale was validated as it is, see `validatePart`.
    if (write.subresource === "scale") return;
    askAll(call, wantedOf(call, write), write.isDryRun);
    this.#outcome(call, write, "validating");
  }

  /** As {@link mutate}, for an object of another kind than that of the resource. @throws Suspension, StatusError */
  mutatePart(call: AdmittedCall, part: AdmittedPart): JsonObject {
    return this.#asked(call, partWanted(call, part), { phase: "mutating", isDryRun: part.isDryRun })?.object ?? part.object;
  }

  /** As {@link validate}, for an object of another kind than that of the resource. @throws Suspension, StatusError */
  validatePart(call: AdmittedCall, part: AdmittedPart): void {
    const wanted = partWanted(call, part);
    askAll(call, wanted, part.isDryRun);
    this.#asked(call, wanted, { phase: "validating", isDryRun: part.isDryRun });
  }

  #outcome(call: AdmittedCall, write: AdmittedWrite, phase: Phase): Outcome | undefined {
    if (write.subresource === "scale") return undefined;
    return this.#asked(call, wantedOf(call, write), { phase, isDryRun: write.isDryRun });
  }

  #asked(
    call: AdmittedCall,
    wanted: Wanted,
    { phase, isDryRun }: { readonly phase: Phase; readonly isDryRun: boolean },
  ): Outcome | undefined {
    const { parts, deliberation } = call;
    // Writes of the server itself have no deliberation.
    if (deliberation === undefined) return undefined;
    const hooks = hasWebhooks(parts.store, phase) ? webhooksOf(parts.store, phase) : [];
    const matching = hooks.filter((hook) => invocationOf(parts.store, hook, wanted) !== undefined);
    const policies = phase === "mutating" && wanted.operation !== "DELETE" ? mutatingPolicies(parts, wanted) : [];
    if (matching.length === 0 && policies.length === 0) return undefined;
    const version = textAt(wanted.oldObject, "metadata", "resourceVersion");
    const key = JSON.stringify([phase, wanted.operation, wanted.name, version, matching.map(({ id }) => id), policies, wanted.object]);
    const known = deliberation.outcomes.get(key);
    if (known !== undefined) {
      call.warnings.push(...known.warnings);
      if (known.denial !== undefined) throw known.denial;
      return known;
    }
    const rounds = new Rounds({ client: this.#client, uid: this.#uid, call, wanted, isDryRun });
    const asked = phase === "mutating" ? rounds.mutate(hooks) : rounds.validate(hooks);
    throw new Suspension(asked.then((outcome) => void deliberation.outcomes.set(key, outcome)));
  }
}

/** Returns what tells the mutating policies for a request apart from others. */
function mutatingPolicies(parts: AdmittedCall["parts"], wanted: Wanted): readonly unknown[] {
  if (!hasPolicies(parts, "MutatingAdmissionPolicy")) return [];
  return invocationsOf(parts, "MutatingAdmissionPolicy", wanted).map((one) =>
    [one.policy, one.binding, ...("params" in one ? one.params : [])].map((object) => object?.metadata.resourceVersion),
  );
}

/** Asks the policies. @throws Suspension, StatusError */
function askAll(call: AdmittedCall, wanted: Wanted, isDryRun: boolean): void {
  const { parts, deliberation, query, user } = call;
  // Writes of the server itself have no deliberation.
  if (deliberation === undefined || !hasPolicies(parts, "ValidatingAdmissionPolicy")) return;
  const inVersion: PolicyContext["inVersion"] = (object, version) =>
    wanted.kind === undefined ? objectIn({ ...call, deliberation }, object, version) : object;
  const rights = rightsOf(parts.access.authorizer, user, wanted);
  const options = optionsOf(wanted.operation, query);
  const { warnings, denial } = askPolicies(parts, wanted, { user, isDryRun, options, rights, inVersion });
  call.warnings.push(...warnings);
  if (denial !== undefined) throw denial;
}

function wantedOf({ served, route }: AdmittedCall, { operation, draft, live, subresource }: AdmittedWrite): Wanted {
  const metadata: { readonly name?: string; readonly namespace?: string } = draft?.metadata ?? live?.metadata ?? {};
  // A deletion of a collection has no name.
  const name = route.name || (operation === "DELETE" ? "" : metadata.name) || "";
  // The namespace of a Namespace object is its own name.
  const namespace = served.type.id === "namespaces" ? name : (metadata.namespace ?? "");
  return { operation, served, subresource, namespace, name, object: draft, oldObject: live };
}

function partWanted({ served, route }: AdmittedCall, { operation, kind, object, oldObject }: AdmittedPart): Wanted {
  const { subresource, namespace, name } = route;
  return { operation, served, subresource, kind, namespace, name, object, oldObject };
}
