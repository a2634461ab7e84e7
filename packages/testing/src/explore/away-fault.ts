/**
 * The fault `away`: no process runs from the end of one `settled()` of the scenario until the end of the next one, which does not
 * wait. The next process sees only the result of the user's actions.
 */
import type { RestartingOperator } from "./restarting-operator.ts";
import type { Point } from "./fault-point.ts";
import type { FaultInjector } from "./fault-injector.ts";

export class AwayFault {
  readonly #point: Point;
  readonly #injector: Pick<FaultInjector, "strike">;
  readonly #operator: Pick<RestartingOperator, "leave">;
  #asked = 0;
  #isAway = false;
  /** Number of waits that were followed by an action. */
  waits = 0;

  constructor(point: Point, injector: Pick<FaultInjector, "strike">, operator: Pick<RestartingOperator, "leave">) {
    this.#point = point;
    this.#injector = injector;
    this.#operator = operator;
  }

  /** Called when the operator is settled and the user goes on: ends the process if it is to be away. */
  begins(): void {
    const fault = this.#awayAt(this.#asked + 1);
    if (fault === undefined) return;
    this.#isAway = true;
    this.#injector.strike(
      fault,
      "the process ends while it is idle, and stays away until the user has called settled() without a wait and gone on",
    );
    this.#operator.leave();
  }

  /** Called when the scenario waits. Returns whether it must not wait. */
  skipsWait(): boolean {
    this.#asked++;
    return this.#isAway && this.#awayAt(this.#asked) !== undefined;
  }

  /** Called after an action of the user. */
  acted(): void {
    this.waits = this.#asked;
  }

  /** Ends the absence, because the user needs the operator or waits again. Returns whether the operator was away. */
  end(): boolean {
    const isAway = this.#isAway;
    this.#isAway = false;
    return isAway;
  }

  #awayAt(wait: number): Point[number] | undefined {
    return this.#point.find((one) => one.type === "away" && one.wait === wait);
  }
}
