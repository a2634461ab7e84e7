/**
 * Admission by webhooks and policies.
 *
 * All other work of a request is synchronous, so a request sees and leaves a consistent store. A call of a webhook takes
 * time. When an answer is missing, the request throws a {@link Suspension}, the webhook is called, and the request is handled
 * again from the start on the new store. An answer is valid only for the objects that the webhook saw. After another write
 * the webhooks are called again, as on the real server.
 */
import { jsonEqual } from "@treadle/apimachinery";
import type { UserInfo } from "../authorization/identity.ts";
import type { ResourceRoute } from "../request/routes.ts";
import { complete } from "../request/draft.ts";
import { cloneJson, goQuote, isObject, type JsonObject, valueAt } from "../internal/json.ts";
import { listAt } from "../internal/read.ts";
import { objectAt } from "../internal/read.ts";
import { MetaTypeError } from "../errors/meta-type-error.ts";
import { type Registry, resourceOf, type Served } from "../storage/registry.ts";
import { forbiddenError, internalError, StatusError } from "../errors/status-errors.ts";
import type { Store } from "../storage/store.ts";
import type { Draft, StoredObject } from "../storage/stored-object.ts";
import { readPatch } from "../patch/patch-body.ts";
import { conditionsHold } from "./conditions.ts";
import { namesOf } from "./expressions.ts";
import type { Operation, Wanted } from "./matching.ts";
import { type Answer, readAnswer, reviewOf } from "./admission-review.ts";
import { type Deliberation, type Outcome, Suspension } from "../request/deliberation.ts";
import { type WebhookClient, WebhookError } from "./webhook-client.ts";
import { askPolicies, hasPolicies } from "./policies.ts";
import { hasWebhooks, type Invocation, invocationOf, type Webhook, webhooksOf } from "./webhooks.ts";

/** The part of a request that admission needs. */
export interface AdmittedCall {
  readonly parts: { readonly store: Store; readonly registry: Registry };
  readonly user: UserInfo;
  readonly route: ResourceRoute;
  readonly query: URLSearchParams;
  readonly served: Served;
  readonly warnings: string[];
  /** Absent for writes of the server itself. */
  readonly deliberation?: Deliberation | undefined;
}

export interface AdmittedWrite {
  readonly operation: Operation;
  /** Absent for a deletion. */
  readonly draft: Draft | undefined;
  readonly live: StoredObject | undefined;
  readonly subresource: string;
  readonly isDryRun: boolean;
}

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
    try {
      return complete(call.served, cloneJson(outcome.object)).draft;
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
      const context = { user: call.user, isDryRun: write.isDryRun, options: optionsOf(write.operation, call.query) };
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
    const invocations = webhooksOf(parts.store, phase).flatMap((hook) => invocationOf(parts.store, hook, wanted) ?? []);
    if (invocations.length === 0) return undefined;
    const version = write.live?.metadata.resourceVersion ?? "";
    const key = JSON.stringify([phase, write.operation, wanted.name, version, invocations.map(({ hook }) => hook.id), write.draft]);
    const known = deliberation.outcomes.get(key);
    if (known !== undefined) {
      call.warnings.push(...known.warnings);
      if (known.denial !== undefined) throw known.denial;
      return known;
    }
    const rounds = new Rounds(this.#client, this.#uid, call, { wanted, isDryRun: write.isDryRun });
    const asked = phase === "mutating" ? rounds.mutate(invocations) : rounds.validate(invocations);
    throw new Suspension(asked.then((outcome) => void deliberation.outcomes.set(key, outcome)));
  }
}

/** The calls of webhooks for one write. */
class Rounds {
  readonly #client: WebhookClient;
  readonly #uid: () => string;
  readonly #call: AdmittedCall;
  readonly #isDryRun: boolean;
  readonly #warnings: string[] = [];
  #wanted: Wanted;

  constructor(
    client: WebhookClient,
    uid: () => string,
    call: AdmittedCall,
    { wanted, isDryRun }: { readonly wanted: Wanted; readonly isDryRun: boolean },
  ) {
    this.#client = client;
    this.#uid = uid;
    this.#call = call;
    this.#wanted = wanted;
    this.#isDryRun = isDryRun;
  }

  /**
   * Calls the webhooks one after the other. A webhook with `reinvocationPolicy: IfNeeded` is called a second time when a
   * later webhook changed the object. A change in the second round can cause more calls.
   */
  async mutate(invocations: readonly Invocation[]): Promise<Outcome> {
    const before = this.#wanted.object;
    const asked = new Set<string>();
    const again = new Set<string>();
    for (const isFirst of [true, false]) {
      for (const invocation of invocations) {
        const { id, isReinvoked } = invocation.hook;
        if (!isFirst && !again.has(id)) continue;
        const { object: shown } = this.#wanted;
        const denial = await this.#change(invocation);
        if (denial !== undefined) return { warnings: this.#warnings, denial };
        if (this.#wanted.object !== shown) {
          for (const other of asked) again.add(other);
          asked.clear();
        }
        if (isReinvoked) asked.add(id);
      }
    }
    const { object } = this.#wanted;
    return { warnings: this.#warnings, ...(object === undefined || object === before ? {} : { object }) };
  }

  /** Calls all webhooks at the same time. The first denial in their order counts. */
  async validate(invocations: readonly Invocation[]): Promise<Outcome> {
    const answers = await Promise.all(invocations.map((invocation) => this.#ask(invocation)));
    for (const answer of answers) if (!(answer instanceof StatusError)) this.#warnings.push(...answer.warnings);
    const denials = answers.flatMap((answer) => (answer instanceof StatusError ? answer : (answer.denial ?? [])));
    return { warnings: this.#warnings, ...(denials[0] === undefined ? {} : { denial: denials[0] }) };
  }

  async #change(invocation: Invocation): Promise<StatusError | undefined> {
    const answer = await this.#ask(invocation);
    if (answer instanceof StatusError) return answer;
    this.#warnings.push(...answer.warnings);
    if (answer.denial !== undefined) return answer.denial;
    if (answer.patch === undefined || (Array.isArray(answer.patch) && answer.patch.length === 0)) return undefined;
    const { object, served } = this.#wanted;
    if (object === undefined) {
      const name = goQuote(invocation.hook.name);
      return internalError(`admission webhook ${name} attempted to modify the object, which is not supported for this operation`);
    }
    try {
      const shown = { ...object, apiVersion: invocation.version.apiVersion };
      const patched = readPatch("application/json-patch+json", answer.patch)(shown);
      if (!isObject(patched)) return internalError("the patch of a webhook left no object");
      const next = { ...patched, kind: served.type.kind, apiVersion: served.version.apiVersion };
      if (!jsonEqual(next, object)) this.#wanted = { ...this.#wanted, object: next };
      return undefined;
    } catch (error) {
      return internalError(patchProblem(answer.patch, object) ?? (error instanceof Error ? error.message : String(error)));
    }
  }

  /** Returns the answer. It allows the request when the call failed and the webhook has `failurePolicy: Ignore`. */
  async #ask(invocation: Invocation): Promise<Answer | StatusError> {
    const { hook } = invocation;
    try {
      const { user, query } = this.#call;
      const context = { uid: this.#uid(), user, isDryRun: this.#isDryRun, options: optionsOf(this.#wanted.operation, query) };
      const review = reviewOf(invocation, this.#wanted, context);
      const { object, oldObject, ...request } = objectAt(review, "request");
      const holds = conditionsHold(hook.matchConditions, namesOf({ object, oldObject, request }));
      if (typeof holds === "string")
        return hook.failsOpen ? PASS : forbiddenError(resourceOf(this.#wanted.served.type), this.#wanted.name, holds);
      if (!holds) return PASS;
      return readAnswer(hook, review, await this.#post(hook, review));
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error;
      return hook.failsOpen ? PASS : internalError(`failed calling webhook ${goQuote(hook.name)}: ${error.message}`);
    }
  }

  async #post(hook: Webhook, body: JsonObject): Promise<unknown> {
    const { clientConfig, timeoutSeconds } = hook;
    try {
      return await this.#client.post({ clientConfig, body, timeoutSeconds });
    } catch (error) {
      throw error instanceof WebhookError ? new WebhookError(`failed to call webhook: ${error.message}`) : error;
    }
  }
}

/** Returns the text of Go's JSON patch library for a removed field that does not exist. */
function patchProblem(patch: unknown, object: JsonObject): string | undefined {
  for (const operation of listAt(patch)) {
    const { op, path } = operation;
    if (op !== "remove" || typeof path !== "string") continue;
    const fields = path
      .slice(1)
      .split("/")
      .map((one) => one.replaceAll("~1", "/").replaceAll("~0", "~"));
    if (valueAt(object, fields) !== undefined) continue;
    return `error in remove for path: '${path}': Unable to remove nonexistent key: ${fields.at(-1)}: missing value`;
  }
  return undefined;
}

const PASS: Answer = { warnings: [] };

function wantedOf({ served, route }: AdmittedCall, { operation, draft, live, subresource }: AdmittedWrite): Wanted {
  const metadata: { readonly name?: string; readonly namespace?: string } = draft?.metadata ?? live?.metadata ?? {};
  // A deletion of a collection has no name.
  const name = route.name || (operation === "DELETE" ? "" : metadata.name) || "";
  // The namespace of a Namespace object is its own name.
  const namespace = served.type.id === "namespaces" ? name : (metadata.namespace ?? "");
  return { operation, served, subresource, namespace, name, object: draft, oldObject: live };
}

const OPTIONS: Readonly<Record<Operation, string>> = { CREATE: "CreateOptions", UPDATE: "UpdateOptions", DELETE: "DeleteOptions" };

function optionsOf(operation: Operation, query: URLSearchParams): JsonObject {
  const dryRun = query.getAll("dryRun");
  const given = ["fieldManager", "fieldValidation"].flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
  return {
    kind: OPTIONS[operation],
    apiVersion: "meta.k8s.io/v1",
    ...(operation === "DELETE" ? {} : Object.fromEntries(given)),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}
