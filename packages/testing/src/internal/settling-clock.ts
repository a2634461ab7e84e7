/** Virtual time that waits for the server: it moves on when the server has done everything that is due. */
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
        // The clock itself refuses an invalid number of milliseconds.
        if (due === undefined || !(due <= target)) break;
        await clock.advance(Math.max(0, due - clock.now()));
      }
      await clock.advance(Number.isFinite(delayMs) && delayMs >= 0 ? Math.max(0, target - clock.now()) : delayMs);
      await settle();
    },
  };
}
