/** Answers a call by its path: for tests, in which no server listens. */
import type { KubernetesObject } from "@treadle/apimachinery";
import { answerAdmission } from "./admission/answer.ts";
import { type CallEnv, CallError } from "./call.ts";
import { converterOf } from "./conversion/converter.ts";
import { convertReview } from "./conversion/review.ts";
import type { AnyWebhooks } from "./definition.ts";
import { callPath, callTypesOf } from "./paths.ts";

/** What the functions of authors need besides the request. The reads are those of the webhooks that are called. */
export interface OwnCallEnv extends Omit<CallEnv, "read"> {
  /** Returns the values of the declared reads for an object. */
  read(object: KubernetesObject, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
}

/**
 * Answers the review that came to a path.
 * @throws CallError: 404 for a path that these webhooks do not have, 400 for what is no review, 500 for a function that throws
 */
export async function answerCall(webhooks: AnyWebhooks, path: string, body: unknown, env: OwnCallEnv): Promise<object> {
  const callEnv: CallEnv = { ...env, read: (_, object, signal) => env.read(object, signal) };
  const type = callTypesOf(webhooks).find((each) => callPath(each, webhooks) === path);
  if (type === "convert") return await convertReview(converterOf(webhooks), body, callEnv);
  if (type !== undefined) return await answerAdmission(webhooks, type, body, callEnv);
  throw new CallError(404, "ERR_UNKNOWN_PATH", `the webhooks of ${webhooks.kind.kind} have no path ${path}`);
}
