/**
 * The time as the author's functions get it. It notes which of them asked for the time, because their answers may then change
 * although their inputs do not, and when they want to be asked again.
 */
import type { Clock } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";

/** How functions of an author used the time. */
export interface TimeUse {
  /** Whether they asked for the time. */
  readonly isTimed: boolean;
  /** When their answers change, in the clock's milliseconds; `Infinity`: never. `undefined`: they did not say. */
  readonly dueAtMs: number | undefined;
}

/** The time in one pass, for the functions of one unit. They are synchronous: each {@link take} is about those since the last one. */
export class Timing {
  readonly #clock: Pick<Clock, "now">;
  readonly #where: string;
  #isTimed = false;
  #dueAtMs: number | undefined;
  #vague: string | undefined;

  /** @param where names the unit in errors, e.g. `step "web"` */
  constructor(clock: Pick<Clock, "now">, where: string) {
    this.#clock = clock;
    this.#where = where;
  }

  /** Returns the time, in milliseconds since 1970. */
  readonly now = (): number => {
    this.#isTimed = true;
    return this.#clock.now();
  };

  /** Notes that an answer changes after so many milliseconds. @throws TypeError when `afterMs` is not a time */
  readonly revisit = (afterMs: number): void => {
    if (typeof afterMs !== "number" || !(afterMs >= 0))
      throw misuse(
        "ERR_INVALID_STEP",
        `${this.#where}: revisit: afterMs must be a number of milliseconds from 0, or Infinity, not ${String(afterMs)}`,
      );
    this.#dueAtMs = earlier(this.#dueAtMs, this.#clock.now() + afterMs);
  };

  /** The first function that asked for the time, and did not say when its answer changes. */
  get vague(): string | undefined {
    return this.#vague;
  }

  /** Returns what was noted since the last call, during a call of the function of this name; `undefined`: nothing. */
  take(called: string): TimeUse | undefined {
    if (!this.#isTimed && this.#dueAtMs === undefined) return undefined;
    if (this.#dueAtMs === undefined) this.#vague ??= called;
    const use = { isTimed: this.#isTimed, dueAtMs: this.#dueAtMs };
    this.#isTimed = false;
    this.#dueAtMs = undefined;
    return use;
  }
}

/** Whether functions that used the time in this way must be called again, whatever their inputs are. */
export function isToBeAsked(use: TimeUse | undefined, nowMs: number): boolean {
  return use !== undefined && (use.isTimed || (use.dueAtMs !== undefined && nowMs >= use.dueAtMs));
}

/** The earlier of two times, of which each may be missing. */
export function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}
