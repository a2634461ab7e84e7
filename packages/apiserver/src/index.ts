export { type HttpFront, type HttpOptions, type HttpsFront, type HttpsOptions, serveHttp, serveHttps } from "./http.ts";
export { type ApiServer, type ApiServerOptions, createApiServer, type ServedResource } from "./server.ts";
