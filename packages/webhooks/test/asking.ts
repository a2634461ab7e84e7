/** Requests to webhooks, as the server asks them. */
import { expect } from "vitest";
import { answerAdmission } from "../src/admission/answer.ts";
import { CallError } from "../src/call.ts";
import { settledOf, webhooks, type Webhooks } from "../src/webhooks.ts";
import { type Answered, bodyFor, testEnv, type TestEnv, Website } from "./reviews.ts";

/** Webhooks in JavaScript: no type keeps an author from these. */
export const untyped = (options: object, of: object = Website): Webhooks =>
  webhooks(of as typeof Website, options as Parameters<typeof webhooks>[1] as never);

/** Returns the answer to a request. */
export async function answered(of: Webhooks, type: "mutate" | "validate", request: object, env: TestEnv = testEnv()): Promise<Answered> {
  const answer = (await answerAdmission(settledOf(of), type, bodyFor(of, request), env)) as { readonly response: Answered };
  return answer.response;
}

/** Returns the error of a request that fails. */
export async function failed(of: Webhooks, type: "mutate" | "validate", request: object, env: TestEnv = testEnv()): Promise<CallError> {
  const error: unknown = await answered(of, type, request, env).then(
    (answer) => expect.fail(`it answered ${JSON.stringify(answer)}`),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CallError);
  return error as CallError;
}
