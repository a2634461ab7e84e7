/** A renderer that has no answer. */
import { isConditionReason } from "@treadle/apimachinery";
import { shownAnswer } from "../../core/ask.ts";
import { causeIn } from "./causes.ts";

/** Options of {@link NoAnswer}. */
export interface NoAnswerOptions extends ErrorOptions {
  /**
   * When the renderer is called again although its inputs are the same: with the backoff of failed passes, after so many milliseconds, or
   * only by an event. @defaultValue "backoff"
   */
  readonly retry?: "backoff" | "never" | number;
}

/**
 * Thrown by a renderer that has no answer at present, such as without the program that computes it. Nothing is applied and nothing is
 * removed, drift of existing objects stays, and the condition of the set is False with the reason. With the retry "backoff" the pass
 * fails, otherwise it waits.
 */
export class NoAnswer extends Error {
  /** The name of the class. */
  override readonly name: string = "NoAnswer";
  /** The reason of the condition: one CamelCase word. */
  readonly reason: string;
  /** When the renderer is called again. */
  readonly retry: "backoff" | "never" | number;

  /** @throws TypeError for a reason or a time that the pass could not report */
  constructor(reason: string, message: string, { retry = "backoff", ...options }: NoAnswerOptions = {}) {
    super(message, options);
    if (typeof reason !== "string" || !isConditionReason(reason))
      throw new TypeError(`NoAnswer: the reason ${shownAnswer(reason)} is not a CamelCase word: write one, such as "PluginUnavailable"`);
    if (retry !== "backoff" && retry !== "never" && !(typeof retry === "number" && retry >= 0 && Number.isFinite(retry)))
      throw new TypeError(`NoAnswer: retry must be "backoff", "never" or a number of milliseconds from 0, not ${String(retry)}`);
    this.reason = reason;
    this.retry = retry;
    Object.defineProperty(this, NO_ANSWER, { value: true });
  }
}

const NO_ANSWER: symbol = Symbol.for("treadle.dependents.NoAnswer");

/** Returns the {@link NoAnswer} that is the error or one of its causes. */
export function noAnswerIn(error: unknown): NoAnswer | undefined {
  return causeIn(error, isNoAnswer);
}

/** Errors of other copies of the package count as well. */
function isNoAnswer(error: unknown): error is NoAnswer {
  return typeof error === "object" && error !== null && NO_ANSWER in error;
}
