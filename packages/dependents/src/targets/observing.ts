/**
 * Read-your-own-writes in a target: the watches know each write of its client before its event arrives, so that the next pass reads it and
 * the event triggers no pass.
 */
import type { Kind, KubernetesObject, Ref } from "@treadle/apimachinery";
import { type Client, intercept, type WriteOptions } from "@treadle/client";
import type { Watches } from "./watches.ts";

/** Returns a client whose writes the watches of the connection know. */
export function observing(client: Client, watches: Watches): Client {
  /** Sends a write whose answer is the object. */
  const write = async <T>(
    kind: Kind,
    ref: Partial<Ref> | undefined,
    options: WriteOptions | undefined,
    send: () => Promise<T>,
  ): Promise<T> => {
    // The answers of other subresources are not the object, and a dry run stores nothing.
    if (options?.dryRun === true || (options?.subresource !== undefined && options.subresource !== "status")) return send();
    const done = ref?.name === undefined ? undefined : watches.expectWrite(kind, { ...ref, name: ref.name });
    try {
      const answer = await send();
      watches.observe(kind, answer as KubernetesObject); // The server answers with the object.
      return answer;
    } finally {
      done?.();
    }
  };
  return intercept(client, (next) => ({
    create: (kind, object, options) => write(kind, refIn(object), options, () => next.create(kind, object, options)),
    update: (kind, object, options) => write(kind, refIn(object), options, () => next.update(kind, object, options)),
    patch: (kind, ref, patch, options) => write(kind, ref, options, () => next.patch(kind, ref, patch, options)),
    apply: (kind, object, options) => write(kind, refIn(object), options, () => next.apply(kind, object, options)),
    delete: async (kind, ref, options) => {
      if (options?.dryRun === true) return next.delete(kind, ref, options);
      const done = watches.expectWrite(kind, ref);
      try {
        const deletion = await next.delete(kind, ref, options);
        if (deletion.type === "going") watches.observe(kind, deletion.object);
        else if (deletion.uid !== undefined) watches.observeDelete(kind, ref, deletion.uid);
        return deletion;
      } finally {
        done();
      }
    },
  }));
}

function refIn(object: unknown): Partial<Ref> | undefined {
  return (object as { readonly metadata?: Partial<Ref> }).metadata;
}
