/**
 * The leadership of a manager whose host decides when it works. There is no lease: the host lets one process after the other lead. It ends
 * with the manager.
 */
import { ManagerError } from "../manager-error.ts";
import type { Elected } from "./election.ts";

/** Makes the leadership. `onChange` is called when it begins. */
export function handedLeadership(leads: Promise<void>, onChange: () => void): Elected {
  const ended = new AbortController();
  let hasBegun = false;
  const end = async (): Promise<void> => ended.abort(new ManagerError("ERR_NOT_LEADER", "this process is stopping: nothing is written"));
  const isLeading = (): boolean => hasBegun && !ended.signal.aborted;
  return {
    start(onElected) {
      // The host decides, and has no error for the manager.
      void leads.then(() => {
        if (ended.signal.aborted) return;
        hasBegun = true;
        onElected();
        onChange();
      });
    },
    get isLeading() {
      return isLeading();
    },
    lost: undefined,
    signal: ended.signal,
    require() {
      if (!isLeading()) throw new ManagerError("ERR_NOT_LEADER", "this process does not lead: nothing is written");
    },
    holder: undefined,
    problem: undefined,
    release: end,
    abandon: end,
  };
}
