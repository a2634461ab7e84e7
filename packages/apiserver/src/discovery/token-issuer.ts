/** The documents by which other programs check tokens of service accounts: the issuer (OpenID Connect discovery) and its keys. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import type { Access } from "../authorization/access.ts";
import { methodNotAllowed, noRepresentation } from "../errors/status-errors.ts";
import { respond } from "../request/context.ts";

/** Path of the keys. */
export const KEYS = "/openid/v1/jwks";
const KEYS_TYPE = "application/jwk-set+json";
/** Path of the issuer's document. */
export const CONFIGURATION = "/.well-known/openid-configuration";

/** Reports whether the documents exist. The real server serves them only for an issuer that is such a URL. */
export function hasIssuer({ accountTokens }: Access): boolean {
  return accountTokens.issuer.startsWith("https://");
}

/** Answers a request for one of the documents. Returns `undefined` for other paths. @throws StatusError 405, 406 */
export function issuerDocument(access: Access, path: string, request: ApiRequest): ApiResponse | undefined {
  if (!hasIssuer(access)) return undefined;
  const { accountTokens } = access;
  const { issuer } = accountTokens;
  switch (path.replace(/\/$/, "")) {
    case KEYS:
      return answer(request, KEYS_TYPE, () => ({ keys: accountTokens.publicKeys() }));
    case CONFIGURATION:
      return answer(request, "application/json", () => ({
        issuer,
        jwks_uri: `${baseOf(request) ?? issuer.replace(/\/$/, "")}${KEYS}`,
        response_types_supported: ["id_token"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
      }));
    default:
      return undefined;
  }
}

/** The address by which the client reaches this server. The keys of a cluster are at the address of its API server, too. */
function baseOf({ headers }: ApiRequest): string | undefined {
  const host = headers["host"] ?? headers[":authority"];
  return host === undefined ? undefined : `https://${host}`;
}

function answer({ method, headers }: ApiRequest, type: string, document: () => object): ApiResponse {
  if (method !== "GET") throw methodNotAllowed();
  const accept = (headers["accept"] ?? "").split(",").map((clause) => clause.split(";")[0]?.trim());
  if (!accept.some((wanted) => wanted === "" || wanted === "*/*" || wanted === type)) throw noRepresentation([type]);
  const { status, headers: ownHeaders, body } = respond(200, JSON.stringify(document()), type);
  return { status, headers: { ...ownHeaders, "cache-control": "public, max-age=3600" }, body: body ?? "" };
}
