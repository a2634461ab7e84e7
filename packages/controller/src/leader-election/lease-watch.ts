/** Watches one Lease, for as long as it takes: that a lease was released, deleted or taken is known at once. */
import { type Clock, sleep } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";

export interface LeaseWatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ref: { readonly name: string; readonly namespace: string };
  /** A watch that ended is begun anew after so long. */
  readonly retryMs: number;
  readonly onLease: (lease: Lease) => void;
  readonly onGone: (last: Lease) => void;
  /** Why a watch could not be opened, or broke. Nothing is lost by that: the lease is looked at now and then. */
  readonly onError: (error: unknown) => void;
  readonly signal: AbortSignal;
}

/** Resolves when the signal is aborted. Never rejects. */
export async function watchLease(options: LeaseWatchOptions): Promise<void> {
  const { clock, retryMs, onError, signal } = options;
  while (!signal.aborted) {
    try {
      await watchOnce(options);
    } catch (error) {
      if (!signal.aborted) onError(error);
    }
    await sleep(clock, retryMs, signal).catch(() => undefined); // Of the signal; the loop sees it, too.
  }
}

async function watchOnce({ client, ref, onLease, onGone, signal }: LeaseWatchOptions): Promise<void> {
  const { name, namespace } = ref;
  const fieldSelector = `metadata.name=${name}`;
  const events = await client.watch(Lease, { namespace, fieldSelector, timeoutSeconds: WATCH_SECONDS, retry: false, signal });
  for await (const event of events) {
    if (event.type === "ERROR") return;
    if (event.type === "DELETED") onGone(event.object);
    else if (event.type !== "BOOKMARK") onLease(event.object);
  }
}

/** A watch that a dead connection keeps open ends by this, at the latest. */
const WATCH_SECONDS = 300;
