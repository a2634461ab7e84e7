/**
 * Answers one admission review: reads it, asks the author's function, and writes the answer.
 *
 * Guarantees: it settles within nine tenths of the timeout, whatever the function does. A refusal is an answer with `allowed: false`. What
 * throws is a CallError, so that the failurePolicy of the configuration decides. A failure of a function is logged here, once.
 */
import { applyJsonPatch, groupKindOf, type JsonPatchOperation, type KubernetesObject } from "@treadle/apimachinery";
import type { Problem } from "@treadle/reconcile";
import { type CallEnv, CallError } from "../call.ts";
import type { AnyWebhooks } from "../definition.ts";
import { freeze } from "../json.ts";
import { hubProblems } from "./hub-schema.ts";
import { isAsked } from "./asked.ts";
import { type Denied, isDenied } from "./deny.ts";
import { mutate } from "./mutate.ts";
import { type AdmissionRequest, readRequest } from "./request.ts";
import { ReviewCall } from "./review-call.ts";
import { validate } from "./validate.ts";

/**
 * Answers the AdmissionReview in `body`, which is parsed JSON. The body gets frozen, so it must not be shared with a writer.
 *
 * @returns an AdmissionReview with the answer
 * @throws CallError with the status 400 for a body that is no review of this kind, and 500 for a function that failed. Failures of functions
 *   are logged already; 400 is not. The `cause` may contain values of the object: do not log it
 */
export async function answerAdmission(webhooks: AnyWebhooks, type: "mutate" | "validate", body: unknown, env: CallEnv): Promise<object> {
  const request = readRequest(webhooks, body);
  const part = type === "mutate" ? "fill" : "problems";
  if (!isAsked(webhooks, part, request)) return answerOf(request, { allowed: true });
  // Types say that objects are read-only. A function that writes nevertheless fails, instead of losing its change.
  freeze(body);
  const call = new ReviewCall(webhooks, request, part, env);
  try {
    if (env.signal.aborted) throw call.failure("ERR_ABORTED", "the client has left");
    await call.read();
    return answerOf(request, type === "mutate" ? await completed(call) : await checked(call), call);
  } catch (error) {
    if (isDenied(error)) return answerOf(request, denial(call, error), call);
    const failure = error instanceof CallError ? error : call.failure("ERR_FUNCTION_FAILED", `${part} failed`, error);
    call.report(failure);
    throw failure;
  } finally {
    call.close();
  }
}

/** The part of an answer that depends on the function. */
type Verdict = { readonly allowed: boolean; readonly patch?: string; readonly patchType?: "JSONPatch"; readonly status?: object };

function answerOf({ uid }: AdmissionRequest, verdict: Verdict, call?: ReviewCall): object {
  const warnings = call?.warnings.texts ?? [];
  const response = { uid, ...verdict, ...(warnings.length === 0 ? {} : { warnings }) };
  return { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", response };
}

async function checked(call: ReviewCall): Promise<Verdict> {
  const broken = hubProblems(call.webhooks, call.request, call.request.object);
  return refusal(call, broken.length > 0 ? broken : await validate(call));
}

async function completed(call: ReviewCall): Promise<Verdict> {
  try {
    const patch = await mutate(call);
    // With problems, the object is checked when the fill of every webhook was asked.
    if (call.webhooks.problems !== undefined || !call.request.isConverted) return patched(patch);
    const filled = applyJsonPatch(call.request.object, patch) as KubernetesObject; // the patch leaves it an object
    const broken = hubProblems(call.webhooks, call.request, filled);
    return broken.length > 0 ? refusal(call, broken) : patched(patch);
  } catch (error) {
    // A function may throw because a field has the wrong type. Then the user needs the problems of the schema, as the API server reports them.
    const { hubSchema, fill } = call.webhooks;
    const isFailed = fill !== undefined && error instanceof CallError && error.code === "ERR_FUNCTION_FAILED";
    const problems = isFailed && call.request.subresource === "" ? hubSchema.problems(call.request.object) : [];
    if (problems.length === 0) throw error;
    return refusal(call, problems);
  }
}

function patched(patch: readonly JsonPatchOperation[]): Verdict {
  if (patch.length === 0) return { allowed: true };
  return { allowed: true, patchType: "JSONPatch", patch: Buffer.from(JSON.stringify(patch)).toString("base64") };
}

/** All problems in one status, as the API server reports an object that is not valid. */
function refusal({ request, webhooks, hidden }: ReviewCall, problems: readonly Problem[]): Verdict {
  if (problems.length === 0) return { allowed: true };
  const shown = problems.map((problem) =>
    typeof problem === "string" ? { message: problem } : { field: hidden.values.hide(problem.path), message: problem.message },
  );
  const causes = shown.map((problem) => ({
    reason: "FieldValueInvalid",
    ...problem,
    message: hidden.values.hide(problem.message) || "is not valid",
  }));
  const texts = causes.map((cause) => ("field" in cause && cause.field !== "" ? `${cause.field}: ${cause.message}` : cause.message));
  const { metadata } = request.object;
  const name = request.name || (metadata.name ?? "");
  const message = `${groupKindOf(webhooks.kind)} ${JSON.stringify(name)} is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`}`;
  const { group, kind } = webhooks.kind;
  const details = { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind, causes };
  return { allowed: false, status: { ...FAILURE, message, reason: "Invalid", details, code: 422 } };
}

function denial({ hidden }: ReviewCall, { message, status: code }: Denied): Verdict {
  const reason = REASONS[code];
  return {
    allowed: false,
    status: { ...FAILURE, message: hidden.values.hide(message), ...(reason === undefined ? {} : { reason }), code },
  };
}

const FAILURE = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure" } as const;

/** The reasons that clients test (`metav1.StatusReason`). */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  422: "Invalid",
  429: "TooManyRequests",
};
