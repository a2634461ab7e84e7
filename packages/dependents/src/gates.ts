/** Asks gates, and reports a gate that is not a pure function of its arguments. */
import type { Gate } from "@treadle/apimachinery";
import { misuse } from "@treadle/reconcile/unstable/engine";
import { called, nameOfAnswer } from "./core/ask.ts";

/** One gate, or a list of gates that must all hold. */
export type Gates<Args extends readonly unknown[]> = Gate<Args> | readonly Gate<Args>[];

/**
 * Decides whether all `gates` hold for `args`. "Not known" does not hold; no gates hold. Gates after one that does not hold are not
 * asked. `where` begins the messages: `step "web": when`.
 *
 * @throws TypeError for a gate that throws, or that returns anything but true, false and undefined
 */
export function holds<Args extends readonly unknown[]>(gates: Gates<Args> | undefined, args: Args, where: string): boolean {
  if (gates === undefined) return true;
  const list = typeof gates === "function" ? [gates] : gates;
  return list.every((gate) => {
    const answer: unknown = called(where, () => gate(...args));
    if (typeof answer === "boolean" || answer === undefined) return answer === true;
    throw misuse(
      "ERR_INVALID_STEP",
      `${where} returned ${nameOfAnswer(answer)}, but must return true, false or undefined: compute the answer from its arguments`,
    );
  });
}

/** Checks that `gates` can be asked. @throws TypeError for anything else than a function or a list of functions (untyped code) */
export function requireGates(gates: unknown, where: string): void {
  if (gates === undefined || typeof gates === "function") return;
  if (Array.isArray(gates) && gates.every((gate) => typeof gate === "function")) return;
  throw new TypeError(`${where} must be a function, or a list of functions`);
}
