/**
 * One call of an author's function for one review. It settles in every case: a function that throws, hangs or returns no JSON ends in a
 * CallError, and the process continues.
 */
import { orAborted, type KubernetesObject } from "@treadle/apimachinery";
import type { Logger } from "@treadle/reconcile";
import { Budget, errorFields, hidingLogger, isPromiseLike, statusMessage, withContext } from "@treadle/reconcile/unstable/engine";
import { type CallEnv, CallError, type CallErrorCode } from "../call.ts";
import type { AnyWebhooks } from "../definition.ts";
import { entryName } from "../paths.ts";
import type { Review } from "../types.ts";
import { isDenied } from "./deny.ts";
import { Hidden } from "./hidden.ts";
import type { AdmissionRequest } from "./request.ts";
import { Warnings } from "./warnings.ts";

/** The function of an author that a call asks. */
export type Part = "fill" | "problems";

/** How a function is asked. */
export interface AskOptions {
  /** Whether its warnings are dropped. */
  readonly isMuted?: boolean;
}

/** A call of one function: the request, its time, and what the function left behind. */
export class ReviewCall {
  readonly webhooks: AnyWebhooks;
  readonly request: AdmissionRequest;
  readonly part: Part;
  readonly warnings: Warnings = new Warnings((text) => this.hidden.values.hide(text));
  readonly hidden: Hidden;
  readonly #env: CallEnv;
  readonly #budget: Budget;
  readonly #log: Logger;
  #reads: Readonly<Record<string, unknown>> = {};
  #hasReadDryRun = false;
  #isReading = false;

  constructor(webhooks: AnyWebhooks, request: AdmissionRequest, part: Part, env: CallEnv) {
    this.webhooks = webhooks;
    this.request = request;
    this.part = part;
    this.#env = env;
    this.hidden = new Hidden(webhooks.kind, [request.object, request.old]);
    this.#log = hidingLogger(withContext(env.log, this.#fields()), this.hidden.values);
    // The API server must get the answer before it stops waiting. It waits less long when the client of the request does, or when
    // the configuration in the cluster is not the one of this program.
    const ms = Math.max(1, Math.floor(Math.min(webhooks.timeoutSeconds * 1_000, env.timeoutMs ?? Infinity) * 0.9));
    const exceeded = (): CallError => {
      if (this.#isReading)
        return this.failure(
          "ERR_READS_FAILED",
          `its reads have no values after ${ms} ms. /readyz/informers names caches that have not synced`,
        );
      return this.failure("ERR_DEADLINE", `${part} has not ended after ${ms} ms. Use review.signal, or raise timeoutSeconds`);
    };
    this.#budget = new Budget(env.clock, ms, { exceeded, parent: env.signal });
  }

  /** Fetches the values of the declared reads. Waits for the caches. @throws CallError */
  async read(): Promise<void> {
    if (Object.keys(this.webhooks.reads).length === 0) return;
    const { signal } = this.#budget;
    const what = "its reads have no values";
    this.#isReading = true;
    this.#reads = await this.#settled(() => this.#env.read(this.request.object, signal), what, "ERR_READS_FAILED");
    this.#isReading = false;
    this.hidden.note(this.#reads);
  }

  /** Calls the author's function with a review of `object`. @throws CallError, and what `deny()` threw */
  async ask<T>(
    run: (review: Review<KubernetesObject>) => T | PromiseLike<T>,
    object: KubernetesObject,
    options: AskOptions = {},
  ): Promise<T> {
    const review = this.#reviewOf(object, options.isMuted === true);
    return await this.#settled(() => run(review), `${this.part} failed`, "ERR_FUNCTION_FAILED");
  }

  /** Aborted at the deadline, and when the client has left. */
  get signal(): AbortSignal {
    return this.#budget.signal;
  }

  /** Whether the request is a dry run. {@link checkDryRun} then knows that the function looked. */
  readDryRun(): boolean {
    this.#hasReadDryRun = true;
    return this.request.isDryRun;
  }

  /** @throws CallError when a function with side effects accepted a dry run without a look at `isDryRun` */
  checkDryRun(): void {
    if (this.webhooks.sideEffects !== "NoneOnDryRun" || !this.request.isDryRun || this.#hasReadDryRun) return;
    const fix = "Skip side effects when review.isDryRun is true, or set sideEffects: None";
    throw this.failure(
      "ERR_DRY_RUN_NOT_READ",
      `${this.part} did not read isDryRun in a dry run, though sideEffects is NoneOnDryRun. ${fix}`,
    );
  }

  /** Returns the failure of this call. */
  failure(code: CallErrorCode, what: string, cause?: unknown): CallError {
    const message = `cannot ${this.part === "fill" ? "complete" : "check"} ${this.#what()}: ${what}`;
    return new CallError(500, code, message, cause === undefined ? undefined : { cause });
  }

  /** Logs why the call failed, once. A client that has left is no failure. */
  report(error: CallError): void {
    if (error.code === "ERR_ABORTED") return this.#log.debug({ code: error.code }, "review aborted");
    const { cause } = error;
    const { stack } = (cause === undefined ? {} : errorFields(cause)) as { readonly stack?: string };
    const fields = { code: error.code, error: error.message, ...(stack === undefined || this.hidden.isSecret ? {} : { stack }) };
    this.#log.error(fields, "review failed");
  }

  /** Ends the time of the call. Its signal stays as it is. */
  close(): void {
    this.#budget.close();
    this.warnings.close();
  }

  async #settled<T>(run: () => T | PromiseLike<T>, what: string, code: CallErrorCode): Promise<T> {
    try {
      const given = run();
      return isPromiseLike(given) ? await orAborted(Promise.resolve(given as PromiseLike<T>), this.#budget.signal) : given;
    } catch (error) {
      if (isDenied(error)) throw error;
      if (this.#env.signal.aborted) throw this.failure("ERR_ABORTED", "the client has left");
      // What a function throws after its deadline follows from the deadline.
      if (this.#budget.signal.aborted) throw this.#budget.signal.reason;
      throw this.failure(code, `${what}: ${this.#textOf(error)}${this.#hint(error)}`, error);
    }
  }

  #textOf(error: unknown): string {
    const name = nameOf(error);
    if (this.hidden.isSecret) return `${name}, whose message is left out: it may contain values of the ${this.webhooks.kind.kind}`;
    // Before statusMessage() cuts the text: a part of a secret could not be found.
    const { values } = this.hidden;
    const shown = isError(error) ? values.hideInError(error) : typeof error === "string" ? values.hide(error) : error;
    return `${name}: ${values.hide(statusMessage(shown))}`;
  }

  /** What to do about a write to a frozen object. */
  #hint(error: unknown): string {
    if (!isError(error) || !(error instanceof TypeError) || !/read.only|not extensible|Cannot delete property/.test(error.message))
      return "";
    const fix = this.part === "fill" ? "fill changes its first argument, the draft" : "problems changes nothing";
    return `. The objects of a review cannot be changed: ${fix}`;
  }

  #what(): string {
    const { name, namespace, object, subresource } = this.request;
    const shown = name || object.metadata.name || `${object.metadata.generateName ?? ""}*`;
    const key = namespace === "" ? shown : `${namespace}/${shown}`;
    return `${this.webhooks.kind.kind} ${key}${subresource === "" ? "" : ` (${subresource})`}`;
  }

  #fields(): Readonly<Record<string, unknown>> {
    const { uid, operation, user } = this.request;
    return { webhook: entryName(this.webhooks), function: this.part, operation, object: this.#what(), user: user.username, uid };
  }

  #reviewOf(object: KubernetesObject, isMuted: boolean): Review<KubernetesObject> {
    const { old, operation, user, subresource, options } = this.request;
    const review: Omit<Review<KubernetesObject>, keyof typeof GETTERS> = {
      object,
      old,
      operation,
      user,
      subresource,
      options,
      reads: this.#reads as Review<KubernetesObject>["reads"], // typed by the author's declaration
      client: this.#env.client,
      log: this.#log,
      warn: (text) => (isMuted ? undefined : this.warnings.add(text)),
      now: () => this.#env.clock.now(),
    };
    Object.defineProperty(review, CALL, { value: this });
    return Object.defineProperties(review, GETTERS) as Review<KubernetesObject>; // the rest and the getters
  }
}

const CALL = Symbol("call");

interface OfCall {
  readonly [CALL]: ReviewCall;
}

/**
 * The getters of every review. V8 allocates the getters that one object defines for itself as old objects: they would keep the review in
 * memory until the next full collection, and each scavenge would copy it.
 */
const GETTERS = {
  isDryRun: {
    enumerable: true,
    get(this: OfCall) {
      return this[CALL].readDryRun();
    },
  },
  signal: {
    enumerable: true,
    get(this: OfCall) {
      return this[CALL].signal;
    },
  },
} satisfies PropertyDescriptorMap;

function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? error.name : `a value of type ${typeof error}`;
  } catch {
    return "an error that cannot be shown"; // a Proxy may have traps
  }
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error;
  } catch {
    return false; // a Proxy may have traps
  }
}
