/** A channel: the program itself starts passes, for example when a webhook calls it. */
import { keyOf, orAborted, type Ref } from "@treadle/apimachinery";
import type { Source, SourceEnv } from "./source.ts";

/** Options of {@link channel}. */
export interface ChannelOptions {
  /** The name in messages. @defaultValue "channel" */
  readonly name?: string;
  /** Maximum number of references that wait until passes begin. @defaultValue 1024 (controller-runtime) */
  readonly capacity?: number;
}

/**
 * A source that the program sends references to. Until passes begin, e.g. while this replica does not lead, each reference
 * waits once. After that the queue of the controller takes references immediately, because it holds each key once.
 */
export interface Channel extends Source {
  /**
   * Resolves when `ref` is accepted; waits while the channel is full. Rejects with the signal's reason, and when the manager
   * stops or has stopped.
   */
  send(ref: Ref, signal?: AbortSignal): Promise<void>;
  /** Accepts `ref`, or returns false where {@link send} would wait. */
  offer(ref: Ref): boolean;
  /** Number of references that wait for passes to begin. */
  readonly waiting: number;
}

/** Makes a channel for one controller. @throws RangeError for an invalid capacity */
export function channel({ name = "channel", capacity = 1024 }: ChannelOptions = {}): Channel {
  if (!(Number.isInteger(capacity) && capacity >= 1))
    throw new RangeError(`channel "${name}": capacity is ${capacity}: give a whole number from 1`);
  const buffer = new Map<string, Ref>();
  const senders = new Set<() => boolean>();
  let env: SourceEnv | undefined;
  let closed: AbortSignal | undefined;

  const settle = (): void => {
    for (const attempt of senders) attempt();
  };
  const offer = (ref: Ref): boolean => {
    if (closed?.aborted === true) return false;
    if (env !== undefined) env.enqueue(ref);
    else if (buffer.size < capacity || buffer.has(keyOf(ref))) buffer.set(keyOf(ref), ref);
    else return false;
    return true;
  };
  return {
    name,
    offer,
    get waiting() {
      return buffer.size;
    },
    async send(ref, signal) {
      signal?.throwIfAborted();
      closed?.throwIfAborted();
      if (offer(ref)) return;
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const attempt = (): boolean => {
        if (closed?.aborted === true) reject(closed.reason);
        else if (!offer(ref)) return false;
        resolve();
        return true;
      };
      senders.add(attempt);
      try {
        await orAborted(promise, signal);
      } finally {
        senders.delete(attempt);
      }
    },
    start(signal, given) {
      if (env !== undefined) throw new TypeError(`channel "${name}" feeds a controller already: make one for each`);
      env = given;
      closed = signal;
      for (const ref of buffer.values()) given.enqueue(ref);
      buffer.clear();
      signal.addEventListener("abort", settle, { once: true });
      settle();
    },
    close() {
      if (env !== undefined) return; // The signal ends it.
      closed = AbortSignal.abort(new Error("the manager has stopped, and never led"));
      buffer.clear();
      settle();
    },
  };
}
