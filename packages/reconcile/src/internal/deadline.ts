/**
 * Deadlines of phases. At its deadline the signal of a phase ends, its req is revoked, and the pass continues without it. A
 * synchronous phase costs neither a timer nor an AbortController.
 */
import type { Clock, Timer } from "@treadle/apimachinery";
import { ReconcileError } from "../errors.ts";

/** The time and the right to act of one phase of one step. */
export class Scope {
  #controller: AbortController | undefined;
  #revoked: Error | undefined;
  #failure: { readonly error: unknown } | undefined;
  #calls: Map<Promise<unknown>, string> | undefined;
  #exit: { readonly type: "wait" | "stop"; readonly reason: string } | undefined;
  #isOver = false;
  readonly #onRevoke: () => void;

  /** @param onRevoke is called before the signal ends: what listens to it must find nothing that it could still change. */
  constructor(onRevoke: () => void = () => undefined) {
    this.#onRevoke = onRevoke;
  }

  /** A signal that ends at the deadline or at shutdown, made at its first use. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#revoked !== undefined && !this.#controller.signal.aborted) this.#controller.abort(this.#revoked);
    return this.#controller.signal;
  }

  /** Notes that a guarded write of this phase failed. The phase has failed then, even if it continues. */
  fail(error: unknown): void {
    this.#failure ??= { error };
  }

  get failure(): { readonly error: unknown } | undefined {
    return this.#failure;
  }

  /** Notes a wait or a stop that the phase made and must return. Returns it. */
  made<R extends { readonly type: "wait" | "stop"; readonly reason: string }>(exit: R): R {
    this.#exit = exit;
    return exit;
  }

  /** The last wait or stop that the phase made. */
  get exit(): { readonly type: "wait" | "stop"; readonly reason: string } | undefined {
    return this.#exit;
  }

  /** Notes a call that the phase began, and that must end before the phase ends. */
  began<T>(what: string, call: Promise<T>): Promise<T> {
    const calls = (this.#calls ??= new Map<Promise<unknown>, string>());
    calls.set(call, what);
    const ended = (): void => void calls.delete(call);
    // Also keeps the rejection of a call without await from ending the process. The phase fails instead, and names the call.
    call.then(ended, ended);
    return call;
  }

  /** A call that is still running. */
  get openCall(): string | undefined {
    return this.#calls?.values().next().value;
  }

  get isRevoked(): boolean {
    return this.#revoked !== undefined;
  }

  /** Revokes the right to act; the signal ends with `reason`. */
  revoke(reason: Error): void {
    this.#revoked = reason;
    this.#onRevoke();
    this.#controller?.abort(reason);
  }

  /** Ends the phase and its right to act. The signal does not end, because handed over vars may use it. */
  end(): void {
    this.#isOver = true;
  }

  /** @throws ReconcileError ERR_REVOKED once the phase is over. */
  check(step: string): void {
    if (this.#revoked === undefined && !this.#isOver) return;
    const why =
      this.#revoked === undefined
        ? "its phase was over: await everything that a phase starts"
        : `the pass went on without it: ${this.#revoked.message}`;
    throw new ReconcileError("ERR_REVOKED", `step "${step}" used its req after ${why}`, {
      step,
      cause: this.#revoked,
    });
  }
}

/** The deadline of {@link withinDeadline}. */
export interface Deadline {
  readonly ms: number;
  /** The error of a phase that is too slow. */
  readonly exceeded: () => Error;
}

/**
 * Settles as `pending` does, unless the deadline or `signal` ends first. Then it revokes the scope and throws the reason. A later
 * rejection of `pending` is ignored, because the pass is over.
 */
export async function withinDeadline<T>(
  clock: Clock,
  pending: PromiseLike<T>,
  scope: Scope,
  given: { readonly deadline: Deadline; readonly signal: AbortSignal },
): Promise<T> {
  const { deadline, signal } = given;
  return await new Promise<T>((resolve, reject) => {
    const lose = (reason: Error): void => {
      settle();
      scope.revoke(reason);
      reject(reason);
    };
    const onAbort = (): void => lose(new Shutdown(signal.reason));
    const timer = clock.after(deadline.ms, () => lose(deadline.exceeded()));
    const settle = (): void => {
      timer.cancel();
      signal.removeEventListener("abort", onAbort);
    };
    pending.then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error);
      },
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener("abort", onAbort, { once: true });
  });
}

/** Returns whether `value` is a promise, or has its `then`. */
export function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** The error of a pass that a shutdown ended. It is not a failure. */
export class Shutdown extends Error {
  // The name by which everything that takes a signal recognises an abort.
  override readonly name = "AbortError";

  constructor(reason: unknown) {
    super("the operator is shutting down", { cause: reason });
  }
}

/** A signal that ends after `ms` at the latest. Signal and timer are made at the first use. */
export class Budget {
  readonly #clock: Clock;
  readonly #endsAtMs: number;
  readonly #exceeded: () => Error;
  readonly #parent: AbortSignal | undefined;
  #controller: AbortController | undefined;
  // Not one function that closes: V8 allocates a function that is assigned to a property as an old object. It would keep the pass in memory
  // until the next full collection.
  #timer: Timer | undefined;
  #onAbort: (() => void) | undefined;

  constructor(clock: Clock, ms: number, given: { readonly exceeded: () => Error; readonly parent?: AbortSignal }) {
    this.#clock = clock;
    this.#endsAtMs = clock.now() + ms;
    this.#exceeded = given.exceeded;
    this.#parent = given.parent;
  }

  /** The signal. Its timer starts at the first use, and counts from the construction. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      const onAbort = (): void => controller.abort(this.#parent?.reason);
      this.#timer = this.#clock.after(this.#endsAtMs - this.#clock.now(), () => controller.abort(this.#exceeded()));
      if (this.#parent?.aborted === true) onAbort();
      this.#parent?.addEventListener("abort", onAbort, { once: true });
      this.#controller = controller;
      this.#onAbort = onAbort;
    }
    return this.#controller.signal;
  }

  /** Cancels the timer and leaves the parent. The signal stays as it is. */
  close(): void {
    this.#timer?.cancel();
    if (this.#onAbort !== undefined) this.#parent?.removeEventListener("abort", this.#onAbort);
  }
}
