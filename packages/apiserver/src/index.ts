export { isLocalClusterError, LocalClusterError, type LocalClusterErrorCode } from "./cluster/errors.ts";
export { type LocalCluster, type LocalClusterOptions, startLocalCluster } from "./cluster/local-cluster.ts";
export { type HttpFront, type HttpOptions, type HttpsFront, type HttpsOptions, serveHttp, serveHttps } from "./http.ts";
export { type ApiServer, type ApiServerOptions, createApiServer, type ServedResource } from "./server.ts";
