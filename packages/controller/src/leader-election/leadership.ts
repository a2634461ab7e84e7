/**
 * Whether this process may act for the operator. Passes write through clients of {@link leadersFence}, which send nothing without the
 * leadership, and abort writes that are under way when it ends.
 */
import type { Client } from "@treadle/client";

export interface Leadership {
  /** Whether this process leads now, whatever the last timer said. */
  readonly isLeading: boolean;
  /** Aborted at the end of the leadership, with the error that {@link require} throws. */
  readonly signal: AbortSignal;
  /** Throws unless this process leads. @throws ManagerError ERR_NOT_LEADER */
  require(): void;
}

interface Options {
  readonly signal?: AbortSignal;
  readonly beforeAttempt?: () => void;
}

/** Makes clients that check `leadership` before each attempt of a write. Reads are not checked. It keeps no client. */
export function leadersFence(leadership: Leadership): (client: Client) => Client {
  const writes = new Set<AbortController>();
  leadership.signal.addEventListener("abort", () => {
    for (const write of writes) write.abort(leadership.signal.reason);
  });

  async function write<O extends Options, T>(given: O | undefined, send: (options: O) => Promise<T>): Promise<T> {
    leadership.require();
    const ended = new AbortController();
    writes.add(ended);
    try {
      const signal = given?.signal === undefined ? ended.signal : AbortSignal.any([given.signal, ended.signal]);
      const beforeAttempt = (): void => {
        given?.beforeAttempt?.();
        leadership.require();
      };
      return await send({ ...given, signal, beforeAttempt } as unknown as O); // Options with two of their fields replaced.
    } finally {
      writes.delete(ended);
    }
  }

  return (client) => ({
    get: (kind, ref, options) => client.get(kind, ref, options),
    list: (kind, options) => client.list(kind, options),
    watch: (kind, options) => client.watch(kind, options),
    create: (kind, object, given) => write(given, (options) => client.create(kind, object, options)),
    update: (kind, object, given) => write(given, (options) => client.update(kind, object, options)),
    patch: (kind, ref, patch, given) => write(given, (options) => client.patch(kind, ref, patch, options)),
    apply: (kind, object, given) => write(given, (options) => client.apply(kind, object, options)),
    delete: (kind, ref, given) => write(given, (options) => client.delete(kind, ref, options)),
    raw: (request, about) =>
      request.method === "GET"
        ? client.raw(request, about)
        : write(request, ({ signal }) => client.raw({ ...request, ...(signal === undefined ? {} : { signal }) }, about)),
    close: () => client.close(),
  });
}
