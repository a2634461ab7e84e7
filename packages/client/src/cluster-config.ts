/** The configuration of a connection to a cluster. */
import type { CredentialSource } from "./credentials.ts";

/** Describes how to reach a cluster: the options of {@link httpTransport}, and their origin. */
export interface ClusterConfig {
  /** Origin of the configuration: `in-cluster`, or the kubeconfig files. */
  readonly source: string;
  /** Name of the kubeconfig context. */
  readonly context?: string;
  /** Default namespace: that of the context or of the pod. */
  readonly namespace?: string;
  /** Base URL of the API server. */
  readonly server: string;
  /** Source of the current credentials. */
  readonly credentials: CredentialSource;
  /** Expected name in the server's certificate. @defaultValue the host of `server` */
  readonly serverName?: string;
  /** Whether any certificate of the server is accepted. @defaultValue false */
  readonly isInsecure?: boolean;
  /** URL of a proxy. @defaultValue none */
  readonly proxyUrl?: string;
}
