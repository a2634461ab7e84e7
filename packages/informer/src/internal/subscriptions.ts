/** The handlers of an informer. They are called one after another, and an error of one does not affect the others. */
import type { InformerEvent } from "../informer.ts";

type Handler<T> = (event: InformerEvent<T>) => void;

/** The subscribed handlers. */
export class Subscriptions<T> {
  readonly #onError: (error: unknown) => void;
  #all: readonly { readonly handler: Handler<T>; isActive: boolean }[] = [];
  #isClosed = false;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Delivers `present` objects to `handler`, then every event. Returns a function that unsubscribes. */
  add(handler: Handler<T>, present: Iterable<T>): () => void {
    const subscription = { handler, isActive: true };
    for (const object of present) this.#deliver({ type: "added", object, initial: true }, subscription);
    this.#all = [...this.#all, subscription];
    return () => {
      subscription.isActive = false;
      this.#all = this.#all.filter((other) => other !== subscription);
    };
  }

  /** Delivers an event to all handlers. */
  tell(event: InformerEvent<T>): void {
    for (const subscription of this.#all) this.#deliver(event, subscription);
  }

  /** Ends all deliveries. */
  close(): void {
    this.#isClosed = true;
  }

  #deliver(event: InformerEvent<T>, subscription: { readonly handler: Handler<T>; readonly isActive: boolean }): void {
    if (!subscription.isActive || this.#isClosed) return;
    try {
      // A rejection of a handler that is async by mistake must not end the process.
      const result: unknown = subscription.handler(event);
      if (result instanceof Promise) result.catch((error: unknown) => this.#onError(error));
    } catch (error) {
      this.#onError(error);
    }
  }
}
