/** The client of a target as steps get it: its errors are branded, and it sends nothing while the target is away. */
import { isApiError } from "@treadle/apimachinery";
import { type CallOptions, type Client, intercept, isConnectionError } from "@treadle/client";
import { targetError } from "./target-error.ts";

/** Returns a client whose errors are branded. @param check called before each attempt; what it throws ends the call */
export function branded(client: Client, check: () => void): Client {
  const checked = <O extends CallOptions>(options: O | undefined): O => {
    const before = options?.beforeAttempt;
    const both = (): void => {
      before?.();
      check();
    };
    return { ...options, beforeAttempt: both } as O; // With all fields of the options.
  };
  return intercept(client, (next) => ({
    get: (kind, ref, options) => marked(next.get(kind, ref, checked(options))),
    list: (kind, options) => marked(next.list(kind, checked(options))),
    watch: (kind, options) => marked(next.watch(kind, checked(options))),
    create: (kind, object, options) => marked(next.create(kind, object, checked(options))),
    update: (kind, object, options) => marked(next.update(kind, object, checked(options))),
    patch: (kind, ref, patch, options) => marked(next.patch(kind, ref, patch, checked(options))),
    apply: (kind, object, options) => marked(next.apply(kind, object, checked(options))),
    delete: (kind, ref, options) => marked(next.delete(kind, ref, checked(options))),
    raw: (request, about) => marked(next.raw(request, about)),
    // The connection belongs to all owners.
    close: async () => undefined,
  }));
}

/** An aborted call rejects with the reason of its signal, which is no error of the target. */
async function marked<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw isOfClient(error) ? targetError(error) : error;
  }
}

function isOfClient(error: unknown): boolean {
  return isApiError(error) || isConnectionError(error);
}
