/** The handlers of an informer: called one after another, and none of them can disturb another. */
import type { InformerEvent } from "../informer.ts";

type Handler<T> = (event: InformerEvent<T>) => void;

export class Subscriptions<T> {
  readonly #onError: (error: unknown) => void;
  #all: readonly { readonly handler: Handler<T>; isActive: boolean }[] = [];
  #isClosed = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Tells `handler` of what is `present`, then of every event. Returns the way to unsubscribe. */
  add(handler: Handler<T>, present: Iterable<T>): () => void {
    const subscription = { handler, isActive: true };
    for (const object of present) this.#deliver({ type: "added", object, initial: true }, subscription);
    this.#all = [...this.#all, subscription];
    return () => {
      subscription.isActive = false;
      this.#all = this.#all.filter((other) => other !== subscription);
    };
  }

  tell(event: InformerEvent<T>): void {
    for (const subscription of this.#all) this.#deliver(event, subscription);
  }

  /** Nothing is told any more. */
  close(): void {
    this.#isClosed = true;
  }

  #deliver(event: InformerEvent<T>, subscription: { readonly handler: Handler<T>; readonly isActive: boolean }): void {
    if (!subscription.isActive || this.#isClosed) return;
    try {
      // A handler that is async by mistake must not end the process when it rejects.
      const result: unknown = subscription.handler(event);
      if (result instanceof Promise) result.catch((error: unknown) => this.#onError(error));
    } catch (error) {
      this.#onError(error);
    }
  }
}
