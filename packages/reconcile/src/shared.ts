/**
 * Shared values belong to the operator, and not to one of its objects: connections and limits that extensions keep for all handlers.
 *
 * Guarantees
 * - A value is made once for each key, at its first use. If `make` throws, nothing is kept, and the next use calls it again.
 * - A value with `[Symbol.asyncDispose]` is disposed of once, when the operator ends. One that fails does not stop the others.
 * - Nothing is made after that, so no value outlives the operator.
 *
 * Caveats: a value is in the memory of the process. Another replica has its own, and a restart begins without any.
 */
import { describe } from "./internal/redact.ts";

/** Shared keeps the values that the extensions of an operator share, by their keys. */
export class Shared implements AsyncDisposable {
  readonly #values = new Map<object, object>();
  #ending: Promise<void> | undefined;

  /**
   * Returns the value of `key`. Keys are compared by identity.
   * @throws Error after the end of the operator; what `make` throws
   */
  get<V extends object>(key: object, make: () => V): V {
    if (this.#ending !== undefined) throw new Error("the operator has ended: it has disposed of the values that its handlers share");
    let value = this.#values.get(key) as V | undefined; // Only this method adds values, each of its key's type.
    if (value === undefined) this.#values.set(key, (value = make()));
    return value;
  }

  /** Disposes of all values, at the same time. @throws the error of a value, or an AggregateError of several */
  [Symbol.asyncDispose](): Promise<void> {
    return (this.#ending ??= this.#end());
  }

  async #end(): Promise<void> {
    const values = [...this.#values.values()];
    this.#values.clear();
    const ended = await Promise.allSettled(values.map(disposed));
    const errors = ended.flatMap((one) => (one.status === "rejected" ? [one.reason as unknown] : []));
    if (errors.length === 1) throw errors[0];
    if (errors.length > 1)
      throw new AggregateError(errors, `${errors.length} shared values could not be disposed of: ${errors.map(describe).join("; ")}`);
  }
}

/** Asynchronous, so that a method that throws at once rejects as well. */
async function disposed(value: Partial<AsyncDisposable>): Promise<void> {
  await value[Symbol.asyncDispose]?.();
}
