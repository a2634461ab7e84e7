/** The calls of webhooks for one write, each with the objects in its version. */
import { jsonEqual } from "@treadle/apimachinery";
import { goQuote, type JsonObject } from "../internal/json.ts";
import { objectAt } from "../internal/read.ts";
import { forbiddenError, internalError, StatusError } from "../errors/status-errors.ts";
import type { Outcome } from "../request/deliberation.ts";
import { resourceOf } from "../storage/registry.ts";
import type { Store } from "../storage/store.ts";
import { type Answer, optionsOf, readAnswer, reviewOf } from "./admission-review.ts";
import type { AdmittedCall } from "./admitted-write.ts";
import { caBundleProblem } from "./ca-bundle.ts";
import { conditionsHold } from "./conditions.ts";
import type { Wanted } from "./matching.ts";
import { MutatingPolicies } from "./mutating-policies.ts";
import { completed, patched } from "./patched-object.ts";
import { namesOf, rightsOf } from "./request-names.ts";
import { ChangingObjects, type Converter, FixedObjects } from "./shown-objects.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { WebhookError } from "./webhook-errors.ts";
import { type Invocation, invocationOf, type Webhook } from "./webhooks.ts";

/** The write that the webhooks see. */
export interface RoundOptions {
  readonly client: WebhookClient;
  readonly uid: () => string;
  readonly call: AdmittedCall;
  readonly wanted: Wanted;
  readonly isDryRun: boolean;
}

export class Rounds {
  readonly #options: RoundOptions;
  readonly #store: Store;
  readonly #warnings: string[] = [];

  constructor(options: RoundOptions) {
    this.#options = options;
    this.#store = options.call.parts.store;
  }

  /**
   * Runs the policies, and then calls the webhooks one after the other. A policy or webhook with `reinvocationPolicy: IfNeeded`
   * is asked a second time when a later one changed the object. A change in the second round can cause more calls.
   */
  async mutate(hooks: readonly Webhook[]): Promise<Outcome> {
    const { call, wanted, isDryRun } = this.#options;
    const converter = converterFor(this.#options);
    const objects = new ChangingObjects(converter, wanted);
    const policies = wanted.operation === "DELETE" ? undefined : new MutatingPolicies({ call, converter, isDryRun });
    const state: Reinvocation = { asked: new Set(), again: new Set(), output: undefined };
    try {
      for (const isFirst of [true, false]) {
        const isChanged = (await policies?.run(objects, !isFirst)) === true;
        // Policies that changed the object cause a second round of webhooks.
        if (!isFirst && !jsonEqual(state.output, (await objects.base()).object)) askAgain(state);
        const isChangedByHooks = await this.#call(hooks, objects, { state, isFirst });
        if (!isChanged && !isChangedByHooks) break;
      }
      const object = await objects.settle();
      return { warnings: this.#warnings, ...(object === undefined || jsonEqual(object, wanted.object) ? {} : { object }) };
    } catch (error) {
      return { warnings: this.#warnings, denial: denialOf(error) };
    }
  }

  /** Calls the webhooks of one round. Returns whether one of them changed the object. @throws StatusError */
  async #call(
    hooks: readonly Webhook[],
    objects: ChangingObjects,
    { state, isFirst }: { readonly state: Reinvocation; readonly isFirst: boolean },
  ): Promise<boolean> {
    let isChanged = false;
    for (const hook of hooks) {
      if (!isFirst && !state.again.has(hook.id)) continue;
      // An earlier webhook can have changed the labels.
      const invocation = invocationOf(this.#store, hook, objects.latest);
      if (invocation === undefined) continue;
      if (await this.#change(invocation, objects)) {
        isChanged = true;
        askAgain(state);
      }
      if (hook.isReinvoked) state.asked.add(hook.id);
    }
    state.output = await objects.settle();
    return isChanged;
  }

  /** Calls all webhooks at the same time. The first denial in their order counts. */
  async validate(hooks: readonly Webhook[]): Promise<Outcome> {
    const { wanted } = this.#options;
    const objects = new FixedObjects(converterFor(this.#options), wanted);
    try {
      const questions: (readonly [hook: Webhook, review: JsonObject])[] = [];
      for (const hook of hooks) {
        const invocation = invocationOf(this.#store, hook, wanted);
        if (invocation === undefined) continue;
        const shown = await objects.in(invocation.version).catch((error: unknown) => {
          throw internally(error);
        });
        const review = this.#question(invocation, shown);
        if (review !== undefined) questions.push([hook, review]);
      }
      const answers = await Promise.all(questions.map(([hook, review]) => this.#ask(hook, review).catch(denialOf)));
      for (const answer of answers) if (!(answer instanceof StatusError)) this.#warnings.push(...answer.warnings);
      const denials = answers.flatMap((answer) => (answer instanceof StatusError ? answer : (answer.denial ?? [])));
      return { warnings: this.#warnings, ...(denials[0] === undefined ? {} : { denial: denials[0] }) };
    } catch (error) {
      return { warnings: this.#warnings, denial: denialOf(error) };
    }
  }

  /** Calls a mutating webhook. Returns whether it changed the object. @throws StatusError */
  async #change(invocation: Invocation, objects: ChangingObjects): Promise<boolean> {
    const { hook, version } = invocation;
    // The real server wraps this error twice.
    const shown = await objects.in(version).catch((error: unknown) => {
      throw internally(internally(error));
    });
    const review = this.#question(invocation, shown);
    if (review === undefined) return false;
    const { warnings, denial, patch } = await this.#ask(hook, review);
    this.#warnings.push(...warnings);
    if (denial !== undefined) throw denial;
    if (patch === undefined || (Array.isArray(patch) && patch.length === 0)) return false;
    const { object, served } = shown;
    if (object === undefined) {
      const name = goQuote(hook.name);
      throw internalError(`admission webhook ${name} attempted to modify the object, which is not supported for this operation`);
    }
    const next = patched(object, patch);
    objects.change(shown.kind === undefined ? completed({ type: served.type, version }, next) : next);
    return !jsonEqual(next, object);
  }

  /** Returns the review for a webhook, or `undefined` when its `matchConditions` exclude the request. @throws StatusError */
  #question({ hook, version }: Invocation, shown: Wanted): JsonObject | undefined {
    const { uid, call, isDryRun } = this.#options;
    const context = { uid: uid(), user: call.user, isDryRun, options: optionsOf(shown.operation, call.query) };
    let review: JsonObject;
    try {
      review = reviewOf({ hook, version }, shown, context);
    } catch (error) {
      checkIgnored(hook, error);
      return undefined;
    }
    const { uid: _, object: __, oldObject: ___, ...request } = objectAt(review, "request");
    const holds = conditionsHold(
      hook.matchConditions,
      namesOf({
        object: shown.object,
        oldObject: shown.oldObject,
        request,
        rights: rightsOf(call.parts.access.authorizer, call.user, shown),
      }),
    );
    if (typeof holds !== "string") return holds ? review : undefined;
    if (hook.failsOpen) return undefined;
    throw forbiddenError(resourceOf(shown.served.type), shown.name, holds);
  }

  /** Returns the answer. It allows the request when the call failed and the webhook has `failurePolicy: Ignore`. @throws StatusError */
  async #ask(hook: Webhook, body: JsonObject): Promise<Answer> {
    try {
      return readAnswer(hook, body, await this.#post(hook, body));
    } catch (error) {
      checkIgnored(hook, error);
      return PASS;
    }
  }

  async #post({ clientConfig, timeoutSeconds }: Webhook, body: JsonObject): Promise<unknown> {
    const problem = caBundleProblem(clientConfig.caBundle ?? "");
    if (problem !== undefined) throw new WebhookError(`could not get REST client: ${problem}`);
    try {
      return await this.#options.client.post({ clientConfig, body, timeoutSeconds });
    } catch (error) {
      throw error instanceof WebhookError ? new WebhookError(`failed to call webhook: ${error.message}`) : error;
    }
  }
}

/** The webhooks that were asked and may be asked again, and those to ask in the second round. */
interface Reinvocation {
  readonly asked: Set<string>;
  readonly again: Set<string>;
  /** Object after the last round. */
  output: JsonObject | undefined;
}

function askAgain({ asked, again }: Reinvocation): void {
  for (const id of asked) again.add(id);
  asked.clear();
}

/** An object of another kind than that of the resource has one version. */
function converterFor({ call, wanted }: RoundOptions): Converter {
  return wanted.kind === undefined ? call.parts.conversions : { between: async (_, object) => object };
}

const PASS: Answer = { warnings: [] };

/** Throws unless the error is a failed call of a webhook with `failurePolicy: Ignore`. @throws StatusError 500 */
function checkIgnored(hook: Webhook, error: unknown): void {
  if (!(error instanceof WebhookError)) throw error;
  if (!hook.failsOpen) throw internalError(`failed calling webhook ${goQuote(hook.name)}: ${error.message}`);
}

function denialOf(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  throw error;
}

/** Returns a failed conversion as an internal error. No failure policy ignores it. */
function internally(error: unknown): unknown {
  return error instanceof StatusError ? internalError(error.status.message ?? "") : error;
}
