/** Where a cluster is and who we are there, wherever that was found. */
import type { CredentialSource } from "./credentials.ts";

/** How to reach a cluster: what `httpTransport` takes, and what a program may want to know. */
export interface ClusterConfig {
  /** Where this came from: `in-cluster`, or the kubeconfig files. */
  readonly source: string;
  /** Name of the kubeconfig context. */
  readonly context?: string;
  /** The namespace to use where none is given: that of the context or of the pod. */
  readonly namespace?: string;
  readonly server: string;
  readonly credentials: CredentialSource;
  readonly serverName?: string;
  readonly isInsecure?: boolean;
  readonly proxyUrl?: string;
}
