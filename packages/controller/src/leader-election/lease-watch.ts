/** Watches one Lease, so that its release, deletion or acquisition is known immediately. */
import { type Clock, sleep } from "@treadle/apimachinery";
import { Lease } from "@treadle/apimachinery/kinds";
import type { Client } from "@treadle/client";

export interface LeaseWatchOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly ref: { readonly name: string; readonly namespace: string };
  /** Time after which a watch that ended is opened again, in milliseconds. */
  readonly retryMs: number;
  readonly onLease: (lease: Lease) => void;
  readonly onGone: (last: Lease) => void;
  /** Called when a watch cannot be opened, or breaks. Nothing is lost: the lease is also read periodically. */
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

/** Maximum time of a watch, in seconds: it ends a watch on a dead connection. */
const WATCH_SECONDS = 300;
