/** Creates of what is asked and not stored: reviews of access and of tokens, and requests for tokens. */
import type { ApiResponse } from "@treadle/apimachinery";
import { TOKEN_REQUEST } from "../builtin-resources.ts";
import { encode } from "../content.ts";
import { type Call, respond } from "../context.ts";
import { recordOwner } from "../draft.ts";
import { matchNamespace } from "../namespaces.ts";
import { readWriteOptions } from "../options.ts";
import type { ResourceType } from "../registry.ts";
import { readSent } from "./create.ts";

/** @throws StatusError 400, 415, 422 */
export async function review(call: Call, answer: NonNullable<ResourceType["answer"]>): Promise<ApiResponse> {
  const { request, query, served, route, accepted } = call;
  const options = readWriteOptions(query, request.headers["user-agent"], "CreateOptions");
  const { draft } = await readSent(call, options);
  matchNamespace(draft, served.type.isNamespaced ? route.namespace : "");
  recordOwner(call, { draft, live: undefined, subresource: route.subresource }, { requested: undefined, options });
  const object = answer(call, draft);
  return respond(201, await encode(JSON.stringify(object), accepted.encoding), `application/${accepted.encoding}`);
}

/** POST to `token` of a service account. @throws StatusError 400, 404, 409, 415, 422 */
export async function requestToken(call: Call): Promise<ApiResponse> {
  return review({ ...call, served: { type: TOKEN_REQUEST, version: TOKEN_REQUEST.storage } }, TOKEN_REQUEST.answer ?? (() => ({})));
}
