/** Looks at everything again, now and then: what no event told, and what somebody else forgot to tell. */
import type { Clock, KubernetesObject, Random, Timer } from "@treadle/apimachinery";
import { inSlices } from "../internal/time-slices.ts";

/** controller-runtime `SyncPeriod`. */
export const RESYNC_MS = 36_000_000;
/** Up to this share more or less, so that replicas and controllers do not come at once (controller-runtime). */
const JITTER = 0.1;

export interface ResyncOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly periodMs: number;
  readonly objects: () => readonly KubernetesObject[];
  readonly enqueue: (object: KubernetesObject) => void;
  readonly signal: AbortSignal;
}

/** Begins the first period; ends with the signal. Asks nothing of the server. */
export function startResync(options: ResyncOptions): void {
  const { clock, random, periodMs, objects, enqueue, signal } = options;
  let timer: Timer;
  const plan = (): void => {
    timer = clock.after(periodMs * (1 + JITTER * (2 * random.next() - 1)), () => {
      void inSlices(objects(), signal, enqueue);
      plan();
    });
  };
  plan();
  signal.addEventListener("abort", () => timer.cancel(), { once: true });
}
