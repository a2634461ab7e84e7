/**
 * How a user waits for the operator: where the scenario says so, or once not, because the operator is away. What the user
 * did meanwhile it never sees happen, only what came of it.
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
  /** Waits after which something was done. */
  waits = 0;

  constructor(point: Point, injector: Pick<FaultInjector, "strike">, operator: Pick<RestartingOperator, "leave">) {
    this.#point = point;
    this.#injector = injector;
    this.#operator = operator;
  }

  /** The operator is at rest, and the user goes on. */
  begins(): void {
    const fault = this.#awayAt(this.#asked + 1);
    if (fault === undefined) return;
    this.#isAway = true;
    this.#injector.strike(fault, "the process ends while it is at rest, and is away until the user has waited for it in vain and gone on");
    this.#operator.leave();
  }

  /** The scenario wants to wait. Returns whether that is in vain. */
  isInVain(): boolean {
    this.#asked++;
    return this.#isAway && this.#awayAt(this.#asked) !== undefined;
  }

  /** The user has done something. */
  acted(): void {
    this.waits = this.#asked;
  }

  /** Whether the operator is away, and has to come back now: the user cannot go on without it, or waits again. Once. */
  isCalled(): boolean {
    const isAway = this.#isAway;
    this.#isAway = false;
    return isAway;
  }

  #awayAt(wait: number): Point[number] | undefined {
    return this.#point.find((one) => one.type === "away" && one.wait === wait);
  }
}
