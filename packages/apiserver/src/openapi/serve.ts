/** Answers requests for the documents of OpenAPI, with the negotiation and the caching of a kube-apiserver. Fronts add ranges and compression. */
import type { ApiRequest, ApiResponse } from "@treadle/apimachinery";
import { PAGE_NOT_FOUND } from "../errors/status-errors.ts";
import { type Parts, respond } from "../request/context.ts";
import type { Target } from "../request/routes.ts";
import { OPENAPI_V3, openApiDocument, openApiIndex, swaggerDocument, type Tagged } from "./documents.ts";

/** Answers with a document, or returns `undefined` for a path that is not below `/openapi`. */
export async function answerOpenApi(parts: Parts, request: ApiRequest, { route, query }: Target): Promise<ApiResponse | undefined> {
  if (route.type !== "other" || !route.path.startsWith("/openapi/")) return undefined;
  const { path } = route;
  if (path === "/openapi/v2") return swagger(parts, request);
  if (path === OPENAPI_V3) {
    const madeMs = parts.clock.now();
    return fresh(request, { json: JSON.stringify(openApiIndex(parts)), madeMs }, { "content-type": "text/plain; charset=utf-8" });
  }
  if (!path.startsWith(`${OPENAPI_V3}/`)) return PAGE_NOT_FOUND;
  const document = openApiDocument(parts, path.slice(OPENAPI_V3.length + 1));
  if (document === undefined) return { status: 404, headers: {}, body: "" };
  const vary = { vary: "Accept" };
  if (bestOf(request, [JSON_SUBTYPE]) === undefined) return { status: 406, headers: vary, body: "" };
  const headers = { ...vary, "content-type": "application/json", etag: `"${document.tag}"` };
  const hash = query.get("hash") ?? "";
  if (hash === "") return fresh(request, await document.made(), headers);
  if (hash !== document.tag) return { status: 301, headers: { ...headers, location: `${path}?hash=${document.tag}` }, body: "" };
  const expires = new Date(parts.clock.now() + YEAR_MS).toUTCString().replace("GMT", "UTC");
  return fresh(request, await document.made(), { ...headers, "cache-control": "public, immutable", expires });
}

const YEAR_MS = 365 * 86_400_000;
const JSON_SUBTYPE = "json";
const PROTOBUF_SUBTYPE = "com.github.proto-openapi.spec.v2.v1.0+protobuf";
/** The name that older clients use. Its `@` is not allowed in a media type. */
const OLD_PROTOBUF_SUBTYPE = "com.github.proto-openapi.spec.v2@v1.0+protobuf";

async function swagger(parts: Parts, request: ApiRequest): Promise<ApiResponse> {
  const vary = { vary: "Accept-Encoding, Accept" };
  const subtype = bestOf(request, [JSON_SUBTYPE, OLD_PROTOBUF_SUBTYPE, PROTOBUF_SUBTYPE]);
  if (subtype === undefined) return { status: 406, headers: vary, body: "" };
  const document = await swaggerDocument(parts);
  const headers = { ...vary, etag: `"${document.tag}"` };
  if (subtype === JSON_SUBTYPE) return fresh(request, document, { ...headers, "content-type": "application/json" });
  const json = await document.protobuf();
  return fresh(request, { ...document, json }, { ...headers, "content-type": `application/${PROTOBUF_SUBTYPE}` });
}

/** Returns the first served subtype of `application` that the client accepts, by its weights. */
function bestOf({ headers }: ApiRequest, served: readonly string[]): string | undefined {
  const clauses = (headers["accept"] || "*/*").split(",").map((clause) => {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
    return { names: type.split("/"), weight: weight === undefined ? 1 : Number(weight) };
  });
  for (const { names } of clauses.toSorted((a, b) => b.weight - a.weight)) {
    const [type = "", subtype = ""] = names;
    if (type !== "application" && type !== "*") continue;
    const found = subtype === "*" ? served[0] : served.find((one) => one === subtype);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Answers with a document, or with 304 when the client already has it. */
function fresh(
  { method, headers: asked }: ApiRequest,
  { json, madeMs }: Pick<Tagged, "json" | "madeMs">,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const { etag } = headers;
  const isRead = method === "GET" || (method as string) === "HEAD"; // fronts pass on every method
  if (isRead && isKnown(asked, etag, madeMs)) {
    const { "content-type": _, ...kept } = headers;
    return { status: 304, headers: kept, body: "" };
  }
  const shown = { ...headers, "accept-ranges": "bytes", "last-modified": new Date(madeMs).toUTCString() };
  return { ...respond(200, json), headers: shown };
}

function isKnown(asked: ApiRequest["headers"], etag: string | undefined, madeMs: number): boolean {
  const tags = asked["if-none-match"];
  if (tags !== undefined) return tags.split(",").some((tag) => tag.trim() === "*" || tag.trim().replace(/^W\//, "") === etag);
  const since = Date.parse(asked["if-modified-since"] ?? "");
  return Math.trunc(madeMs / 1000) * 1000 <= since;
}
