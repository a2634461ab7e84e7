/** Several watches of one phase as one: whoever looks for blocked loops, and whoever traces. */
import type { PhaseWatch } from "@treadle/reconcile";

export function joined(first: PhaseWatch | undefined, second: PhaseWatch | undefined): PhaseWatch | undefined {
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
