/** Keeps a `follow` open until a signal is aborted, also where the server refuses it: rights may be granted later. */
import { type Clock, sleep } from "@treadle/apimachinery";
import { textOf } from "./error-text.ts";
import { pace } from "./pace.ts";

/** Resolves when the signal is aborted. Never rejects. */
export async function watchForever<E>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  watch: {
    readonly open: () => AsyncIterable<E>;
    readonly onEvent: (event: E) => void;
    /** Called when changes may have been missed. */
    readonly onGap: () => void;
    readonly onError: (text: string) => void;
  },
): Promise<void> {
  const failures = pace(clock);
  while (!signal.aborted) {
    try {
      for await (const event of watch.open()) {
        failures.reset();
        watch.onEvent(event);
      }
    } catch (error) {
      if (signal.aborted) return;
      failures.note(true);
      watch.onGap();
      watch.onError(textOf(error));
    }
    const pauseMs = failures.nextAtMs - clock.now();
    if (pauseMs > 0) await sleep(clock, pauseMs, signal).catch(() => undefined); // Of the signal; the loop sees it, too.
  }
}
