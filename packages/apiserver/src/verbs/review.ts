/** Creates of kinds that are answered and not stored: reviews of access and tokens, and requests for tokens. */
import type { ApiResponse } from "@treadle/apimachinery";
import { answerAccess, answerRules, answerSelf, answerToken } from "../authorization/reviews.ts";
import { answerTokenRequest } from "../authorization/token-request.ts";
import { TOKEN_REQUEST } from "../builtin/resources.ts";
import type { JsonObject } from "../internal/json.ts";
import { type Call, respondIn } from "../request/context.ts";
import { recordOwner } from "../managed-fields/field-ownership.ts";
import { matchNamespace } from "../objects/namespaces.ts";
import { readWriteOptions } from "../request/write-options.ts";
import type { ResourceType } from "../storage/registry.ts";
import type { Draft } from "../storage/stored-object.ts";
import { noList } from "../errors/status-errors.ts";
import { readSent } from "./create.ts";

/** Handles a POST of a review. @throws StatusError 400, 406, 415, 422 */
export async function review(call: Call): Promise<ApiResponse> {
  const { request, query, served, route, accepted } = call;
  if (accepted.metadataOf === "list") throw noList(served);
  const options = readWriteOptions(query, request.headers["user-agent"], "CreateOptions");
  const { draft } = await readSent(call, options);
  matchNamespace(draft, served.type.isNamespaced ? route.namespace : "");
  recordOwner(call, { draft, live: undefined, subresource: route.subresource }, { requested: undefined, options });
  const object = answerOf(served.type)(call, draft);
  const partial = { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: object["metadata"] };
  return respondIn(accepted.encoding, 201, JSON.stringify(accepted.metadataOf === undefined ? object : partial));
}

/** Handles a POST to `token` of a service account. @throws StatusError 400, 404, 409, 415, 422 */
export async function requestToken(call: Call): Promise<ApiResponse> {
  return review({ ...call, served: { type: TOKEN_REQUEST, version: TOKEN_REQUEST.storage } });
}

type Answer = (call: Call, asked: Draft) => JsonObject;

/** Functions that make the answer, by {@link ResourceType.id}. */
const ANSWERS: Readonly<Record<string, Answer>> = {
  "selfsubjectreviews.authentication.k8s.io": answerSelf,
  "tokenreviews.authentication.k8s.io": answerToken,
  [TOKEN_REQUEST.id]: answerTokenRequest,
  "localsubjectaccessreviews.authorization.k8s.io": answerAccess,
  "selfsubjectaccessreviews.authorization.k8s.io": answerAccess,
  "selfsubjectrulesreviews.authorization.k8s.io": answerRules,
  "subjectaccessreviews.authorization.k8s.io": answerAccess,
};

/** Returns the function that answers a kind. @throws Error when a review has no answer */
function answerOf({ id }: ResourceType): Answer {
  const answer = ANSWERS[id];
  if (answer === undefined) throw new Error(`there is no answer to a review of the kind ${id}`);
  return answer;
}
