/** Queues every object periodically, to see changes that no event reported. */
import { type Clock, type KubernetesObject, type Random, type Timer, TurnBudget } from "@treadle/apimachinery";

/** controller-runtime `SyncPeriod`. */
export const RESYNC_MS = 36_000_000;
/** Maximum share by which a period is longer or shorter, so that replicas and controllers do not start together (controller-runtime). */
const JITTER = 0.1;
/** Number of objects that are queued in one turn of the event loop: they take some milliseconds. */
const MAX_IN_TURN = 1_000;

export interface ResyncOptions {
  readonly clock: Clock;
  readonly random: Random;
  readonly periodMs: number;
  readonly objects: () => readonly KubernetesObject[];
  readonly enqueue: (object: KubernetesObject) => void;
  readonly signal: AbortSignal;
}

/** Starts the first period; ends with the signal. Sends no request. */
export function startResync(options: ResyncOptions): void {
  const { clock, random, periodMs, objects, enqueue, signal } = options;
  const turn = new TurnBudget({ maxPieces: MAX_IN_TURN });
  let timer: Timer;
  const plan = (): void => {
    timer = clock.after(periodMs * (1 + JITTER * (2 * random.next() - 1)), () => {
      void turn.each(objects(), signal, enqueue);
      plan();
    });
  };
  plan();
  signal.addEventListener("abort", () => timer.cancel(), { once: true });
}
