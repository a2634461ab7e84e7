/** Virtual time that waits for the server: it moves on only when nothing is left to do at the moment that it has reached. */
import type { FakeClock } from "@treadle/apimachinery";

/** @param settle resolves when the server has done everything that is due now */
export function settlingClock(clock: FakeClock, settle: () => Promise<void>): FakeClock {
  return {
    now: () => clock.now(),
    after: (delayMs, run) => clock.after(delayMs, run),
    nextDue: () => clock.nextDue(),
    elapsed: () => clock.elapsed(),
    async advance(delayMs) {
      const target = clock.now() + delayMs;
      await clock.advance(0);
      for (;;) {
        await settle();
        const due = clock.nextDue();
        // Of what is no number of milliseconds the clock itself complains.
        if (due === undefined || !(due <= target)) break;
        await clock.advance(Math.max(0, due - clock.now()));
      }
      await clock.advance(Number.isFinite(delayMs) && delayMs >= 0 ? Math.max(0, target - clock.now()) : delayMs);
      await settle();
    },
  };
}
