export { isLocalClusterError, LocalClusterError, type LocalClusterErrorCode } from "./cluster/errors.ts";
export { type LocalCluster, type LocalClusterOptions, startLocalCluster } from "./cluster/local-cluster.ts";
export {
  type KubeconfigCredentials,
  type HttpFront,
  type HttpOptions,
  type HttpsFront,
  type HttpsOptions,
  serveHttp,
  serveHttps,
} from "./front/http.ts";
export type { AnswerReview, ResolveService, WebhookService } from "./admission/webhook-client.ts";
export type { Identity } from "./authorization/identity.ts";
export { createApiServer } from "./server.ts";
export type { ApiServer, ApiServerOptions, ServedResource, TransportOptions } from "./api-server.ts";
export type { Mishap, PodProblem, PodSelection, ResourceUse, Selection, UseSelection } from "./workloads/behaviours.ts";
export type { WorkloadOptions } from "./workloads/options.ts";
export type { Workloads } from "./workloads/workloads.ts";
