/** What was added to a manager: handlers with the options of their controllers, and runnables. */
import type { AnyHandler } from "@treadle/reconcile";
import { isHandler } from "@treadle/reconcile/unstable/engine";
import type { ControllerOptions } from "../controller-options.ts";
import type { Runnable } from "../runnable.ts";
import { checkControllerOptions } from "./check-options.ts";
import { checkRunnable } from "./needs.ts";
import { checkAddable, requireCompatible } from "./compatibility.ts";

/** A handler, and the options of its controller. */
export interface Assignment {
  readonly handler: AnyHandler;
  readonly options: ControllerOptions;
}

/** Collects and checks what a program adds. */
export class Additions {
  readonly #assignments: Assignment[] = [];
  readonly #runnables: Runnable[] = [];

  /** Adds a handler or a runnable. @throws TypeError, RangeError, or ManagerError ERR_ADD_REFUSED with what is wrong and the fix */
  add(given: object, options: ControllerOptions<never>): void {
    checkAddable(given);
    if (!isHandler(given)) {
      checkRunnable(given);
      return void this.#runnables.push(given);
    }
    requireCompatible(given, this.handlers);
    checkControllerOptions(options, given.name);
    // The predicate is asked only about objects of the handler's kind.
    this.#assignments.push({ handler: given, options: options as ControllerOptions });
  }

  /** The handlers, in the order in which they were added. */
  get handlers(): readonly AnyHandler[] {
    return this.#assignments.map(({ handler }) => handler);
  }

  /** The handlers with the options of their controllers. */
  get assignments(): readonly Assignment[] {
    return this.#assignments;
  }

  /** The runnables, in the order in which they were added. */
  get runnables(): readonly Runnable[] {
    return this.#runnables;
  }
}
