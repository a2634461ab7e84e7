/**
 * A process that dies: from the chosen request on, nothing it does reaches the server or the outside world any more.
 * `after` lets the request be committed and loses the answer.
 */
import type { Harness } from "./harness.ts";

export interface Crash {
  /** Counts from 0 over the requests of all processes. */
  readonly at: number;
  readonly when: "before" | "after";
}

export interface Mortal {
  readonly isDead: boolean;
  /** Throws when the process is dead: every side effect asks first. */
  act(): void;
  /** A new process takes over. */
  restart(): void;
}

export function mortal(harness: Harness, crashes: readonly Crash[]): Mortal {
  let dead = false;
  let count = 0;
  const die = (): never => {
    dead = true;
    throw new Error("the process died");
  };
  harness.intercept = async (_request, send) => {
    if (dead) throw new Error("the process is dead");
    const crash = crashes.find(({ at }) => at === count);
    count++;
    if (crash?.when === "before") die();
    const answer = await send();
    if (crash?.when === "after") die();
    return answer;
  };
  return {
    get isDead() {
      return dead;
    },
    act: () => {
      if (dead) throw new Error("the process is dead");
    },
    restart: () => {
      dead = false;
    },
  };
}
