/** AdmissionReview v1: makes the question to a webhook, and reads its answer. */
import type { UserInfo } from "../authorization/identity.ts";
import { parseJson } from "../request/content.ts";
import { goQuote, isObject, type JsonObject } from "../internal/json.ts";
import { StatusError } from "../errors/status-errors.ts";
import type { ServedVersion } from "../storage/registry.ts";
import type { Operation, Wanted } from "./matching.ts";
import type { Invocation, Webhook } from "./webhooks.ts";
import { WebhookError } from "./webhook-errors.ts";

export interface Answer {
  readonly warnings: readonly string[];
  /** JSON patch of the object. */
  readonly patch?: unknown;
  readonly denial?: StatusError;
}

export interface ReviewContext {
  readonly uid: string;
  readonly user: UserInfo;
  readonly isDryRun: boolean;
  /** Connections have none. */
  readonly options: JsonObject | null;
}

/**
 * Makes the body of a call. The objects of `wanted` have the version of the invocation.
 * @throws WebhookError when the webhook reads no version of AdmissionReview that the server writes
 */
export function reviewOf({ hook, version }: Invocation, wanted: Wanted, context: ReviewContext): JsonObject {
  const apiVersion = hook.reviewVersions.find((one) => one === "v1" || one === "v1beta1");
  if (apiVersion === undefined)
    throw new WebhookError("could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)");
  const { object = null, oldObject = null } = wanted;
  const { dryRun, options, ...request } = requestOf(version, wanted, context);
  return {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${apiVersion}`,
    request: { uid: context.uid, ...request, object, oldObject, dryRun, options },
  };
}

/** Describes a request, without its objects. */
export function requestOf(version: ServedVersion, wanted: Wanted, { user, isDryRun, options }: Omit<ReviewContext, "uid">): JsonObject {
  const { type, version: asked } = wanted.served;
  const { kind: own } = wanted;
  const kindIn = (one: ServedVersion): JsonObject =>
    own === undefined ? { group: one.group, version: one.version, kind: type.kind } : { ...own };
  const resourceIn = (one: ServedVersion): JsonObject => ({ group: one.group, version: one.version, resource: type.plural });
  const sub = wanted.subresource === "" ? {} : { subResource: wanted.subresource, requestSubResource: wanted.subresource };
  return {
    kind: kindIn(version),
    resource: resourceIn(version),
    requestKind: kindIn(asked),
    requestResource: resourceIn(asked),
    ...sub,
    ...(wanted.name === "" ? {} : { name: wanted.name }),
    ...(wanted.namespace === "" ? {} : { namespace: wanted.namespace }),
    operation: wanted.operation,
    userInfo: {
      username: user.name,
      ...(user.uid === "" ? {} : { uid: user.uid }),
      groups: user.groups,
      ...(Object.keys(user.extra).length === 0 ? {} : { extra: user.extra }),
    },
    dryRun: isDryRun,
    options,
  };
}

const OPTIONS: Readonly<Record<Exclude<Operation, "CONNECT">, string>> = {
  CREATE: "CreateOptions",
  UPDATE: "UpdateOptions",
  DELETE: "DeleteOptions",
};

/** Returns the options of a request, as webhooks see them. */
export function optionsOf(operation: Operation, query: URLSearchParams): JsonObject | null {
  if (operation === "CONNECT") return null;
  const dryRun = query.getAll("dryRun");
  const given = ["fieldManager", "fieldValidation"].flatMap((name) => (query.get(name) ? [[name, query.get(name)]] : []));
  return {
    kind: OPTIONS[operation],
    apiVersion: "meta.k8s.io/v1",
    ...(operation === "DELETE" ? {} : Object.fromEntries(given)),
    ...(dryRun.length === 0 ? {} : { dryRun }),
  };
}

/** Reads the answer of a webhook. @throws WebhookError for an answer that is not an AdmissionReview */
export function readAnswer(hook: Webhook, review: JsonObject, answered: unknown): Answer {
  const invalid = (cause: string): WebhookError => new WebhookError(`received invalid webhook response: ${cause}`);
  const response = isObject(answered) ? answered["response"] : undefined;
  if (!isObject(answered) || !isObject(response)) throw invalid("webhook response was absent");
  const { uid } = review["request"] as { readonly uid: string }; // made by reviewOf
  const { apiVersion } = review;
  const isBeta = apiVersion === "admission.k8s.io/v1beta1";
  const { patch, patchType, allowed, status, warnings } = response;
  if (!isBeta) {
    if (response["uid"] !== uid) throw invalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(String(response["uid"] ?? ""))}`);
    if (answered["kind"] !== "AdmissionReview" || answered["apiVersion"] !== apiVersion) {
      const [group = "", version = ""] = String(answered["apiVersion"] ?? "").split("/");
      const got = `${group}/${version}, Kind=${String(answered["kind"] ?? "")}`;
      throw invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
    }
    const problem = patchProblem(hook, patch, patchType);
    if (problem !== undefined) throw invalid(problem);
  }
  const told = { warnings: Array.isArray(warnings) ? warnings.map(String) : [] };
  if (allowed !== true) return { ...told, denial: denialOf(hook, isObject(status) ? status : {}) };
  if (!hook.isMutating || typeof patch !== "string" || patch === "") return told;
  if (!isBeta && patchType !== "JSONPatch") throw new WebhookError(`unsupported patch type ${goQuote(String(patchType))}`);
  try {
    return { ...told, patch: parseJson(Buffer.from(patch, "base64").toString("utf8")) };
  } catch (error) {
    throw new WebhookError(`received undecodable patch in webhook response: ${(error as SyntaxError).message}`);
  }
}

function patchProblem({ isMutating }: Webhook, patch: unknown, patchType: unknown): string | undefined {
  const hasPatch = typeof patch === "string" && patch !== "";
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating) {
    if (hasPatch) return "validating webhook may not return response.patch";
    return hasType ? "validating webhook may not return response.patchType" : undefined;
  }
  if (hasPatch && !hasType) return "webhook returned response.patch but not response.patchType";
  if (!hasPatch && hasType) return "webhook returned response.patchType but not response.patch";
  return hasType && patchType === "" ? 'webhook returned invalid response.patchType of ""' : undefined;
}

/** A denial has at least the status 400, whatever the webhook answered. */
function denialOf({ name }: Webhook, status: JsonObject): StatusError {
  const by = `admission webhook ${goQuote(name)} denied the request`;
  const { message, reason, details } = status;
  const why = [message, reason].find((one) => typeof one === "string" && one !== "");
  const code = typeof status["code"] === "number" && status["code"] >= 400 ? status["code"] : 400;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: why === undefined ? `${by} without explanation` : `${by}: ${String(why)}`,
    ...(typeof reason === "string" && reason !== "" ? { reason } : {}),
    ...(isObject(details) ? { details } : {}),
    code,
  });
}
