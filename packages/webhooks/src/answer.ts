/** Answers the calls of the API server: in the server, and in tests, in which no server listens. */
import type { TurnBudget } from "@treadle/apimachinery";
import { answerAdmission } from "./admission/answer.ts";
import { type CallEnv, CallError } from "./call.ts";
import { converterOf } from "./conversion/converter.ts";
import { conversionTurns, convertReview } from "./conversion/review.ts";
import { SeenReasons } from "./conversion/seen-reasons.ts";
import type { AnyWebhooks } from "./definition.ts";
import { type CallType, pathsOf } from "./paths.ts";

/** Answers a review. @throws CallError: 400 for what is no review of the kind, 500 for a function that throws */
export type Answer = (review: unknown, env: CallEnv) => Promise<object>;

/**
 * Returns the function that answers calls of a type.
 * @param turns how much one turn of the event loop converts
 */
export function answerOf(webhooks: AnyWebhooks, type: CallType, turns: TurnBudget = conversionTurns()): Answer {
  if (type !== "convert") return async (review, env) => await answerAdmission(webhooks, type, review, env);
  const converter = converterOf(webhooks);
  const seen = new SeenReasons();
  return async (review, env) => await convertReview(converter, review, { ...env, turns, seen });
}

/**
 * Answers the review that came to a path.
 * @throws CallError: 404 for a path that these webhooks do not have, and what {@link Answer} throws
 */
export async function answerCall(webhooks: AnyWebhooks, path: string, review: unknown, env: CallEnv): Promise<object> {
  const type = pathsOf(webhooks).get(path);
  if (type === undefined) throw new CallError(404, "ERR_UNKNOWN_PATH", `the webhooks of ${webhooks.kind.kind} have no path ${path}`);
  return await answerOf(webhooks, type)(review, env);
}
