/** Joins the two observers of a phase: the monitor of the event loop, and tracing. */
import type { PhaseWatch } from "@treadle/reconcile/unstable/engine";

/** Makes one observer of two. */
export function bothObservers(first: PhaseWatch | undefined, second: PhaseWatch | undefined): PhaseWatch | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  const [inner, outer] = [first.run, second.run];
  const run = inner === undefined || outer === undefined ? (inner ?? outer) : <T>(work: () => T): T => outer(() => inner(work));
  return {
    ...(run === undefined ? {} : { run }),
    returned() {
      first.returned();
      second.returned();
    },
    ended(how) {
      first.ended(how);
      second.ended(how);
    },
  };
}
